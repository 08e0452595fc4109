package search_test

import (
	"testing"
	"time"

	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/scenarios/search"
)

// TestDrawnRunsAreDeterministic plays what is drawn twice: whatever kinds of
// faults a run knows, and whatever the driver does, two plays have one trace.
func TestDrawnRunsAreDeterministic(t *testing.T) {
	for _, o := range []struct {
		search.Options
		seeds int
	}{
		{search.Options{Subject: "SY-0"}, short(20, 8)},
		{search.Options{Subject: "SY-10"}, short(20, 8)},
		{search.Options{Subject: "SY-10", Settings: []plan.Option{{Name: "driver", Value: "retrying"}}}, short(10, 4)},
		{search.Options{Subject: "SY-10", Settings: []plan.Option{{Name: "renewal", Value: "true"}}}, short(5, 2)},
		{search.Options{Subject: "SY-11-redsync"}, short(10, 4)},
	} {
		for seed := range uint64(o.seeds) {
			o.Break = []string{"A-VOTE", "A-OWNER", "A-DISTINCT"}[:seed%4]
			p := drawn(t, seed, o.Options)
			if a, b := hash(t, p), hash(t, p); a != b {
				t.Errorf("%s, seed %d: two traces\n%s", o.Subject, seed, search.Knobs(p))
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
