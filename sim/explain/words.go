package explain

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"redlocklab/sim/svg"
)

// instant returns a point in true time in seconds with three decimals, so that
// readers can compare the lines of a story easily.
func instant(t time.Duration) string {
	return strconv.FormatFloat(t.Seconds(), 'f', 3, 64) + " s"
}

// period returns a length of time with about three digits and a suitable unit.
func period(d time.Duration) string {
	if d < 0 {
		return "-" + period(-d)
	}
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{time.Second, "s"}, {time.Millisecond, "ms"}, {time.Microsecond, "µs"}} {
		if d >= unit.size {
			return threeDigits(float64(d)/float64(unit.size)) + " " + unit.name
		}
	}
	return strconv.FormatInt(int64(d), 10) + " ns"
}

func threeDigits(v float64) string {
	decimals := 2
	for _, limit := range []float64{9.995, 99.95} {
		if v >= limit {
			decimals--
		}
	}
	return svg.Number(v, decimals)
}

// exact matches a Go duration with more digits than matter, and the instant "t=1.5s".
var exact = regexp.MustCompile(`\b(t=)?((?:\d+h)?(?:\d+m)?\d+(?:\.\d+)?(?:ns|µs|ms|s))\b`)

// rounded rounds the times in a text to what matters.
func rounded(text string) string {
	return exact.ReplaceAllStringFunc(text, func(found string) string {
		digits, isInstant := strings.CutPrefix(found, "t=")
		d, err := time.ParseDuration(digits)
		switch {
		case err != nil:
			return found
		case isInstant:
			return instant(d)
		}
		return period(d)
	})
}

// signed returns the words for a step of a clock.
func signed(d time.Duration) string {
	if d < 0 {
		return "back by " + period(-d)
	}
	return "forward by " + period(d)
}

// list joins names as in a sentence.
func list(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// because names the fault that caused something; "" for none.
func because(fault string) string {
	if fault == "" {
		return ""
	}
	return fmt.Sprintf(" (fault %q)", fault)
}

// keyOf names the key of a client: "A's key", or other words when nobody knows whose it is.
func keyOf(owner, unknown string) string {
	if owner == "" {
		return unknown
	}
	return owner + "'s key"
}

// plural returns the form of a verb or noun for n things.
func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

var smallNumbers = []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}

func inWords(n int) string {
	if n >= 0 && n < len(smallNumbers) {
		return smallNumbers[n]
	}
	return strconv.Itoa(n)
}

// nodeNames returns the names of nodes, or "all five nodes" for all of them.
func (r *Run) nodeNames(nodes []string) string {
	if len(nodes) == len(r.Nodes) && len(nodes) > 2 {
		return "all " + inWords(len(nodes)) + " nodes"
	}
	ordered := slices.Clone(nodes)
	slices.SortStableFunc(ordered, func(a, b string) int {
		return slices.Index(r.Nodes, a) - slices.Index(r.Nodes, b)
	})
	return list(ordered)
}

func ppm(n int64) string {
	if n == 0 {
		return "right again"
	}
	return fmt.Sprintf("%+d ppm", n)
}
