package scenarios

import (
	"strings"
	"testing"

	"redlocklab/faults"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// TestProbe: a lock on one node that does not say so is told; one whose leases report nothing
// is read in true time.
func TestProbe(t *testing.T) {
	s, err := newSuiteTest(Candidate{New: newQuiet}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.probe(); err == nil || !strings.Contains(err.Error(), "from one node of 5") {
		t.Errorf("got %v", err)
	}
	s.candidate.Abilities = plan.Abilities{OneNode: true}
	if err := s.probe(); err != nil || s.candidate.Clock != sim.True || len(s.hints) > 0 {
		t.Errorf("got %v; clock %q, hints %q", err, s.candidate.Clock, s.hints)
	}
}

// TestNeverSent: a fault that waits for a command which the lock never sends is named.
func TestNeverSent(t *testing.T) {
	r := missed("LV-1", "some")
	r.Plan.Faults = []faults.Fault{
		{Name: "C is killed", Begin: faults.Trigger{When: faults.Pattern{Subject: "n1", Word: "executed", Command: "SET", Peer: "C"}}},
	}
	if said := neverSent(r); !strings.Contains(said, `"C is killed" waited for`) {
		t.Errorf("said %q", said)
	}
	r.Events = append(r.Events, sim.Event{Kind: sim.Send, Process: "C", Command: "SET"})
	if said := neverSent(r); said != "" {
		t.Errorf("said %q", said)
	}
}
