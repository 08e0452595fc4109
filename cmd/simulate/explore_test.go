package main

import (
	"strings"
	"testing"

	"redlocklab/checker"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/search"
)

// TestExplorationCode: a violation that is the lock's own bug fails an exploration,
// whatever else broke; it is a finding of its own.
func TestExplorationCode(t *testing.T) {
	overlap := []checker.Oracle{checker.OracleOverlap}
	for _, test := range []struct {
		name             string
		outcome          search.Outcome
		found, expecting int // exit codes: as it is, and with --expect violated
	}{
		{"nothing", search.Outcome{Finished: true}, exitExpected, exitSafety},
		{"nothing broken", search.Outcome{Finished: true, Violated: overlap, Unexplained: overlap}, exitSafety, exitSafety},
		{"explained", search.Outcome{Finished: true, Violated: overlap, Broken: []string{"A-VOTE"}}, exitExpected, exitExpected},
		{"broken, and not why", search.Outcome{Finished: true, Violated: overlap, Unexplained: overlap, Broken: []string{"A-WORK"}}, exitSafety, exitExpected},
	} {
		e := &search.Exploration{}
		e.Take(search.Explored{Run: 1, Outcome: test.outcome}, &plan.Plan{})
		for _, f := range e.Findings() {
			if does := strings.HasSuffix(f.Target.String(), "which is not its cause"); does != (len(test.outcome.Broken) > 0 && len(test.outcome.Unexplained) > 0) {
				t.Errorf("%s is told as %s", test.name, f.Target)
			}
		}
		if code := explorationCode(e, false, true, 0); code != test.found {
			t.Errorf("%s: exit %d, want %d", test.name, code, test.found)
		}
		if code := explorationCode(e, true, true, 0); code != test.expecting {
			t.Errorf("%s with --expect violated: exit %d, want %d", test.name, code, test.expecting)
		}
	}
}
