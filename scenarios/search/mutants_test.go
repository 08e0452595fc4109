package search_test

import (
	"slices"
	"testing"

	"redlocklab/checker"
	"redlocklab/scenarios/search"
)

func TestMutantsAreDeclared(t *testing.T) {
	names := map[string]bool{}
	for _, m := range search.Mutants() {
		if names[m.Name] || m.Intent == "" || m.Budget < 1 {
			t.Errorf("%+v", m)
		}
		names[m.Name] = true
		if err := m.Trial().Validate(); err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
		if !slices.Contains(checker.Oracles(), m.Oracle) {
			t.Errorf("%s: found the oracle %q; allowed: %q", m.Name, m.Oracle, checker.Oracles())
		}
		for _, id := range m.Broken {
			if !slices.Contains(checker.Assumptions(), id) {
				t.Errorf("%s: found the assumption %q; allowed: %q", m.Name, id, checker.Assumptions())
			}
		}
	}
	if len(names) < 20 {
		t.Errorf("only %d planted bugs", len(names))
	}
}
