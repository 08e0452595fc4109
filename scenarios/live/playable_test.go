package live

import (
	"bufio"
	"slices"
	"strings"
	"testing"

	"redlocklab/faults"
)

// Every kind of fault is either played or refused with a reason.
func TestEveryKindIsDecided(t *testing.T) {
	known := map[string]bool{}
	for _, k := range faults.Kinds() {
		known[k.Name] = true
		if _, decided := kinds[k.Name]; !decided {
			t.Errorf("%s: can it be played on real servers? Say so in playable.go", k.Name)
		}
	}
	for name := range kinds {
		if !known[name] {
			t.Errorf("%s is no kind of fault", name)
		}
	}
}

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
	if got := bulks("*3\r\n$1\r\na\r\n$-1\r\n$3\r\n$9\r\r\n"); !slices.Equal(got, []string{"a", "$9\r"}) {
		t.Errorf("bulks %q", got)
	}
}
