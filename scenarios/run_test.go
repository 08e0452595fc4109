package scenarios_test

import (
	"testing"

	"redlocklab/scenarios"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
)

// TestSuiteOnce plays every row twice. With -short it plays one row of each scenario:
// the race detector's own memory of stacks does not survive many more runs in one process.
func TestSuiteOnce(t *testing.T) {
	suite, err := scenarios.Suite()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range suite {
		for i, subject := range s.Subjects {
			if testing.Short() && i != len(s.Name)%len(s.Subjects) {
				continue
			}
			t.Run(s.Name+"/"+subject.Title(), func(t *testing.T) {
				plan, err := s.Plan(subject.Title(), 7)
				if err != nil {
					t.Fatal(err)
				}
				result, err := play.Run(plan, play.RunOptions{})
				if err != nil {
					t.Fatal(err)
				}
				t.Log(result.Outcome, result.End, len(result.Events), result.TraceHash)
				t.Log(result.Verdict.Summary())
				t.Log(result.Fired)
				again, err := play.Run(plan, play.RunOptions{})
				if err != nil {
					t.Fatal(err)
				}
				if result.TraceHash != again.TraceHash {
					t.Errorf("two runs of one plan: %s, %s", result.TraceHash, again.TraceHash)
					for i := range result.Events {
						if i < len(again.Events) && result.Events[i] != again.Events[i] {
							t.Fatalf("first difference:\n%s\n%s", result.Events[i].AppendJSON(nil), again.Events[i].AppendJSON(nil))
						}
					}
				}
			})
		}
	}
}

// named finds a scenario of the suite.
func named(t *testing.T, name string) *plan.Scenario {
	t.Helper()
	suite, err := scenarios.Suite()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range suite {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("the suite has no %s", name)
	return nil
}
