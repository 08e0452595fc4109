package explain

import (
	"fmt"
	"slices"
	"time"

	"redlocklab/sim/words"
)

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

// nodeNames returns the names of nodes, or "all five nodes" for all of them.
func (r *Run) nodeNames(nodes []string) string {
	if len(nodes) == len(r.Nodes) && len(nodes) > 2 {
		return "all " + words.Cardinal(len(nodes)) + " nodes"
	}
	ordered := slices.Clone(nodes)
	slices.SortStableFunc(ordered, func(a, b string) int {
		return slices.Index(r.Nodes, a) - slices.Index(r.Nodes, b)
	})
	return words.Listed(ordered)
}

// stepWords says how far a clock was stepped.
func stepWords(d time.Duration) string {
	if d < 0 {
		return "back by " + words.Period(-d)
	}
	return "forward by " + words.Period(d)
}

// rateWords names the rate error of a clock, in parts per million.
func rateWords(ppm int64) string {
	if ppm == 0 {
		return "right again"
	}
	return fmt.Sprintf("%+d ppm", ppm)
}
