package scenarios_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"redlocklab/scenarios"
	"redlocklab/scenarios/matrix"
	"redlocklab/scenarios/plan"
)

// TestClaimsAreSettled: every claim has a scenario of its own, and every system
// a row in a file, of claims that have one.
func TestClaimsAreSettled(t *testing.T) {
	suite, err := scenarios.Suite()
	if err != nil {
		t.Fatal(err)
	}
	if missing := unsettled(suite); len(missing) > 0 {
		t.Errorf("%q", missing)
	}
	without := slices.DeleteFunc(slices.Clone(suite), func(s *plan.Scenario) bool {
		return s.Claim == "LV-6" || slices.ContainsFunc(s.Subjects, func(x plan.Subject) bool { return x.Name == "SY-7" })
	})
	if missing := fmt.Sprint(unsettled(without)); missing != "[LV-6 has no scenario SY-7 has no scenario SY-7 has no row]" {
		t.Errorf("without LV-6 and SY-7: %s", missing)
	}
}

func unsettled(suite []*plan.Scenario) []string {
	var missing []string
	for _, c := range plan.Claims() {
		if own, _ := matrix.Settles(c, suite); len(own) == 0 {
			missing = append(missing, c.ID+" has no scenario")
		}
		row := func(s *plan.Scenario) bool {
			return slices.ContainsFunc(s.Subjects, func(x plan.Subject) bool {
				return plan.SystemOf(x.Name) == c.ID
			})
		}
		if c.Kind == plan.KindSystem && !slices.ContainsFunc(suite, row) {
			missing = append(missing, c.ID+" has no row")
		}
	}
	return missing
}

// TestClaims holds the registry to itself: ids in order and without gaps,
// sources that exist.
func TestClaims(t *testing.T) {
	numbers := map[string]int{}
	var letters []string
	for _, p := range plan.Publications() {
		letters = append(letters, p.Letter)
	}
	for _, c := range plan.Claims() {
		family, number, _ := strings.Cut(c.ID, "-")
		next, known := numbers[family]
		if !known && family != "SY" {
			next = 1
		}
		if number != fmt.Sprint(next) {
			t.Errorf("%s stands where %s-%d belongs", c.ID, family, next)
		}
		numbers[family] = next + 1
		for _, source := range strings.Fields(c.Source) {
			if !slices.Contains(letters, source) {
				t.Errorf("%s has the unknown source %q", c.ID, source)
			}
		}
		if c.Title == "" || c.Kind == "" {
			t.Errorf("%s has no title or no kind", c.ID)
		}
	}
	if want := map[string]int{"MX": 12, "BA": 12, "RP": 6, "RS": 5, "LV": 13, "SY": 12}; fmt.Sprint(numbers) != fmt.Sprint(want) {
		t.Errorf("next numbers %v, want %v", numbers, want)
	}
}
