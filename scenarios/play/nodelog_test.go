package play_test

import (
	"slices"
	"testing"

	"redlocklab/checker"
)

// TestSharedTokenNamesTheLatestLease: where all leases of a client have one token, a command
// on a key belongs to the lease that was asked for last when it was sent.
func TestSharedTokenNamesTheLatestLease(t *testing.T) {
	result := playText(t, `claim: LV-1
title: one token
story: one token
lock: { ttl: 1s }
clients:
  A: [ { lock: r }, { release: r }, { wait: 1s }, { lock: r }, { release: r }, { wait: 1s } ]
  B: [ { wait: 1s } ]
seeds: 1
subjects: { SY-0: { expect: { overlap: holds }, broken: [A-TOKEN], runs: all, options: { token: shared } } }
`)
	var leases []string
	for _, e := range result.History.NodeEvents {
		if e.Client == "A" && (e.What == checker.NodeSet || e.What == checker.NodeDelete) &&
			!slices.Contains(leases, e.Lease) {
			leases = append(leases, e.Lease)
		}
	}
	if len(result.History.Leases) != 2 || !slices.Equal(leases, []string{"A#1", "A#2"}) {
		t.Errorf("%d leases; commands belong to %v, want A#1 and then A#2", len(result.History.Leases), leases)
	}
}
