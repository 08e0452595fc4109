package search_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios"
	"redlocklab/scenarios/matrix"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/search"
)

// TestShrink makes a violation small that was found among many faults, and
// judges the certificate by playing again without each fault.
func TestShrink(t *testing.T) {
	for _, id := range []string{checker.AssumptionStep, checker.AssumptionVote, checker.AssumptionOwner} {
		t.Run(id, func(t *testing.T) {
			plan, target := violation(t, search.Trial{Subject: "SY-0", Break: []string{id}}, 2)
			before := encoded(t, plan)
			minimal, err := search.Shrink(plan, target, playOnce)
			if err != nil {
				t.Fatal(err)
			}
			small := minimal.Plan
			if !slices.Equal(before, encoded(t, plan)) {
				t.Error("the plan that was given is changed")
			}
			if run := played(t, small); !target.Met(run) {
				t.Errorf("the small plan shows %+v, not %+v", run, target)
			}
			if len(minimal.Certificate.Without) != len(small.Faults) || len(small.Faults) == 0 {
				t.Errorf("%d faults, %d of them certified", len(small.Faults), len(minimal.Certificate.Without))
			}
			for i, removal := range minimal.Certificate.Without {
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
	plan, target := violation(t, search.Trial{Subject: "SY-0", Break: []string{checker.AssumptionStep}}, 1)
	target.Broken = []string{checker.AssumptionVote}
	_, err := search.Shrink(plan, target, playOnce)
	if !errors.Is(err, search.ErrNotShown) {
		t.Errorf("a plan that breaks %s was shrunk to one that breaks %s: %v", checker.AssumptionStep, checker.AssumptionVote, err)
	}
}

// TestShrinkSteps makes plans of the suite's files small, whose steps stand
// outside of repetitions, in one for a time, and in one inside of another.
func TestShrinkSteps(t *testing.T) {
	for _, c := range []struct {
		scenario, subject string
		nested            bool
		steps             int // at most, in the end
	}{
		{"BA-2", "SY-0", false, 3},
		{"MX-1-flapping", "SY-0", false, 6},
		{"MX-1", "SY-0", true, 6},
	} {
		t.Run(c.scenario, func(t *testing.T) {
			p := suitePlan(t, c.scenario, c.subject)
			if c.scenario != "BA-2" {
				p.Subject.Options = append(p.Subject.Options, plan.Option{Name: "bug", Value: "one-vote"})
			}
			if c.nested {
				for i := range p.Clients {
					inner := plan.Step{Kind: plan.StepRepeat, For: time.Second, Steps: p.Clients[i].Steps}
					p.Clients[i].Steps = []plan.Step{{Kind: plan.StepRepeat, Times: 3, Steps: []plan.Step{inner}}}
				}
			}
			run := played(t, p)
			target, violated := search.Worst(run.Answers.Violated(), run.Broken)
			if !violated {
				t.Fatalf("nothing is violated: %+v", run)
			}
			minimal, err := search.Shrink(p, target, playOnce)
			if err != nil {
				t.Fatal(err)
			}
			small := minimal.Plan
			if _, _, steps := search.Size(small); steps > c.steps {
				t.Errorf("%d steps are left, wanted at most %d: %+v", steps, c.steps, small.Clients)
			}
			again := played(t, small)
			for oracle, expected := range small.Subject.Expect {
				if (expected == checker.Violated) != slices.Contains(again.Answers.Violated(), oracle) {
					t.Errorf("the small plan expects of %s that it %s, and shows %v", oracle, expected, again.Answers.Violated())
				}
			}
		})
	}
}

// TestShrinkLeavesWhatIsOwed: what is left of a demand that a lock did not meet is
// one that another lock meets.
func TestShrinkLeavesWhatIsOwed(t *testing.T) {
	for scenario, subject := range map[string]string{
		"MX-11-lost": "SY-1",            // without A's release B waits for a TTL whatever the lock does
		"MX-8-late":  "SY-11-redislock", // without the delay an extension may well succeed
		"MX-10-lost": "SY-8",            // nobody's steps ask for the renewals that must not be sent
	} {
		t.Run(scenario, func(t *testing.T) {
			p := suitePlan(t, scenario, subject)
			minimal, err := search.Shrink(p, search.Target{Oracle: checker.OracleLiveness}, playOnce)
			if err != nil {
				t.Fatal(err)
			}
			small := minimal.Plan
			_, _, before := search.Size(p)
			if _, _, steps := search.Size(small); steps >= before || len(small.Faults) == 0 ||
				len(minimal.Certificate.Without) != len(small.Faults) {
				t.Errorf("%d steps and %d faults are left, %d of them certified", steps, len(small.Faults), len(minimal.Certificate.Without))
			}
			small.Subject = plan.Subject{Name: "SY-10"}
			if run := played(t, small); len(run.Answers.Violated()) > 0 {
				t.Errorf("package redlock in the small plan: %+v", run)
			}
		})
	}
}

// suitePlan is the plan of a file of the suite with a system, for seed 1.
func suitePlan(t *testing.T, scenario, subject string) *plan.Plan {
	t.Helper()
	suite, err := scenarios.Suite()
	if err != nil {
		t.Fatal(err)
	}
	for _, cell := range matrix.Cells(suite) {
		if cell.Scenario.Name == scenario && cell.Subject.Title() == subject {
			plan, err := cell.Scenario.Plan(subject, 1)
			if err != nil {
				t.Fatal(err)
			}
			return plan
		}
	}
	t.Fatalf("the suite has no %s with %s", scenario, subject)
	return nil
}

// violation finds the first run in which two clients believed at once, with at
// least so many faults.
func violation(t *testing.T, o search.Trial, faults int) (*plan.Plan, search.Target) {
	t.Helper()
	for seed := range uint64(300) {
		p := drawn(t, seed, o)
		if len(p.Faults) < faults {
			continue
		}
		if run := played(t, p); slices.Contains(run.Answers.Violated(), checker.OracleOverlap) {
			return p, search.Target{Oracle: checker.OracleOverlap, Broken: run.Broken}
		}
	}
	t.Fatal("no violation in 300 runs")
	return nil, search.Target{}
}
