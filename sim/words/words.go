// Package words puts numbers, times and lists of names into a sentence. The whole
// repository uses it: commands, verdicts, stories and pictures. It imports no other
// package of the project.
//
// Times are those of a run: instants in true time since its start, periods of any length.
package words

import (
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Listed joins names as in a sentence: "n1, n2 and n3".
func Listed(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// Plural returns the form of a verb or noun for n things.
func Plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Counted writes a number of things: "1 vote", "2 votes". The noun's plural ends in s.
func Counted(n int, noun string) string {
	return strconv.Itoa(n) + " " + Plural(n, noun, noun+"s")
}

var cardinals = []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}

// Cardinal writes a number up to ten in letters: "no", "one", "two".
func Cardinal(n int) string {
	if n >= 0 && n < len(cardinals) {
		return cardinals[n]
	}
	return strconv.Itoa(n)
}

// Decimal writes a number with at most so many decimals, without trailing zeros.
func Decimal(v float64, decimals int) string {
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// Instant writes an instant in seconds with three decimals, so that readers can
// compare the lines of a story easily: "1.500 s".
func Instant(t time.Duration) string {
	return strconv.FormatFloat(t.Seconds(), 'f', 3, 64) + " s"
}

var units = []struct {
	size time.Duration
	name string
}{{time.Second, "s"}, {time.Millisecond, "ms"}, {time.Microsecond, "µs"}}

// Period writes a length of time with about three digits and a suitable unit: "87.3 ms".
func Period(d time.Duration) string {
	if d < 0 {
		return "-" + Period(-d)
	}
	for _, unit := range units {
		if d >= unit.size {
			v, decimals := float64(d)/float64(unit.size), 2
			for _, limit := range []float64{9.995, 99.95} {
				if v >= limit {
					decimals--
				}
			}
			return Decimal(v, decimals) + " " + unit.name
		}
	}
	return strconv.FormatInt(int64(d), 10) + " ns"
}

// exact matches a Go duration with more digits than matter, and the instant "t=1.5s".
var exact = regexp.MustCompile(`\b(t=)?((?:\d+h)?(?:\d+m)?\d+(?:\.\d+)?(?:ns|µs|ms|s))\b`)

// Rounded rewrites the times in a text: instants ("t=1.5s") as by [Instant], and other
// durations in Go's notation as by [Period].
func Rounded(text string) string {
	return exact.ReplaceAllStringFunc(text, func(found string) string {
		digits, isInstant := strings.CutPrefix(found, "t=")
		d, err := time.ParseDuration(digits)
		switch {
		case err != nil:
			return found
		case isInstant:
			return Instant(d)
		}
		return Period(d)
	})
}

// Visible replaces each character that a terminal or a page obeys instead of showing it by its
// Go escape: control characters, marks that change the direction of text, and characters that
// XML does not allow. Names from files pass through it before they are printed.
func Visible(text string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || r == 0xfffe || r == 0xffff {
			escaped := strconv.QuoteRuneToASCII(r)
			b.WriteString(escaped[1 : len(escaped)-1])
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// VisibleLines is Visible for a text of several lines.
func VisibleLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = Visible(lines[i])
	}
	return strings.Join(lines, "\n")
}
