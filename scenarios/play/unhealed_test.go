package play_test

import (
	"fmt"
	"slices"
	"testing"

	"redlocklab/checker"
)

// TestUnhealed: what keeps the only contender from a majority for the whole run
// excuses that it never wins, whatever else happens beside it.
func TestUnhealed(t *testing.T) {
	for name, test := range map[string]struct{ clients, faults string }{
		"two refusals of one kind, and one ends early": {"", `
  - { name: long, refuse: [n1, n2, n3], as: read-only, at: 0s }
  - { name: short, refuse: [n1, n2, n3], as: read-only, at: 1ms, for: 10ms }`},
		"a client that is dead could reach all": {"  B: [ { wait: 100s } ]\n", `
  - { name: dead, client_crash: B, at: 0s }
  - { name: cut, partition: A, from: all, at: 1ms }`},
	} {
		result := playText(t, fmt.Sprintf(`claim: LV-7
title: unhealed
story: unhealed
lock: { ttl: 2s, node_timeout: 50ms, retry: { delay: 400ms..800ms, tries: 20 } }
clients:
  A: [ { lock: r }, { hold: 50ms }, { release: r } ]
%sfaults:%s
seeds: 1
subjects: { SY-0: { expect: { liveness: violated }, broken: [A-HEAL], runs: all } }
liveness: [ { claim: LV-7, client: any, does: acquire, within: 10s, heal: 4*round, needs: [A-HEAL] } ]
`, test.clients, test.faults))
		liveness := result.Verdict.Liveness
		if liveness.Status != checker.Violated ||
			!slices.Equal(liveness.ExplainedBy, []string{checker.AssumptionHeal}) {
			t.Errorf("%s: liveness %s, explained by %v", name, liveness.Status, liveness.ExplainedBy)
		}
	}
}
