package play_test

import (
	"fmt"
	"testing"

	"redlocklab/sim"
)

// TestValuesWithMetadata: a value that is more than the token belongs to the lease with that
// token. So the lock is accused of what it is accused of without metadata, and of no more.
func TestValuesWithMetadata(t *testing.T) {
	for name, bugs := range map[string]string{
		"MX-1": "[]", "MX-5": "[]", "MX-5-release": "[]", "BA-11-take": "[]", "LV-11-lost": "[]",
		"MX-5-tokens": "[overlap linearizability]", "MX-11-lost": "[liveness]",
	} {
		r := playSuite(t, name, "SY-11-redislock metadata", 1)
		if got := fmt.Sprint(r.Verdict.Answers().Bugs()); got != bugs {
			t.Errorf("%s: accused of %s, want %s: %s", name, got, bugs, r.Verdict.Summary())
		}
		values := map[string]string{}
		var reader sim.Reader
		for step := range reader.Steps(r.Events) {
			if step.Event.Kind == sim.Acquired {
				values[step.Lease.ID] = step.Lease.Value
			}
		}
		for _, l := range r.History.Leases {
			if l.Token == "" || values[l.ID] == "" || l.Token == values[l.ID] {
				t.Errorf("%s: lease %s has the token %q, its keys %q", name, l.ID, l.Token, values[l.ID])
			}
		}
		if len(r.History.Leases) == 0 {
			t.Errorf("%s: no lease", name)
		}
	}
}
