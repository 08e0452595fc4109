package search_test

import (
	"testing"

	"redlocklab/scenarios/search"
)

func TestMutantsAreDeclared(t *testing.T) {
	names := map[string]bool{}
	for _, m := range search.Mutants() {
		if names[m.Name] || m.Intent == "" || m.Budget < 1 {
			t.Errorf("%+v", m)
		}
		names[m.Name] = true
		if err := m.Options().Validate(); err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
	}
	if len(names) < 20 {
		t.Errorf("only %d planted bugs", len(names))
	}
}
