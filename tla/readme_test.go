package tla

import (
	"fmt"
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
	row := regexp.MustCompile(`(?m)^\| ([A-Z]{2}-\d+) \| ([^|]*) \| [^|]* \| ([^|]*) \| ([^|]*) \| ([^|]*) \| ([^|]*) \| ([^|]*) \|$`)
	rows := map[string][]string{}
	_, section, _ := strings.Cut(string(text), "\n## Claim by claim\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, cells := range row.FindAllStringSubmatch(section, -1) {
		rows[cells[1]] = cells[2:]
	}
	for _, claim := range LoadManifest().Claims {
		cells := rows[claim.Claim]
		if cells == nil {
			t.Errorf("%s has no row", claim.Claim)
			continue
		}
		named := regexp.MustCompile(`[A-Z]{2}-\d+[\w-]*`).FindAllString(cells[1], -1)
		if len(claim.Models) == 0 {
			if cells[4] != claim.Reason {
				t.Errorf("%s: reason %q, the manifest says %q", claim.Claim, cells[4], claim.Reason)
			}
		}
		var mutants []string
		for _, model := range LoadManifest().Models {
			if model.Mutant() && slices.Contains(model.Claims, claim.Claim) {
				mutants = append(mutants, model.Name)
			}
		}
		if properties := claim.properties(t); cells[2] != strings.Join(properties, ", ") {
			t.Errorf("%s: properties %q, its models check %q", claim.Claim, cells[2], properties)
		}
		if cells[3] != strings.Join(mutants, ", ") {
			t.Errorf("%s: mutants %q, the manifest has %q", claim.Claim, cells[3], mutants)
		}
		theorems, _, _ := strings.Cut(cells[5], ": ")
		if strings.ReplaceAll(theorems, "`", "") != claim.Theorem {
			t.Errorf("%s: theorem %q, the manifest says %q", claim.Claim, theorems, claim.Theorem)
		}
		if cells[0] != claim.Says || !slices.Equal(named, claim.Models) {
			t.Errorf("%s: the README says %q %v, the manifest %q %v", claim.Claim, cells[0], named, claim.Says, claim.Models)
		}
	}
}

// properties are what the models of a claim check, in their order; of those that fail,
// what fails. The models of progress check AtMostOneHolds as others check TypeOK.
func (c ClaimVerdict) properties(t *testing.T) []string {
	var list []string
	for _, name := range c.Models {
		model, err := LoadManifest().Model(name)
		if err != nil {
			t.Fatal(err)
		}
		checks := model.Checks
		if model.Violates != "" {
			checks = []string{model.Violates}
		}
		for _, check := range checks {
			if check != "TypeOK" && check != "AtMostOneHolds" && !slices.Contains(list, check) {
				list = append(list, check)
			}
		}
	}
	return list
}

// The README's table of sizes lists every model, with what it must do and the
// states that it must have.
func TestReadmeTableOfSizes(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Measured\n")
	rows := regexp.MustCompile(`(?m)^\| ([\w-]+) \| (quick|full) \| ([^|]*) \| ([^|]*) \| [\d.]+ \|$`).FindAllStringSubmatch(section, -1)
	var models []Model
	for _, mutants := range []bool{false, true} { // as simulate tla prints them
		some, err := LoadManifest().Select(true, mutants, nil)
		if err != nil {
			t.Fatal(err)
		}
		models = append(models, some...)
	}
	if len(rows) != len(models) {
		t.Fatalf("%d rows, expected %d", len(rows), len(models))
	}
	for i, model := range models {
		size := fmt.Sprint(model.DistinctStates)
		if model.Simulate != nil {
			size = strings.TrimLeft(rows[i][4], "0123456789") // a sample's size is not compared
			if size != " sampled" {
				t.Errorf("%s: size %q", model.Name, rows[i][4])
			}
			size = rows[i][4]
		}
		if model.DistinctStates == 0 { // nor is that of an edited specification, or of other checks
			size = rows[i][4]
		}
		if want := []string{model.Name, string(model.TimeClass), model.must(), size}; !slices.Equal(rows[i][1:], want) {
			t.Errorf("row %q, expected %q; print the table with simulate tla --full --table, and with --mutants", rows[i][1:], want)
		}
	}
}
