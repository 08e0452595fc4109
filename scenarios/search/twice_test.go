package search_test

import (
	"testing"
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/scenarios/search"
)

// TestDrawnRunsAreDeterministic plays what is drawn twice: whatever kinds of
// faults a run knows, and whatever the driver does, two plays have one trace.
func TestDrawnRunsAreDeterministic(t *testing.T) {
	for _, o := range []struct {
		search.Trial
		seeds int
	}{
		{search.Trial{Subject: "SY-0"}, short(20, 8)},
		{search.Trial{Subject: "SY-10"}, short(20, 8)},
		{search.Trial{Subject: "SY-10", Settings: []plan.Option{{Name: "driver", Value: "retrying"}}}, short(10, 4)},
		{search.Trial{Subject: "SY-10", Settings: []plan.Option{{Name: "renewal", Value: "true"}}}, short(5, 2)},
		{search.Trial{Subject: "SY-11-redsync"}, short(10, 4)},
	} {
		for seed := range uint64(o.seeds) {
			o.Break = []string{"A-VOTE", "A-OWNER", "A-DISTINCT"}[:seed%4]
			p := drawn(t, seed, o.Trial)
			if a, b := hash(t, p), hash(t, p); a != b {
				t.Errorf("%s, seed %d: two traces\n%s", o.Subject, seed, search.Knobs(p))
			}
		}
	}
}

// TestSmallPoolsAreDeterministic plays twice what is drawn with small pools. In the first four
// runs of package redlock, dials fail while several of its goroutines wait for one
// connection: without play's dialer their order was left to chance.
func TestSmallPoolsAreDeterministic(t *testing.T) {
	for _, of := range []struct {
		subject string
		seeds   []uint64
	}{{"SY-10", []uint64{48, 50, 204, 223, 1, 2}}, {"SY-0", []uint64{1, 2}}} {
		for i, seed := range of.seeds {
			o := search.Trial{Subject: of.subject}
			if i < 4 && seed%4 == 2 {
				o.Break = []string{checker.AssumptionWork}
			} else if i < 4 && seed%4 == 3 {
				o.Break = []string{checker.AssumptionHeal}
			}
			p := drawn(t, seed, o)
			p.Lock.Pool = max(1, p.Lock.Pool)
			if a, b := hash(t, p), hash(t, p); a != b {
				t.Errorf("%s, seed %d: two traces\n%s", of.subject, seed, search.Knobs(p))
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
