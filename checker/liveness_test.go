package checker

import (
	"testing"
)

func TestGoals(t *testing.T) {
	try := func(id, client string, call int64, end *int64, outcome Outcome) Operation {
		return Operation{
			ID: id, Client: client, Action: ActionAcquire, Resource: "r",
			Lease: map[bool]string{true: client + "#1"}[outcome == OutcomeOK], CallNS: call, ReturnNS: end,
			Outcome: outcome,
		}
	}
	some := Goal{ID: "g", Bound: "b", Form: GoalSome, Action: ActionAcquire, Except: "A", FromNS: 100, WithinNS: 400}
	each := Goal{ID: "g", Bound: "b", Form: GoalEachReturns, Action: ActionAcquire, WithinNS: 400}
	succeeds := each
	succeeds.Form = GoalEachSucceeds
	fails := each
	fails.Form = GoalEachFails
	beyond := some
	beyond.WithinNS = 901
	atEnd := some
	atEnd.WithinNS = 900
	cases := []struct {
		name      string
		goal      Goal
		operation Operation
		want      Status
	}{
		{"at the deadline", some, try("1", "B", 50, At(500), OutcomeOK), Holds},
		{"one after the deadline", some, try("1", "B", 50, At(501), OutcomeOK), Violated},
		{"served before, and nobody asks again", some, try("1", "B", 50, At(99), OutcomeOK), Holds},
		{"refused before, and nobody asks again", some, try("1", "B", 50, At(99), OutcomeFail), Inconclusive},
		{"refused at the start", some, try("1", "B", 50, At(100), OutcomeFail), Violated},
		{"asked after the deadline, and served", some, try("1", "B", 501, At(600), OutcomeOK), Inconclusive},
		{"only the excepted client asks", some, try("1", "A", 50, At(200), OutcomeOK), Inconclusive},
		{"asked just before the deadline", some, try("1", "B", 499, At(600), OutcomeFail), Violated},
		{"asked at the deadline", some, try("1", "B", 500, At(600), OutcomeFail), Inconclusive},
		{"asked before, and never answered", some, try("1", "B", 50, nil, OutcomeUnknown), Violated},
		{"only a refusal", some, try("1", "B", 50, At(200), OutcomeFail), Violated},
		{"deadline beyond the run", beyond, try("1", "B", 50, At(200), OutcomeFail), Inconclusive},
		{"deadline at the end of the run", atEnd, try("1", "B", 50, At(200), OutcomeFail), Violated},
		{"deadline beyond the run, met", beyond, try("1", "B", 50, At(200), OutcomeOK), Holds},
		{"each in time, refused", each, try("1", "B", 50, At(450), OutcomeFail), Holds},
		{"each too late", each, try("1", "B", 50, At(451), OutcomeFail), Violated},
		{"each never", each, try("1", "B", 50, nil, OutcomeUnknown), Violated},
		{"each still open at the end", each, try("1", "B", 700, nil, OutcomeUnknown), Inconclusive},
		{"each must succeed", succeeds, try("1", "B", 50, At(60), OutcomeFail), Violated},
		{"each must fail, and does", fails, try("1", "B", 50, At(60), OutcomeFail), Holds},
		{"each must fail, one succeeds", fails, try("1", "B", 50, At(60), OutcomeOK), Violated},
		{"each must fail, too late", fails, try("1", "B", 50, At(451), OutcomeFail), Violated},
		{"each must fail, nobody knows", fails, try("1", "B", 50, At(60), OutcomeUnknown), Violated},
		{"nothing to judge", Goal{ID: "g", Bound: "b", Form: GoalEachReturns, Action: ActionExtend}, try("1", "B", 50, At(60), OutcomeFail), Inconclusive},
	}
	for _, test := range cases {
		history := &History{Header: headerFor(1000), Operations: []Operation{test.operation}, Goals: []Goal{test.goal}}
		if test.operation.Lease != "" {
			history.Leases = []Lease{held(test.operation.Lease, *test.operation.ReturnNS, *test.operation.ReturnNS+5)}
		}
		verdict := Judge(history, Options{})
		if verdict.Liveness.Status != test.want {
			t.Errorf("%s: want %s\n%s", test.name, test.want, verdict.Summary())
		}
	}
}

// A client that was served before the goal's window and asks no more is owed nothing. A call of
// its own that hangs may be what keeps it from asking: nobody knows.
func TestNobodyWantsIt(t *testing.T) {
	goal := Goal{ID: "g", Bound: "b", Form: GoalSome, Action: ActionAcquire, Client: "B", FromNS: 100, WithinNS: 400}
	served := acquire("a", "B#1", 10, 20)
	for _, test := range []struct {
		name    string
		release Operation
		want    Status
	}{
		{"it gave back", release("c", "B#1", 30, 40), Holds},
		{"its release hangs", Operation{
			ID: "c", Client: "B", Action: ActionRelease, Resource: "r", Lease: "B#1", CallNS: 30, Outcome: OutcomeUnknown,
		}, Inconclusive},
		{"its release took longer than the window", release("c", "B#1", 30, 501), Inconclusive},
	} {
		history := &History{
			Header: headerFor(1000), Operations: []Operation{served, test.release},
			Leases: []Lease{held("B#1", 20, 90)}, Goals: []Goal{goal},
		}
		history.Leases[0].ReleasedNS = At(30)
		if verdict := Judge(history, Options{}); verdict.Liveness.Status != test.want || len(verdict.Problems) > 0 {
			t.Errorf("%s: want %s\n%s", test.name, test.want, verdict.Summary())
		}
	}
}

// The reason says whether the deadline or the event that starts the goal was missing.
func TestReasonsOfInconclusiveGoals(t *testing.T) {
	for from, want := range map[int64]string{
		100:  "g: the run ended t=1µs, before the deadline t=1.1µs; a run that goes on for 100ns more, or a bound of at most 900ns, would decide it",
		1000: "g: the run ended t=1µs, before the event that starts the goal",
	} {
		goal := Goal{ID: "g", Bound: "b", Form: GoalSome, Action: ActionAcquire, FromNS: from, WithinNS: 1000}
		verdict := Judge(&History{Header: headerFor(1000), Goals: []Goal{goal}}, Options{})
		if verdict.Liveness.Status != Inconclusive || verdict.Liveness.Reason != want {
			t.Errorf("from %d: %s: %q, want %q", from, verdict.Liveness.Status, verdict.Liveness.Reason, want)
		}
	}
}

func TestNeverSent(t *testing.T) {
	goal := Goal{ID: "g", Bound: "b", Form: GoalNeverSent, Client: "A", Action: ActionExtend, FromNS: 100, WithinNS: 400}
	longer := goal
	longer.WithinNS = 901
	sent := func(client string, asked Action, at int64) NodeEvent {
		return NodeEvent{
			Node: "n1", Client: client, Resource: "r", What: NodeRefuse, Asked: asked, SentNS: At(at), AtNS: at + 10,
		}
	}
	earlier := sent("A", ActionExtend, 50)
	cases := []struct {
		name   string
		goal   Goal
		events []NodeEvent
		want   Status
	}{
		{"sent just before, executed after", goal, []NodeEvent{sent("A", ActionExtend, 99)}, Holds},
		{"sent at the first instant", goal, []NodeEvent{earlier, sent("A", ActionExtend, 100)}, Violated},
		{"sent at the last instant", goal, []NodeEvent{earlier, sent("A", ActionExtend, 500)}, Violated},
		{"sent after it", goal, []NodeEvent{earlier, sent("A", ActionExtend, 501)}, Holds},
		{"another command", goal, []NodeEvent{earlier, sent("A", ActionRelease, 200)}, Holds},
		{"another client", goal, []NodeEvent{earlier, sent("B", ActionExtend, 200)}, Holds},
		{"never any such command", goal, []NodeEvent{sent("A", ActionRelease, 200)}, Inconclusive},
		{"the run is too short", longer, []NodeEvent{earlier}, Inconclusive},
	}
	for _, test := range cases {
		verdict := Judge(&History{
			Header: headerFor(1000), NodeEvents: test.events, Goals: []Goal{test.goal},
		}, Options{})
		if verdict.Liveness.Status != test.want {
			t.Errorf("%s: want %s\n%s", test.name, test.want, verdict.Summary())
		}
	}
}

// What a goal demands is a sentence.
func TestDemands(t *testing.T) {
	for _, test := range []struct {
		goal Goal
		want string
	}{
		{Goal{Form: GoalSome, Client: "B", Action: ActionAcquire, Bound: "200ns = 200ns", FromNS: 100}, "B should have had the lock within 200ns of t=100ns"},
		{Goal{Form: GoalSome, Except: "A", Action: ActionAcquire, Bound: "2*ttl = 400ns"}, "somebody but A should have had the lock within 2*ttl = 400ns of t=0s"},
		{Goal{Form: GoalSome, Action: ActionRelease, Bound: "b"}, "somebody should have given the lock back within b of t=0s"},
		{Goal{Form: GoalSome, Action: ActionDecrement, Bound: "b"}, "somebody should have done one decrement within b of t=0s"},
		{Goal{Form: GoalEachFails, Client: "A", Action: ActionExtend, Bound: "b"}, "each extend by A should have failed within b of its call"},
		{Goal{Form: GoalNeverSent, Client: "A", Action: ActionExtend, Bound: "b", FromNS: 100}, "A should have sent no command to extend from t=100ns on, for b"},
	} {
		if got := demand(&test.goal); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}
