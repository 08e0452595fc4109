package conform

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"redlocklab/scenarios"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/sim"
	"redlocklab/tla"
)

// requireTLC skips loudly where Java or the jar is absent, and fails in CI.
func requireTLC(t *testing.T) {
	t.Helper()
	_, err := tla.FindToolchain("")
	switch {
	case err != nil && os.Getenv("CI") == "true":
		t.Fatalf("CI must have TLC: %v", err)
	case err != nil:
		t.Skip("NOT CHECKED: ", err)
	}
}

func some(t *testing.T, names ...string) []*plan.Scenario {
	t.Helper()
	suite, err := scenarios.Suite()
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(suite, func(s *plan.Scenario) bool { return !slices.Contains(names, s.Name) })
}

// Traces are explained, and each change that fits one is rejected.
func TestCheck(t *testing.T) {
	requireTLC(t)
	report, err := Check(context.Background(), Options{Scenarios: some(t, "BA-2", "LV-2", "BA-1", "BA-10-delete", "MX-9-set", "SY-10"), First: 1, Last: 1})
	if err != nil {
		t.Fatal(err)
	}
	if report.Rejected() > 0 || report.Failed() > 0 {
		t.Errorf("problems:\n%s", strings.Join(report.Problems(), "\n"))
	}
	if missed := report.Missed(); len(missed) > 0 {
		t.Errorf("changes that the sample does not show to be rejected: %s", strings.Join(missed, ", "))
	}
	// What this sample lacks, the whole suite has: simulate conform says so.
	for _, action := range []string{"Decide", "LateSetExecutes", "ExtendDecide", "Expire", "Crash", "ClockSteps", "KeyRemoved"} {
		if report.Actions[action] == 0 {
			t.Errorf("%s was never seen", action)
		}
	}
}

// A lock that does not follow the specification is found out: here its traces
// say so, because somebody removed what they began with.
func TestCheckRejects(t *testing.T) {
	requireTLC(t)
	c := newCollection()
	for _, s := range some(t, "MX-4") {
		for _, subject := range s.Subjects {
			row := c.newRow(s.Name, subject.Title())
			for seed := uint64(1); seed <= 2; seed++ {
				result, err := play.Run(planOf(t, s.Name, row.Subject, seed), play.RunOptions{})
				if err != nil {
					t.Fatal(err)
				}
				if seed == 2 {
					i := slices.IndexFunc(result.Events, func(e sim.Event) bool { return e.Kind == sim.Execute && e.Command == "SET" })
					result.Events = slices.Delete(result.Events, i, i+1)
				}
				if err := c.add(row, result); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if err := c.ask(t.Context(), Options{}); err != nil {
		t.Fatal(err)
	}
	for _, row := range c.report.Rows {
		if len(row.Rejected) != 1 || row.Rejected[0].Seed != 2 || row.Rejected[0].What.Kind == "" {
			t.Errorf("%s %s: %+v", row.Scenario, row.Subject, row.Rejected)
		}
	}
}

func TestCheckIsCutShort(t *testing.T) {
	requireTLC(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Check(ctx, Options{Scenarios: some(t, "MX-4"), First: 1, Last: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// A change that fits no trace is not taken for one that was rejected.
func TestMissedChanges(t *testing.T) {
	report := Report{Mutations: []*MutationRow{{Traces: 0}, {Traces: 2, Rejected: 2}, {Traces: 2, Rejected: 1, Failed: []string{"x"}}}}
	if missed := report.Missed(); len(missed) != 2 || report.Failed() != 1 {
		t.Errorf("missed %q, %d failed", missed, report.Failed())
	}
}
