package search_test

import (
	"errors"
	"testing"

	"redlocklab/checker"
	"redlocklab/scenarios/search"
)

// TestStrategiesDiffer: each strategy catches a planted bug in runs in which another
// does not.
func TestStrategiesDiffer(t *testing.T) {
	for _, c := range []struct {
		strategy, bug string
		within        int
		other         string
		not           int // caught by the other in so many runs
	}{
		{"ordering", "late-validity", 20, "swarm", 40},
		{"random", "half-quorum", 12, "swarm", 20},
		{"swarm", "no-allowance", 40, "random", 60},
	} {
		m, known := search.FindMutant(c.bug)
		if !known {
			t.Fatalf("there is no planted bug %s", c.bug)
		}
		if after := caughtAfter(t, c.strategy, m, c.within); after == 0 {
			t.Errorf("%s does not catch %s in %d runs", c.strategy, c.bug, c.within)
		}
		if after := caughtAfter(t, c.other, m, c.not); after > 0 {
			t.Errorf("%s catches %s after %d runs; it was not to in %d", c.other, c.bug, after, c.not)
		}
	}
}

// TestStrategiesThatBreakNothing say so when they are to break something.
func TestStrategiesThatBreakNothing(t *testing.T) {
	for _, strategy := range search.StrategyNames() {
		draw, err := search.Start(strategy, search.Trial{Subject: "SY-0", Break: []string{checker.AssumptionVote}})
		if err == nil {
			_, err = draw(1)
		}
		if breaks := search.Covers(strategy); errors.Is(err, search.ErrBreaksNothing) == breaks ||
			breaks && err != nil {
			t.Errorf("%s: %v", strategy, err)
		}
	}
}

// caughtAfter is the first of so many runs that catches a bug; 0 when none does.
func caughtAfter(t *testing.T, strategy string, m search.Mutant, runs int) int {
	t.Helper()
	draw, err := search.Start(strategy, m.Trial())
	if err != nil {
		t.Fatal(err)
	}
	for run := 1; run <= runs; run++ {
		p, err := draw(uint64(run))
		if err != nil {
			t.Fatal(err)
		}
		if m.Target().Met(played(t, p)) {
			return run
		}
	}
	return 0
}
