package search_test

import (
	"testing"
	"time"

	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/scenarios/search"
)

// TestDrawnRunsAreDeterministic plays what is drawn twice: whatever kinds of
// faults come together, the trace is one.
func TestDrawnRunsAreDeterministic(t *testing.T) {
	for _, subject := range []string{"SY-0", "SY-10"} {
		for seed := range uint64(short(20, 8)) {
			p := drawn(t, seed, search.Options{Subject: subject, Break: []string{"A-VOTE", "A-OWNER", "A-DISTINCT"}[:seed%4]})
			if a, b := hash(t, p), hash(t, p); a != b {
				t.Errorf("%s, seed %d: two traces\n%s", subject, seed, search.Knobs(p))
			}
		}
	}
}

func hash(t *testing.T, p *plan.Plan) string {
	t.Helper()
	result, err := play.Run(p, play.RunOptions{Real: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return result.TraceHash
}
