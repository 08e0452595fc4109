package plan

import (
	"testing"
	"time"

	"redlocklab/checker"
	"redlocklab/faults"
	"redlocklab/sim"
)

func init() {
	DeclareSubject(SubjectDeclaration{Name: "SY-0", Alias: "textbook", Options: []OptionDeclaration{
		{Name: "clock", Values: []string{"boottime", "monotonic", "wall"}},
		{Name: "token", Values: []string{"unique", "shared"}},
		{Name: "extensions", Values: []string{"unbounded", "bounded"}},
	}})
	DeclareSubject(SubjectDeclaration{Name: "SY-11-redsync", Alias: "redsync"})
	DeclareSubject(SubjectDeclaration{
		Name: "SY-9", Alias: "redlock-php", Options: []OptionDeclaration{{Name: "quorum", Values: []string{"written", "integer"}}},
		Variants: []Variant{{Label: "as-written"}, {Label: "integer", Options: []Option{{"quorum", "integer"}}}},
	})
	DeclareSubject(SubjectDeclaration{Name: "SY-11-redislock", Alias: "redislock"})
	DeclareSubject(SubjectDeclaration{Name: "canary", Planted: true})
}

// goodScenario is a scenario without errors; tests change one thing.
func goodScenario() *Scenario {
	expect := map[checker.Oracle]checker.Status{}
	for _, oracle := range checker.Oracles() {
		expect[oracle] = checker.Holds
	}
	expect[checker.OracleOverlap] = checker.Violated
	return &Scenario{
		Name: "BA-2", Claim: "BA-2", Title: "A title",
		Nodes:   Nodes{Count: 5, Persistence: sim.NoPersistence},
		Network: Network{Latency: Span{Low: time.Millisecond, High: 4 * time.Millisecond}, Links: []Link{{From: "A", To: "n3", Latency: Span{Low: time.Millisecond, High: time.Millisecond}}}},
		Lock: Lock{
			TTL: 10 * time.Second, RateErrorPPM: 4500, NodeTimeout: 50 * time.Millisecond, Fencing: FencingIdeal,
			Retry: Retry{Delay: Span{Low: 50 * time.Millisecond, High: 150 * time.Millisecond}},
		},
		Clients: []Client{
			{Name: "A", Steps: []Step{
				{Kind: StepLock, Resource: "r"}, {Kind: StepHold, Duration: span(time.Second)},
				{Kind: StepWrite, Resource: "r"}, {Kind: StepRelease, Resource: "r"},
			}},
			{Name: "B", Nodes: []string{"n1", "n2", "n3"}, Steps: []Step{
				{Kind: StepWait, Duration: span(time.Second)},
				{Kind: StepRepeat, Times: 2, Steps: []Step{{Kind: StepTryLock, Resource: "r"}, {Kind: StepRelease, Resource: "r"}}},
				{Kind: StepCrash},
			}},
			{Name: "B-2", Follows: "B", Steps: []Step{{Kind: StepCrash}}},
		},
		Faults: faults.Schedule{{
			Name: "n3 forgets", Effect: &faults.Crash{Nodes: []string{"n3"}, How: sim.ProcessCrash, TimedBy: faults.TrueTime},
			Begin: faults.Trigger{When: faults.Pattern{Subject: "A", Word: "acquired"}},
		}},
		Seeds: Seeds{First: 1, Last: 20},
		Subjects: []Subject{
			{
				Name: "SY-0", Expect: expect, Broken: []string{checker.AssumptionVote}, Runs: RunsSome,
				Options: []Option{{"clock", "wall"}},
			},
			{
				Name: "SY-0", Label: "shared", Expect: expect, Broken: []string{checker.AssumptionVote}, Runs: RunsAll,
				Options: []Option{{"token", "shared"}},
			},
		},
		Liveness: []Goal{{
			Claim: "LV-1", Client: AnyClient, Except: "B", Does: "acquire", Resource: "r",
			From: faults.Trigger{At: time.Second}, Within: Bound{Text: "ttl + 2*round"},
			Needs: []string{checker.AssumptionHeal},
		}},
		Bounds: Bounds{Virtual: time.Minute, Events: 1000},
	}
}

func span(d time.Duration) Span { return Span{Low: d, High: d} }

func goodPlan(t *testing.T) *Plan {
	t.Helper()
	s := goodScenario()
	if problems := s.EvaluateBounds(); len(problems) > 0 {
		t.Fatal(problems)
	}
	p, err := s.Plan("SY-0", 7)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
