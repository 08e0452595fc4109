package search_test

import (
	"errors"
	"slices"
	"testing"

	"redlocklab/checker"
	"redlocklab/scenarios"
	"redlocklab/scenarios/search"
)

// TestShrink makes a violation small that was found among many faults, and
// judges the certificate by playing again without each fault.
func TestShrink(t *testing.T) {
	for _, id := range []string{checker.AssumptionStep, checker.AssumptionVote, checker.AssumptionOwner} {
		t.Run(id, func(t *testing.T) {
			plan, target := violation(t, search.Options{Subject: "SY-0", Break: []string{id}}, 2)
			before := encoded(t, plan)
			small, certificate, err := search.Shrink(plan, target, play)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(before, encoded(t, plan)) {
				t.Error("the plan that was given is changed")
			}
			if outcome := played(t, small); !target.Met(outcome) {
				t.Errorf("the small plan shows %+v, not %+v", outcome, target)
			}
			if len(certificate.Without) != len(small.Faults) || len(small.Faults) == 0 {
				t.Errorf("%d faults, %d of them certified", len(small.Faults), len(certificate.Without))
			}
			for i, removal := range certificate.Without {
				if removal.Fault != small.Faults[i].Name {
					t.Errorf("fault %d is %s, its certificate is about %s", i, small.Faults[i].Name, removal.Fault)
				}
				rest := *small
				rest.Faults = slices.Delete(slices.Clone(small.Faults), i, i+1)
				if removal.Invalid == "" && target.Met(played(t, &rest)) {
					t.Errorf("%s can go", removal.Fault)
				}
			}
			faultsBefore, clientsBefore, stepsBefore := search.Size(plan)
			faults, clients, steps := search.Size(small)
			if faults > faultsBefore || clients > clientsBefore || steps >= stepsBefore || faults > 3 {
				t.Errorf("from %d faults, %d clients, %d steps to %d, %d, %d",
					faultsBefore, clientsBefore, stepsBefore, faults, clients, steps)
			}
		})
	}
}

// TestShrinkKeepsTheBrokenSet: a violation that needs its cause is not traded
// for one that has another.
func TestShrinkKeepsTheBrokenSet(t *testing.T) {
	plan, target := violation(t, search.Options{Subject: "SY-0", Break: []string{checker.AssumptionStep}}, 1)
	target.Broken = []string{checker.AssumptionVote}
	_, _, err := search.Shrink(plan, target, play)
	if !errors.Is(err, search.ErrNotShown) {
		t.Errorf("a plan that breaks %s was shrunk to one that breaks %s: %v", checker.AssumptionStep, checker.AssumptionVote, err)
	}
}

// violation finds the first run in which two clients believed at once, with at
// least so many faults.
func violation(t *testing.T, o search.Options, faults int) (*scenarios.Plan, search.Target) {
	t.Helper()
	for seed := range uint64(300) {
		plan := drawn(t, seed, o)
		if len(plan.Faults) < faults {
			continue
		}
		if outcome := played(t, plan); slices.Contains(outcome.Violated, scenarios.OracleOverlap) {
			return plan, search.Target{Oracle: scenarios.OracleOverlap, Broken: outcome.Broken}
		}
	}
	t.Fatal("no violation in 300 runs")
	return nil, search.Target{}
}
