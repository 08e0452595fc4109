package plan

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"redlocklab/faults"
)

// Texts returns a text of each thing, such as its name.
func Texts[T any](things []T, text func(T) string) []string {
	texts := make([]string, len(things))
	for i, thing := range things {
		texts[i] = text(thing)
	}
	return texts
}

// Strings are words as plain strings.
func Strings[T ~string](words []T) []string {
	return Texts(words, func(w T) string { return string(w) })
}

// NodeName returns the name of the i-th node, counted from 1.
func NodeName(i int) string { return "n" + strconv.Itoa(i) }

// ownClaim is the form of a hypothesis of one's own: H-1, ACME-17.
var ownClaim = regexp.MustCompile(`^[A-Z][A-Z0-9]*-[1-9][0-9]*$`)

// CheckClaim says what is wrong with a claim's id; nil when nothing is. It is one of the
// claims, or a hypothesis of one's own, whose first letters are those of no claim.
func CheckClaim(id string) error {
	family := func(id string) string { prefix, _, _ := strings.Cut(id, "-"); return prefix }
	known := slices.ContainsFunc(claims, func(c Claim) bool { return family(c.ID) == family(id) })
	if placeOf(id) >= 0 || !known && ownClaim.MatchString(id) {
		return nil
	}
	var ranges []string
	first := ""
	for _, c := range claims {
		if family(c.ID) != family(first) {
			first = c.ID
			ranges = append(ranges, "")
		}
		ranges[len(ranges)-1] = first + " to " + c.ID
	}
	return fmt.Errorf("found %s; allowed: %s; or an id of your own with other letters, like H-1", strconv.Quote(id), strings.Join(ranges, ", "))
}

// CheckResource says what is wrong with the name of a resource; nil when nothing is.
func CheckResource(name string) error {
	if faults.CheckClientName(name) != nil {
		return fmt.Errorf("found %s; allowed: a letter followed by letters, digits, _ or -, but not all, any, or the form of a node (n1)", strconv.Quote(name))
	}
	return nil
}

// CompareNames orders names by the claims that they begin with: BA-2-rdb before BA-10. Names
// of one claim, and names without a claim, which come last, are ordered as text.
func CompareNames(a, b string) int {
	place := func(name string) int {
		parts := strings.SplitN(name, "-", 3)
		if i := placeOf(strings.Join(parts[:min(2, len(parts))], "-")); i >= 0 {
			return i
		}
		return len(claims)
	}
	return cmp.Or(place(a)-place(b), strings.Compare(a, b))
}
