package live

import (
	"bufio"
	"strings"
	"testing"

	"github.com/alicebob/miniredis/v2/proto"
)

// TestAnswersAreReadWhole: an answer is read to its end, and no further, by the
// reader that exchange uses.
func TestAnswersAreReadWhole(t *testing.T) {
	for _, answer := range []string{"+OK\r\n", ":1\r\n", "$-1\r\n", "$5\r\na\r\nb\n\r\n", "*2\r\n$1\r\na\r\n*1\r\n:1\r\n", "*-1\r\n", "-ERR no\r\n"} {
		b, err := proto.Read(bufio.NewReader(strings.NewReader(answer + "+more\r\n")))
		if err != nil || b != answer {
			t.Errorf("%q: read %q, %v", answer, b, err)
		}
		if _, err := proto.Read(bufio.NewReader(strings.NewReader(answer[:len(answer)-1]))); err == nil {
			t.Errorf("%q without its end was read", answer)
		}
	}
}
