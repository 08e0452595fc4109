package report_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"redlocklab/checker"
	"redlocklab/cmd/simulate/report"
	"redlocklab/scenarios/search"
)

// TestEveryFindingHasAMinimalPlan: the committed plans are those of what the track
// record shows, and the check finds every sort of a gap.
func TestEveryFindingHasAMinimalPlan(t *testing.T) {
	in := committed(t)
	plans := in.Minimal
	if gaps := in.MinimalGaps(); len(gaps) > 0 {
		t.Errorf("%s", strings.Join(gaps, "\n"))
	}
	shown := in.Shown()
	vote := slices.IndexFunc(shown, func(s report.Shown) bool {
		return s.Scenario == "BA-2" && slices.Equal(s.Target.Broken, []string{checker.AssumptionVote})
	})
	if vote < 0 || shown[vote].File() != "SY-10-unguarded-BA-2-A-VOTE.json" || shown[vote].Target.Oracle != checker.OracleOverlap {
		t.Fatalf("of BA-2 is shown: %+v", shown)
	}

	broken := maps.Clone(plans)
	in.Minimal = broken
	missing, other := shown[0].File(), shown[vote].File()
	delete(broken, missing)
	plan := *plans[other].Plan
	plan.Seed += 1000
	broken[other] = &search.Minimal{Certificate: plans[other].Certificate, Plan: &plan}
	broken["SY-0-MX-1.json"] = plans[other]
	gaps := in.MinimalGaps()
	for i, want := range []string{missing + ": no minimal plan", other + ": it was made of BA-2 SY-10 unguarded seed 1001 for overlap; the track record shows seed 1 for overlap",
		"SY-0-MX-1.json: a minimal plan of what the track record does not show"} {
		if len(gaps) != 3 || gaps[i] != want {
			t.Errorf("gap %d is not %q: %q", i+1, want, gaps)
		}
	}
}
