package atlas

import (
	"math"
	"slices"
)

// z is the half width of 95 % of the normal distribution, in standard deviations.
const z = 1.959964

// Share is how many of some runs did something, with the interval that the true
// probability is in.
type Share struct {
	Count, Of int
	Low, High float64 // Wilson, 95 %; 0 and 1 without runs
}

// NewShare computes Wilson's interval, which stays inside 0 and 1 and is right for
// shares near them, where a map's ends usually are.
func NewShare(count, of int) Share {
	if of == 0 {
		return Share{High: 1}
	}
	n, p := float64(of), float64(count)/float64(of)
	center := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n)) / (1 + z*z/n)
	return Share{count, of, max(0, center-half), min(1, center+half)}
}

// Value is the share itself; 0 without runs.
func (s Share) Value() float64 {
	if s.Of == 0 {
		return 0
	}
	return float64(s.Count) / float64(s.Of)
}

// Spread sums up some durations, in nanoseconds.
type Spread struct {
	Runs             int // that have one
	Min, Median, Max int64
	P99              int64 // the smallest value that 99 of 100 do not exceed
	// Low and High are the 95 % interval of the median: the order statistics that
	// enclose it with that probability, whatever the distribution.
	Low, High int64
}

// NewSpread sums up; nil when there is nothing.
func NewSpread(values []int64) *Spread {
	if len(values) == 0 {
		return nil
	}
	values = slices.Sorted(slices.Values(values))
	n := len(values)
	half := z * math.Sqrt(float64(n)) / 2
	low := max(1, int(math.Floor(float64(n)/2-half)))
	high := min(n, int(math.Ceil(float64(n)/2+1+half)))
	return &Spread{
		Runs: n, Min: values[0], Median: (values[(n-1)/2] + values[n/2]) / 2, Max: values[n-1],
		P99: values[(99*n+99)/100-1], Low: values[low-1], High: values[high-1],
	}
}
