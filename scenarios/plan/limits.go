package plan

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Range is a closed range of numbers or times.
type Range[T ~int | ~int64] struct{ Low, High T }

// Contains reports whether v lies in the range.
func (r Range[T]) Contains(v T) bool { return r.Low <= v && v <= r.High }

// longest bounds all times. It keeps sums of times far from overflow.
const longest = 10_000 * time.Hour

// million bounds what is counted: seeds, loops, tries, extensions. It is also the
// number of parts in ppm.
const million = 1_000_000

// Limits are the ranges of the numbers and times that scenario files and plans may hold.
type Limits struct {
	TTL, NodeTimeout, WallError, Latency, ClockAhead Range[time.Duration]

	Virtual  Range[time.Duration] // bounds.virtual
	Time     Range[time.Duration] // all other times
	Positive Range[time.Duration] // all other times that must not be 0

	RateErrorPPM, LossPPM, Stock, Bytes Range[int64]

	Nodes, Lives, Alike, Lockers, Events, RESP, Pool Range[int]

	Times Range[int] // rounds of a loop
	Count Range[int] // tries and extensions; 0: unlimited
}

var limits = Limits{
	TTL:          Range[time.Duration]{time.Microsecond, longest},
	NodeTimeout:  Range[time.Duration]{time.Microsecond, longest},
	WallError:    Range[time.Duration]{0, time.Minute},
	Latency:      Range[time.Duration]{time.Microsecond, longest},
	ClockAhead:   Range[time.Duration]{-longest, longest},
	Virtual:      Range[time.Duration]{time.Millisecond, longest},
	Time:         Range[time.Duration]{0, longest},
	Positive:     Range[time.Duration]{1, longest},
	RateErrorPPM: Range[int64]{0, 500_000},
	LossPPM:      Range[int64]{0, million},
	Stock:        Range[int64]{0, million},
	Nodes:        Range[int]{1, 15},
	Lives:        Range[int]{2, 100},
	Alike:        Range[int]{2, 1000},
	Lockers:      Range[int]{1, 200},
	Events:       Range[int]{1, 1_000_000_000},
	Bytes:        Range[int64]{0, 1_000_000 * million},
	RESP:         Range[int]{2, 3},
	Pool:         Range[int]{0, 200},
	Times:        Range[int]{1, million},
	Count:        Range[int]{0, million},
}

// AllowedRanges returns the ranges that files and plans are checked against.
func AllowedRanges() Limits { return limits }

// within checks a number, or a time in nanoseconds.
func within[T ~int | ~int64](c *check, path string, value T, in Range[T]) {
	if !in.Contains(value) {
		c.problem(path, strconv.FormatInt(int64(value), 10), fmt.Sprintf("%d to %d", int64(in.Low), int64(in.High)))
	}
}

// Seeds is a closed range.
type Seeds struct {
	First uint64 `json:"first"`
	Last  uint64 `json:"last"`
}

// String is the range as ParseSeeds reads it.
func (s Seeds) String() string { return fmt.Sprintf("%d-%d", s.First, s.Last) }

// Count is how many seeds the range has.
func (s Seeds) Count() int { return int(s.Last - s.First + 1) }

// ParseSeeds reads "7" or "1-200", a range of at most a million seeds. Its errors say what
// was found and what is allowed.
func ParseSeeds(value string) (Seeds, error) {
	low, high, isRange := strings.Cut(value, "-")
	if !isRange {
		high = low
	}
	first, err := strconv.ParseUint(strings.TrimSpace(low), 10, 64)
	last, errLast := strconv.ParseUint(strings.TrimSpace(high), 10, 64)
	switch {
	case err != nil || errLast != nil || last < first:
		return Seeds{}, fmt.Errorf("found %s; allowed: one seed like 7, or a range like 1-200 whose end is not below its beginning", strconv.Quote(value))
	case last-first >= million:
		return Seeds{}, fmt.Errorf("found %s; allowed: at most %d seeds", strconv.Quote(value), million)
	}
	return Seeds{First: first, Last: last}, nil
}

// Bracket is a border between two values: on the one side things are as at Low, on the other
// as at High. It is narrowed by halving.
type Bracket struct{ Low, High int64 }

// Middle is the value to look at next, a multiple of step where there is one inside; false
// when the bracket is as narrow as step.
func (b Bracket) Middle(step int64) (int64, bool) {
	if b.High-b.Low <= max(1, step) {
		return 0, false
	}
	middle := b.Low + (b.High-b.Low)/2
	if rounded := middle / max(1, step) * max(1, step); rounded > b.Low && rounded < b.High {
		middle = rounded
	}
	return middle, true
}

// Narrow takes in whether things at a middle are as at Low.
func (b *Bracket) Narrow(middle int64, asLow bool) {
	if asLow {
		b.Low = middle
	} else {
		b.High = middle
	}
}
