package search_test

import (
	"errors"
	"slices"
	"testing"

	"redlocklab/checker"
	"redlocklab/scenarios/plan"
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
		{"delays", "errors-vote", 20, "ordering", 40},
		{"ordering", "late-validity", 20, "swarm", 40},
		{"exhaust", "minority-quorum", 10, "delays", 20},
		{"climb", "no-allowance", 60, "ordering", 40},
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

// TestClimbClimbs: the runs that climb makes of the best ones come closer than those
// that it draws anew.
func TestClimbClimbs(t *testing.T) {
	var fresh, changed []int64
	searching(t, "climb", search.Options{Subject: "SY-0"}, short(120, 60), func(run int, p *plan.Plan, o search.Outcome) bool {
		if run > 40 && o.LapsedMarginNS != nil {
			margin := *o.LapsedMarginNS * 1000 / int64(p.Lock.TTL)
			if (run-1)%searchBatch < searchBatch/2 {
				fresh = append(fresh, margin)
			} else {
				changed = append(changed, margin)
			}
		}
		return false
	})
	slices.Sort(fresh)
	slices.Sort(changed)
	if middle := len(changed) / 2; len(fresh) < 5 || len(changed) < 5 || changed[middle] > fresh[len(fresh)/2]/2 {
		t.Errorf("margins in thousandths of the TTL: drawn %v, changed %v", fresh, changed)
	}
}

// TestExhaustIsFinite: it plays as many schedules as it says, each once.
func TestExhaustIsFinite(t *testing.T) {
	s, err := search.Start("exhaust", 1, search.Options{Subject: "SY-0"})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for {
		plans, err := s.Next(1000)
		if err != nil {
			t.Fatal(err)
		}
		if len(plans) == 0 {
			break
		}
		for _, p := range plans {
			seen[p.Hash()] = true
		}
	}
	if total := s.(search.Finite).Total(); total != 9040 || len(seen) != total {
		t.Errorf("%d schedules, %d different plans; wanted 9040 of both", total, len(seen))
	}
}

// TestStrategiesThatBreakNothing say so when they are to break something.
func TestStrategiesThatBreakNothing(t *testing.T) {
	for _, strategy := range search.StrategyNames() {
		s, err := search.Start(strategy, 1, search.Options{Subject: "SY-0", Break: []string{checker.AssumptionVote}})
		if err == nil {
			_, err = s.Next(1)
		}
		if breaks := search.Covers(strategy); errors.Is(err, search.ErrBreaksNothing) == breaks || breaks && err != nil {
			t.Errorf("%s: %v", strategy, err)
		}
	}
}

// searchBatch is how many runs a strategy makes before it learns what became of them.
const searchBatch = 20

// caughtAfter is the first of so many runs that catches a bug; 0 when none does.
func caughtAfter(t *testing.T, strategy string, m search.Mutant, runs int) (after int) {
	t.Helper()
	searching(t, strategy, m.Options(), runs, func(run int, _ *plan.Plan, o search.Outcome) bool {
		if m.Target().Met(o) {
			after = run
		}
		return after > 0
	})
	return after
}

// searching plays a search until enough says so, or for so many runs.
func searching(t *testing.T, strategy string, o search.Options, runs int, enough func(run int, p *plan.Plan, o search.Outcome) bool) {
	t.Helper()
	s, err := search.Start(strategy, 1, o)
	if err != nil {
		t.Fatal(err)
	}
	for run := 0; run < runs; {
		plans, err := s.Next(min(searchBatch, runs-run))
		if err != nil || len(plans) == 0 {
			t.Fatal(len(plans), err)
		}
		var outcomes []search.Outcome
		for _, p := range plans {
			run++
			outcomes = append(outcomes, played(t, p))
			if enough(run, p, outcomes[len(outcomes)-1]) {
				return
			}
		}
		s.Learn(outcomes)
	}
}
