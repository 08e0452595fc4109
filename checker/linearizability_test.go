package checker

import (
	"slices"
	"strings"
	"testing"
)

// What the lock model must catch and what it must not.
func TestLockModel(t *testing.T) {
	confirming := headerFor(1000)
	for i := range confirming.Clients {
		confirming.Clients[i].ReleaseConfirms = true
	}
	cases := []struct {
		name    string
		history History
		want    Status
	}{
		{"one after the other", History{Operations: []Operation{acquire("1", "A#1", 0, 10), acquire("2", "B#1", 5, 60)}, Leases: []Lease{held("A#1", 10, 60), held("B#1", 60, 90)}}, Holds},
		{"the end is one too late", History{Operations: []Operation{acquire("1", "A#1", 0, 10), acquire("2", "B#1", 5, 60)}, Leases: []Lease{held("A#1", 10, 61), held("B#1", 60, 90)}}, Violated},
		{"released early", History{Leases: []Lease{released(held("A#1", 10, 100), 50), held("B#1", 55, 90)}}, Holds},
		{"taken before the call of release", History{Leases: []Lease{released(held("A#1", 10, 100), 50), held("B#1", 45, 90)}}, Violated},
		{"extended in time", History{Operations: []Operation{extend("1", "A#1", 30, 40)}, Leases: []Lease{held("A#1", 10, 50, 40, 80), held("B#1", 80, 90)}}, Holds},
		{"taken although extended", History{Operations: []Operation{extend("1", "A#1", 30, 40)}, Leases: []Lease{held("A#1", 10, 50, 40, 80), held("B#1", 60, 90)}}, Violated},
		{"extended late, nobody came between", History{Operations: []Operation{extend("1", "A#1", 30, 60)}, Leases: []Lease{held("A#1", 10, 50, 60, 80), held("B#1", 85, 90)}}, Holds},
		{"revived after another held in between", History{Operations: []Operation{extend("1", "A#1", 56, 60)}, Leases: []Lease{held("A#1", 10, 50, 60, 80), released(held("B#1", 52, 55), 54)}}, Violated},
		{"validity over at the return", History{Leases: []Lease{held("A#1", 10, 5), held("B#1", 11, 90)}}, Holds},
		{"validity over at the return, taken before", History{Operations: []Operation{acquire("1", "A#1", 0, 10)}, Leases: []Lease{held("A#1", 10, 5), held("B#1", 3, 90)}}, Holds},
		{"release of a lapsed lease says done", History{Operations: []Operation{release("1", "A#1", 70, 75)}, Leases: []Lease{released(held("A#1", 10, 50), 70), held("B#1", 60, 90)}}, Holds},
		{"release of a lapsed lease claims ownership", History{Header: confirming, Operations: []Operation{release("1", "A#1", 70, 75)}, Leases: []Lease{released(held("A#1", 10, 50), 70), held("B#1", 60, 90)}}, Violated},
	}
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			if test.history.Header.Version == 0 {
				test.history.Header = headerFor(1000)
			}
			verdict := Judge(&test.history, Options{})
			if verdict.Linearizability.Status != test.want {
				t.Fatalf("want %s\n%s", test.want, verdict.Summary())
			}
		})
	}
}

// An outcome that the client never learned is taken from the resource's log
// where there is one: accepted and it counts, absent and it does not.
func TestUnknownOutcomesAreResolvedFromTheLog(t *testing.T) {
	unknown := Operation{
		ID: "a1", Client: "A", Action: ActionWrite, Resource: "r", Register: RegisterUnfenced, CallNS: 10,
		Outcome: OutcomeUnknown, Value: At(7),
	}
	read := func(result int64) Operation {
		return Operation{
			ID: "b1", Client: "B", Action: ActionRead, Resource: "r", Register: RegisterUnfenced, CallNS: 100,
			ReturnNS: At(110), Outcome: OutcomeOK, Result: At(result),
		}
	}
	arrived := Access{
		AtNS: 50, SentNS: 10, Operation: "a1", Client: "A", Resource: "r", Register: RegisterUnfenced,
		Action: ActionWrite, Value: At(7), Accepted: true,
	}
	readLog := func(result int64) Access {
		return Access{
			AtNS: 105, SentNS: 100, Operation: "b1", Client: "B", Resource: "r", Register: RegisterUnfenced,
			Action: ActionRead, Result: At(result), Accepted: true,
		}
	}
	refused := arrived
	refused.Accepted = false
	cases := []struct {
		name string
		log  []Access
		read int64
		want Status
	}{
		{"refused, not seen", []Access{refused, readLog(0)}, 0, Holds},
		{"refused, seen", []Access{refused, readLog(7)}, 7, Violated},
		{"no log, seen", nil, 7, Holds},
		{"no log, not seen", nil, 0, Holds},
		{"no log, something else", nil, 3, Violated},
		{"arrived, seen", []Access{arrived, readLog(7)}, 7, Holds},
		{"arrived, not seen", []Access{arrived, readLog(0)}, 0, Violated},
		{"never arrived, not seen", []Access{readLog(0)}, 0, Holds},
		{"never arrived, seen", []Access{readLog(7)}, 7, Violated},
	}
	for _, test := range cases {
		history := &History{
			Header: headerFor(1000), Operations: []Operation{unknown, read(test.read)}, Accesses: test.log,
		}
		if verdict := Judge(history, Options{}); verdict.Linearizability.Status != test.want {
			t.Errorf("%s: want %s\n%s", test.name, test.want, verdict.Summary())
		}
	}
}

// A search that meets its bound says so, and is neither green nor red.
func TestBoundsAreInconclusive(t *testing.T) {
	history := &History{Header: headerFor(1000)}
	history.Header.Clients = nil
	for i := range 40 {
		client := "c" + strings.Repeat("'", i)
		history.Header.Clients = append(history.Header.Clients, Client{
			Name: client, Clock: ClockNone, Validity: ValidityReported,
		})
		operation := Operation{
			ID: client, Client: client, Action: ActionWrite, Resource: "r", Register: RegisterUnfenced, CallNS: 1,
			ReturnNS: At(500), Outcome: OutcomeOK, Value: At(int64(i)),
		}
		if i == 0 { // a read of what nobody wrote: every order must be refuted
			operation.Action, operation.Value, operation.Result = ActionRead, nil, At(-1)
		}
		history.Operations = append(history.Operations, operation)
	}
	verdict := Judge(history, Options{SearchSteps: 10_000})
	if verdict.Linearizability.Status != Inconclusive || !strings.Contains(verdict.Linearizability.Reason, "10000 steps") {
		t.Errorf("got %s", verdict.Summary())
	}
	if open := verdict.Answers().Inconclusive(); !slices.Equal(open, []Oracle{OracleLinearizability}) {
		t.Errorf("inconclusive: %v", open)
	}
}

// Whose key a node holds follows from its log alone. Removing or extending the
// key of a believed lease is a violation; cleaning up after a lapsed one, what
// an operator does, and what follows a crash are none.
func TestNodeKeys(t *testing.T) {
	event := func(at int64, client string, what NodeAction) NodeEvent {
		return NodeEvent{Node: "n1", AtNS: at, Client: client, Resource: "r", What: what, Token: "token of " + client}
	}
	set := event(5, "A", NodeSet)
	cases := []struct {
		name   string
		events []NodeEvent
		facts  []Fact
		want   Status
	}{
		{"its own", []NodeEvent{set, event(20, "A", NodeExtend), event(30, "A", NodeDelete)}, nil, Holds},
		{"removed by another", []NodeEvent{set, event(30, "B", NodeDelete)}, nil, Violated},
		{"extended by another", []NodeEvent{set, event(30, "B", NodeExtend)}, nil, Violated},
		{"refused to another", []NodeEvent{set, event(30, "B", NodeRefuse)}, nil, Holds},
		{"removed after it lapsed", []NodeEvent{set, event(50, "B", NodeDelete)}, nil, Holds},
		{"removed before it was believed", []NodeEvent{set, event(9, "B", NodeDelete)}, nil, Holds},
		{"removed by an operator", []NodeEvent{set, event(30, "operator", NodeDelete)}, nil, Holds},
		{"removed twice", []NodeEvent{set, event(20, "A", NodeDelete), event(30, "B", NodeDelete)}, nil, Holds},
		{"another's key after a crash", []NodeEvent{set, event(30, "B", NodeDelete)},
			[]Fact{{Fact: FactForgot, Node: "n1", Key: "r", AtNS: 20, RemainingNS: 30, Cause: CauseCrash}}, Holds},
	}
	for _, test := range cases {
		lease := held("A#1", 10, 50)
		lease.Token = "token of A"
		history := &History{Header: headerFor(1000), Leases: []Lease{lease}, NodeEvents: test.events, Facts: test.facts}
		history.Header.TTLNS = 50
		if verdict := Judge(history, Options{}); verdict.Linearizability.Status != test.want {
			t.Errorf("%s: want %s\n%s", test.name, test.want, verdict.Summary())
		}
	}
}
