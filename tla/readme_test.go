package tla

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Each model that the README's table of claims names is in the manifest and is
// about that claim, and no claim of the manifest is missing there.
func TestReadmeNamesModels(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]Model{}
	for _, model := range manifest(t).Models {
		byName[model.Name] = model
	}
	row := regexp.MustCompile(`(?m)^\| ([A-Z]{2}-\d+) \| [^|]* \| ([^|]*) \|$`)
	named := map[string]bool{}
	for _, cells := range row.FindAllStringSubmatch(string(text), -1) {
		claim := cells[1]
		named[claim] = true
		for _, name := range regexp.MustCompile(`[A-Z]{2}-\d+[\w-]*`).FindAllString(cells[2], -1) {
			if model, found := byName[name]; !found || !slices.Contains(model.Claims, claim) {
				t.Errorf("%s: model %q, about %v", claim, name, model.Claims)
			}
		}
	}
	for _, model := range byName {
		for _, claim := range model.Claims {
			if !named[claim] {
				t.Errorf("%s of model %s has no row in the README", claim, model.Name)
			}
		}
	}
	if strings.Contains(string(text), "MEASURED") {
		t.Error("the measured table is missing")
	}
}
