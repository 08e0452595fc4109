package tla

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The README's table of claims says what the manifest says.
func TestReadmeTableOfClaims(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?m)^\| ([A-Z]{2}-\d+) \| ([^|]*) \| ([^|]*) \|`)
	rows := map[string][]string{}
	_, section, _ := strings.Cut(string(text), "\n## Claim by claim\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, cells := range row.FindAllStringSubmatch(section, -1) {
		rows[cells[1]] = cells[2:]
	}
	claims, err := ByClaim()
	if err != nil {
		t.Fatal(err)
	}
	for _, claim := range claims {
		cells := rows[claim.Claim]
		if cells == nil {
			t.Errorf("%s has no row", claim.Claim)
			continue
		}
		named := regexp.MustCompile(`[A-Z]{2}-\d+[\w-]*`).FindAllString(cells[1], -1)
		if len(claim.Models) == 0 {
			named = nil // the cell is the reason, which may name other models
			if cells[1] != claim.Reason {
				t.Errorf("%s: reason %q, the manifest says %q", claim.Claim, cells[1], claim.Reason)
			}
		}
		if cells[0] != claim.Says || !slices.Equal(named, claim.Models) {
			t.Errorf("%s: the README says %q %v, the manifest %q %v", claim.Claim, cells[0], named, claim.Says, claim.Models)
		}
	}
}
