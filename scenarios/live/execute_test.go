package live

import (
	"bufio"
	"strings"
	"testing"
)

// TestAnswersAreReadWhole: an answer is read to its end, and no further.
func TestAnswersAreReadWhole(t *testing.T) {
	for _, answer := range []string{"+OK\r\n", ":1\r\n", "$-1\r\n", "$5\r\na\r\nb\n\r\n", "*2\r\n$1\r\na\r\n*1\r\n:1\r\n", "*-1\r\n", "-ERR no\r\n"} {
		b, err := readAnswer(nil, bufio.NewReader(strings.NewReader(answer+"+more\r\n")))
		if err != nil || string(b) != answer {
			t.Errorf("%q: read %q, %v", answer, b, err)
		}
		if _, err := readAnswer(nil, bufio.NewReader(strings.NewReader(answer[:len(answer)-1]))); err == nil {
			t.Errorf("%q without its end was read", answer)
		}
	}
}
