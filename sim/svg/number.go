package svg

import (
	"math"
	"strconv"
	"strings"
)

// Px writes a coordinate with one decimal: nobody sees finer steps, and files stay small.
func Px(v float64) string { return Number(v, 1) }

// Number writes a number with at most so many decimals, without trailing zeros.
func Number(v float64, decimals int) string {
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// RoundStep is the smallest step of the form 1, 2 or 5 times a power of ten that
// makes no more than `most` steps of a span, which must be positive. It is 0 when
// most is less than 1.
func RoundStep(span, most float64) float64 {
	if most < 1 {
		return 0
	}
	power := math.Pow10(int(math.Floor(math.Log10(span / most))))
	for _, factor := range []float64{1, 2, 5} {
		if span/(power*factor) <= most {
			return power * factor
		}
	}
	return 10 * power
}
