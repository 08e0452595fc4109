package search_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"redlocklab/checker"
	"redlocklab/scenarios/search"
)

// TestEachOracleIsNeeded: for each oracle a planted bug shows, in some run, something
// that no other oracle calls violated; or ORACLES.md says why there is none.
func TestEachOracleIsNeeded(t *testing.T) {
	planted := func(name string) search.Trial {
		m, known := search.FindMutant(name)
		if !known {
			t.Fatalf("there is no planted bug %s", name)
		}
		return m.Trial()
	}
	alone := map[checker.Oracle]search.Trial{
		checker.OracleLinearizability:  planted("blind-release"),
		checker.OracleResourceUnfenced: {Subject: "SY-0", Break: []string{checker.AssumptionWork}},
		checker.OracleFencingTokens:    planted("maximum-fence"),
		checker.OracleLiveness:         planted("one-after-another"),
	}
	text, err := os.ReadFile("ORACLES.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, oracle := range checker.Oracles() {
		options, has := alone[oracle]
		if told := strings.Contains(string(text), "| `"+string(oracle)+"` | never alone: "); told == has {
			t.Errorf("%s: alone %v, and ORACLES.md says that it never is: %v", oracle, has, told)
		}
		if !has {
			continue
		}
		found := false
		for seed := uint64(1); seed <= 200 && !found; seed++ {
			found = slices.Equal(played(t, drawn(t, seed, options)).Answers.Violated(), []checker.Oracle{oracle})
		}
		if !found {
			t.Errorf("%s: in 200 runs with %+v another oracle said it too, each time", oracle, options)
		}
	}
}
