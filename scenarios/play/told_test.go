package play_test

import (
	"testing"

	"redlocklab/checker"
)

// TestToldThatItIsLost: a holder whose clock was set back believes in its lease until an
// extension tells it otherwise, whatever its clock shows by then.
func TestToldThatItIsLost(t *testing.T) {
	result := playText(t, `claim: BA-1
title: told
story: told
lock: { ttl: 2s, node_timeout: 50ms, retry: { delay: 50ms..100ms } }
clients:
  A: [ { lock: r }, { hold: 1s }, { extend: r }, { hold: 100ms } ]
  B: [ { wait: 600ms }, { lock: r }, { hold: 1s }, { release: r } ]
faults:
  - { name: back, client_clock_step: A, clock: boottime, by: -5s, when: A acquired, after: 100ms }
  - { name: operator, operator_flush: majority, when: A acquired, after: 200ms }
seeds: 1
subjects: { SY-0: { expect: any } }
`)
	var extended *checker.Operation
	for i := range result.History.Operations {
		if o := &result.History.Operations[i]; o.Client == "A" && o.Action == checker.ActionExtend {
			extended = o
		}
	}
	if extended == nil || extended.Outcome != checker.OutcomeFail {
		t.Fatalf("A's extension: %+v", extended)
	}
	if last := result.History.Leases[0].Validity[0].UntilNS; last != *extended.ReturnNS {
		t.Errorf("A believes until %d, and was told at %d", last, *extended.ReturnNS)
	}
	if result.Verdict.Overlap.Status != checker.Violated {
		t.Errorf("both held: %s", result.Verdict.Overlap.Status)
	}
}
