package scenarios

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"redlocklab/faults"
)

// nodeName is the name of the i-th node, counted from 1.
func nodeName(i int) string { return "n" + strconv.Itoa(i) }

// family is one series of claims: its ids run from first to last.
type family struct {
	prefix      string
	first, last int
}

// families are the claims that scenarios can settle.
var families = []family{{"MX", 1, 11}, {"BA", 1, 11}, {"RP", 1, 5}, {"RS", 1, 4}, {"LV", 1, 12}, {"SY", 0, 11}}

// Sources are the letters of the public texts that the claims come from.
var sources = []string{"D", "S", "G", "P", "X", "K", "A"}

// Assumptions are the ids of what a run can keep or break.
var assumptions = []string{"A-RATE", "A-STEP", "A-VOTE", "A-DISTINCT", "A-OWNER", "A-TOKEN", "A-WORK", "A-COUNTER", "A-HEAL", "A-RANDOM", "A-BOUNDED"}

// Assumptions returns the ids of the assumptions, in the order of the claims.
func Assumptions() []string { return slices.Clone(assumptions) }

// checkClaim says what is wrong with a claim's id; nil when nothing is.
func checkClaim(id string) error {
	prefix, number, _ := strings.Cut(id, "-")
	allowed := make([]string, len(families))
	for i, f := range families {
		n, err := strconv.Atoi(number)
		if f.prefix == prefix && err == nil && n >= f.first && n <= f.last && strconv.Itoa(n) == number {
			return nil
		}
		allowed[i] = fmt.Sprintf("%s-%d to %s-%d", f.prefix, f.first, f.prefix, f.last)
	}
	return fmt.Errorf("found %s; allowed: %s", quoted(id), list(allowed))
}

// checkResource says what is wrong with the name of a resource.
func checkResource(name string) error {
	if faults.CheckClientName(name) != nil {
		return fmt.Errorf("found %s; allowed: a letter followed by letters, digits, _ or -, but not all, any, or the form of a node (n1)", quoted(name))
	}
	return nil
}

func quoted(s string) string { return strconv.Quote(s) }

func list(words []string) string { return strings.Join(words, ", ") }
