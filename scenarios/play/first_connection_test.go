package play_test

import (
	"math"
	"testing"

	"redlocklab/checker"
	"redlocklab/scenarios/file"
	"redlocklab/scenarios/play"
)

// TestFirstConnectionUnderLoss plays the formula of WRITING.md: a first try on one node needs three
// round trips, so it succeeds with the chance (1-p)^6.
func TestFirstConnectionUnderLoss(t *testing.T) {
	const runs = 1000
	for percent, p := range map[string]float64{"5%": 0.05, "20%": 0.2} {
		s, err := file.Parse("LV-1-loss.yaml", []byte(`claim: LV-1
title: A first try
story: One node, one try, and a network that loses messages.
nodes: 1
network: { latency: 1ms, loss: `+percent+` }
lock: { ttl: 2s, node_timeout: 50ms }
clients:
  A: [ { trylock: r }, { release: r } ]
subjects: { SY-0: { expect: any } }
`))
		if err != nil {
			t.Fatal(err)
		}
		acquired := 0.0
		for seed := range uint64(runs) {
			plan, err := s.Plan("SY-0", seed+1)
			if err != nil {
				t.Fatal(err)
			}
			run, err := play.Run(plan, play.RunOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if run.History.Operations[0].Outcome == checker.OutcomeOK {
				acquired++
			}
		}
		want := math.Pow(1-p, 6)
		if off := math.Abs(acquired/runs - want); off > 4*math.Sqrt(want*(1-want)/runs) {
			t.Errorf("loss %s: %.3f of the first tries succeed; the formula says %.3f", percent, acquired/runs, want)
		}
	}
}
