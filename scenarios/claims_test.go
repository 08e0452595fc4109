package scenarios_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"redlocklab/scenarios"
)

// TestClaims holds the registry to itself: ids in order and without gaps,
// sources that exist.
func TestClaims(t *testing.T) {
	numbers := map[string]int{}
	var letters []string
	for _, p := range scenarios.Publications() {
		letters = append(letters, p.Letter)
	}
	for _, c := range scenarios.Claims() {
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
