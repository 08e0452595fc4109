package explain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

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
