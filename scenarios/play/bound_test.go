package play_test

import (
	"testing"

	"redlocklab/scenarios/file"
	"redlocklab/scenarios/play"
	"redlocklab/sim"
)

// TestABoundBreaksNothing: an acquisition that the end of the run cuts short has
// no token of an earlier one, and so breaks no assumption.
func TestABoundBreaksNothing(t *testing.T) {
	s, err := file.Parse("LV-1.yaml", []byte(`claim: LV-1
title: cut short
story: cut short
lock: { ttl: 1s }
clients:
  A: [ { repeat: { for: 20s, steps: [ { lock: r }, { hold: 20ms }, { release: r } ] } } ]
  B: [ { repeat: { for: 20s, steps: [ { lock: r }, { hold: 20ms }, { release: r } ] } } ]
seeds: 1
bounds: { virtual: 3s }
subjects: { SY-0: { expect: { overlap: holds }, broken: [], runs: all } }
`))
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(10) {
		plan, err := s.Plan("SY-0", seed)
		if err != nil {
			t.Fatal(err)
		}
		result, err := play.Run(plan, play.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if result.Outcome != string(sim.VirtualBound) || len(result.Verdict.Broken()) > 0 ||
			len(result.Verdict.Problems) > 0 {
			t.Errorf("seed %d: %s, broken %v, problems %v", seed, result.Outcome, result.Verdict.Broken(), result.Verdict.Problems)
		}
	}
}
