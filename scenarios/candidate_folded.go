package scenarios

import (
	"fmt"
	"regexp"
	"slices"
)

// said is what the run of a seed says.
type said struct {
	seed uint64
	text string
}

// numbers are counts, instants and times.
var numbers = regexp.MustCompile(`(\d+(\.\d+)?(ns|µs|ms|s|m|h)?)+`)

// folded words what runs say. What several seeds say in the same words, but for numbers, is one
// line: that of the first.
func folded(all []said) []string {
	type line struct {
		said
		words     string
		more      int
		otherwise bool // another seed has other numbers
		of        uint64
	}
	var lines []*line
	for _, s := range all {
		words := numbers.ReplaceAllString(s.text, "#")
		i := slices.IndexFunc(lines, func(l *line) bool { return l.words == words })
		if i < 0 {
			lines = append(lines, &line{said: s, words: words, of: s.seed})
			continue
		}
		l := lines[i]
		if l.of != s.seed {
			l.more++
		}
		l.of, l.otherwise = s.seed, l.otherwise || s.text != l.text
	}
	texts := make([]string, len(lines))
	for i, l := range lines {
		texts[i] = fmt.Sprintf("seed %d: %s", l.seed, l.text)
		if l.more > 0 {
			texts[i] = fmt.Sprintf("seed %d, and %d more up to %d: %s", l.seed, l.more, l.of, l.text)
		}
		if l.otherwise {
			texts[i] += " (with other numbers elsewhere)"
		}
	}
	return texts
}
