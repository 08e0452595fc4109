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

// TestSampleIsCaught: the bugs that are said to be found soon are, by the oracle
// that is named. TestSwarmKeepsWhatItMustKeep is the lock without them.
func TestSampleIsCaught(t *testing.T) {
	sampled := 0
	for _, m := range search.Mutants() {
		if !m.Sample {
			continue
		}
		sampled++
		caught := false
		for seed := uint64(1); seed <= uint64(m.Budget) && !caught; seed++ {
			caught = m.Target().Met(played(t, drawn(t, seed, m.Options())))
		}
		if !caught {
			t.Errorf("%s: not caught by %s in %d runs", m.Name, m.Oracle, m.Budget)
		}
	}
	if sampled < 5 {
		t.Errorf("only %d bugs in the sample", sampled)
	}
}
