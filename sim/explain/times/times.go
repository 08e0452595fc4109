// Package times writes points and lengths of time as a story tells them.
package times

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"redlocklab/sim/svg"
)

// Instant returns a point in true time in seconds with three decimals, so that
// readers can compare the lines of a story easily.
func Instant(t time.Duration) string {
	return strconv.FormatFloat(t.Seconds(), 'f', 3, 64) + " s"
}

// Period returns a length of time with about three digits and a suitable unit.
func Period(d time.Duration) string {
	if d < 0 {
		return "-" + Period(-d)
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

// Rounded rounds the times in a text to what matters.
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

// Signed returns the words for a step of a clock.
func Signed(d time.Duration) string {
	if d < 0 {
		return "back by " + Period(-d)
	}
	return "forward by " + Period(d)
}

// Rate returns the words for the rate error of a clock, in parts per million.
func Rate(ppm int64) string {
	if ppm == 0 {
		return "right again"
	}
	return fmt.Sprintf("%+d ppm", ppm)
}
