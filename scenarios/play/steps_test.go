package play_test

import (
	"fmt"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"redlocklab/checker"
	"redlocklab/scenarios/file"
	"redlocklab/scenarios/play"
	"redlocklab/sim"
)

// A's machine may sleep, and a clock is set at any time while A or B holds, or nobody does.
const stepStory = `
claim: BA-1
title: A clock is set
story: |
  A clock is set.
lock: { ttl: 2s, node_timeout: 50ms, retry: { delay: 50ms..150ms } }
clients:
  A: [ { lock: r }, { hold: 1900ms }, { release: r }, { lock: s }, { hold: 3s }, { extend: s } ]
  B: { start: 300ms, steps: [ { lock: r }, { hold: 500ms }, { release: r } ] }
faults:
  - { name: sleep, suspend: A, at: 500ms, for: 700ms }
  - { name: set, %s, at: %v }
subjects:
  SY-0: { expect: any, options: { clock: %s } }
`

// TestStepsThatMatterAreBroken: whenever a run in which a clock is set has other beliefs than the
// same run without that step, the ledger says that A-STEP is broken. Each size that ends a belief
// at the very instant of the step is drawn, too.
func TestStepsThatMatterAreBroken(t *testing.T) {
	mattered := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		clock := rapid.SampledFrom([]sim.ClockKind{sim.Boottime, sim.Monotonic, sim.Wall}).Draw(t, "clock")
		size := rapid.SampledFrom([]string{"1ms", "20ms", "600ms", "1s", "2s", "1h"}).Draw(t, "size")
		size = rapid.SampledFrom([]string{"", "-"}).Draw(t, "sign") + size
		at := rapid.SampledFrom([]string{"501ms", "1200ms", "1201ms", "1995ms", "2s", "2600ms", "4s", "4900ms", "5500ms"}).Draw(t, "at")
		who := rapid.SampledFrom([]string{"A", "n1"}).Draw(t, "who")
		step := fmt.Sprintf("node_clock_step: %s, by: %s", who, size)
		if who == "A" {
			step = fmt.Sprintf("client_clock_step: A, clock: %s, by: %s", clock, size)
		}
		s, err := file.Parse("BA-1-step.yaml", fmt.Appendf(nil, stepStory, step, at, clock))
		if err != nil {
			t.Fatal(err)
		}
		run := func() *play.Result {
			result, err := play.Run(s.PlanOf(s.Subjects[0], 7), play.RunOptions{})
			if err != nil {
				t.Fatal(err)
			}
			return result
		}
		set := run()
		s.Faults = s.Faults[:1]
		if reflect.DeepEqual(set.History.Leases, run().History.Leases) {
			return
		}
		mattered[who+" "+string(clock)]++
		for _, a := range set.Verdict.Ledger {
			if a.ID == checker.AssumptionStep && a.Kept {
				t.Errorf("%s at %s changed a lease, and A-STEP is kept", step, at)
			}
		}
	})
	if len(mattered) == 0 {
		t.Errorf("steps mattered only for %v", mattered)
	}
}
