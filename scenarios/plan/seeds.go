package plan

import (
	"fmt"
	"strconv"
	"strings"
)

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
