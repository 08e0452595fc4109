package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"redlocklab/faults"
)

// NodeName returns the name of the i-th node, counted from 1.
func NodeName(i int) string { return "n" + strconv.Itoa(i) }

// family is one series of claims: its ids run from first to last.
type family struct {
	prefix      string
	first, last int
}

// families are the series of the claims, in their order.
var families = familiesOf(claims)

func familiesOf(claims []Claim) []family {
	var list []family
	for _, c := range claims {
		prefix, text, _ := strings.Cut(c.ID, "-")
		number, _ := strconv.Atoi(text)
		if i := len(list) - 1; i >= 0 && list[i].prefix == prefix {
			list[i].last = number
			continue
		}
		list = append(list, family{prefix, number, number})
	}
	return list
}

// Assumptions are the ids of what a run can keep or break.
var assumptions = []string{"A-RATE", "A-STEP", "A-VOTE", "A-DISTINCT", "A-OWNER", "A-TOKEN", "A-WORK", "A-COUNTER", "A-HEAL", "A-RANDOM", "A-BOUNDED"}

// Assumptions returns the ids of the assumptions, in the order of the claims.
func Assumptions() []string { return slices.Clone(assumptions) }

// CheckClaim says what is wrong with a claim's id; nil when nothing is.
func CheckClaim(id string) error {
	prefix, number, _ := strings.Cut(id, "-")
	allowed := make([]string, len(families))
	for i, f := range families {
		n, err := strconv.Atoi(number)
		if f.prefix == prefix && err == nil && n >= f.first && n <= f.last && strconv.Itoa(n) == number {
			return nil
		}
		allowed[i] = fmt.Sprintf("%s-%d to %s-%d", f.prefix, f.first, f.prefix, f.last)
	}
	return fmt.Errorf("found %s; allowed: %s", strconv.Quote(id), strings.Join(allowed, ", "))
}

// CheckResource says what is wrong with the name of a resource.
func CheckResource(name string) error {
	if faults.CheckClientName(name) != nil {
		return fmt.Errorf("found %s; allowed: a letter followed by letters, digits, _ or -, but not all, any, or the form of a node (n1)", strconv.Quote(name))
	}
	return nil
}

// CompareNames orders by family, then by number, then by the rest: BA-2 before
// BA-10, and the families in the order of the claims.
func CompareNames(a, b string) int {
	rank := func(name string) (int, int) {
		for i, f := range families {
			if rest, found := strings.CutPrefix(name, f.prefix+"-"); found {
				digits := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
				n, _ := strconv.Atoi(digits)
				return i, n
			}
		}
		return len(families), 0
	}
	familyA, numberA := rank(a)
	familyB, numberB := rank(b)
	if familyA != familyB {
		return familyA - familyB
	}
	if numberA != numberB {
		return numberA - numberB
	}
	return strings.Compare(a, b)
}
