package plan

import (
	"fmt"
	"strconv"
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
