package explain

import (
	"fmt"
	"slices"

	"redlocklab/sim/explain/grammar"
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
		return "all " + grammar.InWords(len(nodes)) + " nodes"
	}
	ordered := slices.Clone(nodes)
	slices.SortStableFunc(ordered, func(a, b string) int {
		return slices.Index(r.Nodes, a) - slices.Index(r.Nodes, b)
	})
	return grammar.List(ordered)
}
