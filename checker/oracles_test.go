package checker

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func extend(id, lease string, call, end int64) Operation {
	return Operation{ID: id, Client: lease[:1], Action: ActionExtend, Resource: "r", Lease: lease, CallNS: call, ReturnNS: At(end), Outcome: OutcomeOK}
}

func release(id, lease string, call, end int64) Operation {
	return Operation{ID: id, Client: lease[:1], Action: ActionRelease, Resource: "r", Lease: lease, CallNS: call, ReturnNS: At(end), Outcome: OutcomeOK}
}

func acquire(id, lease string, call, end int64) Operation {
	return Operation{ID: id, Client: lease[:1], Action: ActionAcquire, Resource: "r", Lease: lease, CallNS: call, ReturnNS: At(end), Outcome: OutcomeOK}
}

func held(lease string, validity ...int64) Lease {
	result := Lease{ID: lease, Client: lease[:1], Resource: "r"}
	for i := 0; i < len(validity); i += 2 {
		result.Validity = append(result.Validity, Validity{AtNS: validity[i], UntilNS: validity[i+1]})
	}
	return result
}

func (lease Lease) released(at int64) Lease { lease.ReleasedNS = &at; return lease }

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
		{"released early", History{Leases: []Lease{held("A#1", 10, 100).released(50), held("B#1", 55, 90)}}, Holds},
		{"taken before the call of release", History{Leases: []Lease{held("A#1", 10, 100).released(50), held("B#1", 45, 90)}}, Violated},
		{"extended in time", History{Operations: []Operation{extend("1", "A#1", 30, 40)}, Leases: []Lease{held("A#1", 10, 50, 40, 80), held("B#1", 80, 90)}}, Holds},
		{"taken although extended", History{Operations: []Operation{extend("1", "A#1", 30, 40)}, Leases: []Lease{held("A#1", 10, 50, 40, 80), held("B#1", 60, 90)}}, Violated},
		{"extended late, nobody came between", History{Operations: []Operation{extend("1", "A#1", 30, 60)}, Leases: []Lease{held("A#1", 10, 50, 60, 80), held("B#1", 85, 90)}}, Holds},
		{"revived after another held in between", History{Operations: []Operation{extend("1", "A#1", 56, 60)}, Leases: []Lease{held("A#1", 10, 50, 60, 80), held("B#1", 52, 55).released(54)}}, Violated},
		{"validity over at the return", History{Leases: []Lease{held("A#1", 10, 5), held("B#1", 11, 90)}}, Holds},
		{"validity over at the return, taken before", History{Operations: []Operation{acquire("1", "A#1", 0, 10)}, Leases: []Lease{held("A#1", 10, 5), held("B#1", 3, 90)}}, Holds},
		{"release of a lapsed lease says done", History{Operations: []Operation{release("1", "A#1", 70, 75)}, Leases: []Lease{held("A#1", 10, 50).released(70), held("B#1", 60, 90)}}, Holds},
		{"release of a lapsed lease claims ownership", History{Header: confirming, Operations: []Operation{release("1", "A#1", 70, 75)}, Leases: []Lease{held("A#1", 10, 50).released(70), held("B#1", 60, 90)}}, Violated},
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

// TestLapsedMargin: a handover by release is no close call with time.
func TestLapsedMargin(t *testing.T) {
	history := &History{Header: headerFor(1000), Leases: []Lease{held("A#1", 10, 100).released(50), held("B#1", 52, 90).released(95), held("A#2", 99, 130)}}
	margin := Judge(history, Options{}).Overlap.Margins[0]
	if *margin.MarginNS != 2 || margin.LapsedMarginNS == nil || *margin.LapsedMarginNS != 9 {
		t.Errorf("margin %v, behind what lapsed %v; wanted 2 and 9", *margin.MarginNS, text(margin.LapsedMarginNS))
	}
	history.Leases[1].ReleasedNS = At(80)
	if margin = Judge(history, Options{}).Overlap.Margins[0]; margin.LapsedMarginNS != nil {
		t.Errorf("nobody lapsed, and the margin behind it is %d", *margin.LapsedMarginNS)
	}
}

func request(at int64, lease string, register Register, action Action, fence, number int64, accepted bool) Access {
	access := Access{AtNS: at, SentNS: at, Client: lease[:1], Lease: lease, Resource: "r", Register: register, Action: action, Fence: At(fence), Accepted: accepted}
	if action == ActionWrite {
		access.Value = At(number)
	} else {
		access.Result = At(number)
	}
	return access
}

// The story of RS-3: A(33) reads and lapses, B(34) reads, A's late write arrives,
// then B's. The three registers beside each other answer differently.
func TestRegistersBesideEachOther(t *testing.T) {
	story := func(register Register, lateAccepted bool) *History {
		seen := int64(7)
		return &History{Header: headerFor(1000), Leases: []Lease{held("A#1", 10, 50), held("B#1", 60, 120)}, Accesses: []Access{
			request(20, "A#1", register, ActionRead, 33, 0, true),
			request(70, "B#1", register, ActionRead, 34, 0, true),
			request(80, "A#1", register, ActionWrite, 33, seen, lateAccepted),
			request(90, "B#1", register, ActionWrite, 34, 1, true),
		}}
	}
	cases := []struct {
		register               Register
		accepted               bool
		resource, linearizable Status
		stale, lost, refused   int
	}{
		{RegisterUnfenced, true, Violated, Holds, 1, 1, 0},
		{RegisterFencedWrites, true, Violated, Holds, 1, 1, 0},
		{RegisterFenced, false, Holds, Holds, 0, 0, 1},
		{RegisterFenced, true, Violated, Violated, 1, 1, 0}, // a fence that does not work
	}
	for _, test := range cases {
		verdict := Judge(story(test.register, test.accepted), Options{})
		answer := verdict.Resource.Registers[0]
		if verdict.Resource.Status != test.resource || verdict.Linearizability.Status != test.linearizable ||
			answer.StaleWrites != test.stale || answer.LostUpdates != test.lost || answer.Refused != test.refused {
			t.Errorf("%+v: got %+v\n%s", test, answer, verdict.Summary())
		}
		if verdict.Resource.Bug {
			t.Errorf("%s: A-WORK does not explain it", test.register)
		}
	}
}

// A late write before the next holder's first access harms nobody, and a stale
// read only where the register promises to refuse it.
func TestHarmlessLateAccesses(t *testing.T) {
	late := &History{Header: headerFor(1000), Leases: []Lease{held("A#1", 10, 50), held("B#1", 60, 120)}, Accesses: []Access{
		request(65, "A#1", RegisterUnfenced, ActionWrite, 33, 5, true), request(70, "B#1", RegisterUnfenced, ActionRead, 34, 5, true),
	}}
	if verdict := Judge(late, Options{}); verdict.Resource.Status != Holds {
		t.Errorf("a late write before the next holder:\n%s", verdict.Summary())
	}
	for register, want := range map[Register]Status{RegisterUnfenced: Holds, RegisterFenced: Violated} {
		read := &History{Header: headerFor(1000), Leases: []Lease{held("A#1", 10, 50), held("B#1", 60, 120)}, Accesses: []Access{
			request(70, "B#1", register, ActionRead, 34, 0, true), request(80, "A#1", register, ActionRead, 33, 0, true),
		}}
		verdict := Judge(read, Options{})
		if verdict.Resource.Status != want || verdict.Resource.Registers[0].StaleReads != 1 {
			t.Errorf("%s: a stale read:\n%s", register, verdict.Summary())
		}
	}
}

// An outcome that the client never learned is taken from the resource's log
// where there is one: accepted and it counts, absent and it does not.
func TestUnknownOutcomesAreResolvedFromTheLog(t *testing.T) {
	unknown := Operation{ID: "a1", Client: "A", Action: ActionWrite, Resource: "r", Register: RegisterUnfenced, CallNS: 10, Outcome: OutcomeUnknown, Value: At(7)}
	read := func(result int64) Operation {
		return Operation{ID: "b1", Client: "B", Action: ActionRead, Resource: "r", Register: RegisterUnfenced, CallNS: 100, ReturnNS: At(110), Outcome: OutcomeOK, Result: At(result)}
	}
	arrived := Access{AtNS: 50, SentNS: 10, Operation: "a1", Client: "A", Resource: "r", Register: RegisterUnfenced, Action: ActionWrite, Value: At(7), Accepted: true}
	readLog := func(result int64) Access {
		return Access{AtNS: 105, SentNS: 100, Operation: "b1", Client: "B", Resource: "r", Register: RegisterUnfenced, Action: ActionRead, Result: At(result), Accepted: true}
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
		{"arrived, not seen", []Access{arrived, readLog(7)}, 0, Violated},
		{"never arrived, not seen", []Access{readLog(0)}, 0, Holds},
		{"never arrived, seen", []Access{readLog(0)}, 7, Violated},
	}
	for _, test := range cases {
		history := &History{Header: headerFor(1000), Operations: []Operation{unknown, read(test.read)}, Accesses: test.log}
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
		history.Header.Clients = append(history.Header.Clients, Client{Name: client, Clock: ClockNone, Validity: ValidityReported})
		operation := Operation{ID: client, Client: client, Action: ActionWrite, Resource: "r", Register: RegisterUnfenced, CallNS: 1, ReturnNS: At(500), Outcome: OutcomeOK, Value: At(int64(i))}
		if i == 0 { // a read of what nobody wrote: every order must be refuted
			operation.Action, operation.Value, operation.Result = ActionRead, nil, At(-1)
		}
		history.Operations = append(history.Operations, operation)
	}
	verdict := Judge(history, Options{SearchSteps: 10_000})
	if verdict.Linearizability.Status != Inconclusive || !strings.Contains(verdict.Linearizability.Reason, "10000 steps") {
		t.Errorf("got %s", verdict.Summary())
	}
	if !verdict.Inconclusive() {
		t.Error("the verdict is not inconclusive")
	}
}

func TestGoals(t *testing.T) {
	try := func(id, client string, call int64, end *int64, outcome Outcome) Operation {
		return Operation{ID: id, Client: client, Action: ActionAcquire, Resource: "r", Lease: map[bool]string{true: client + "#1"}[outcome == OutcomeOK], CallNS: call, ReturnNS: end, Outcome: outcome}
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
		{"too early to count", some, try("1", "B", 50, At(99), OutcomeOK), Violated},
		{"by the excepted client", some, try("1", "A", 50, At(200), OutcomeOK), Violated},
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

// TestGoalsSayWhyTheyAreUndecided: a goal whose beginning never came is told as such.
func TestGoalsSayWhyTheyAreUndecided(t *testing.T) {
	for from, want := range map[int64]string{
		100:  "g: the run ended t=1µs, before the deadline t=1.1µs",
		1000: "g: what it begins with had not come when the run ended t=1µs",
	} {
		goal := Goal{ID: "g", Bound: "b", Form: GoalSome, Action: ActionAcquire, FromNS: from, WithinNS: 1000}
		verdict := Judge(&History{Header: headerFor(1000), Goals: []Goal{goal}}, Options{})
		if verdict.Liveness.Status != Inconclusive || verdict.Liveness.Reason != want {
			t.Errorf("from %d: %s: %q, want %q", from, verdict.Liveness.Status, verdict.Liveness.Reason, want)
		}
	}
}

// A-HEAL is broken only when no contender had a stretch that was long enough.
func TestHealing(t *testing.T) {
	fault := func(from int64, until *int64, client string, nodes ...string) Fact {
		return Fact{Fact: FactFault, Name: "cut", AtNS: from, UntilNS: until, Client: client, Nodes: nodes}
	}
	cases := []struct {
		name   string
		heal   int64
		faults []Fact
		broken bool
	}{
		{"no fault at all", 0, nil, false},
		{"a minority away", 0, []Fact{fault(0, nil, "", "n1")}, false},
		{"a majority away for good", 0, []Fact{fault(0, nil, "", "n1", "n2")}, true},
		{"two minorities that make a majority", 0, []Fact{fault(0, nil, "", "n1"), fault(0, nil, "", "n2")}, true},
		{"only the holder is cut off", 0, []Fact{fault(0, nil, "A")}, false},
		{"the only contender is cut off", 0, []Fact{fault(0, nil, "B")}, true},
		{"healed before the window", 0, []Fact{fault(0, At(100), "")}, false},
		{"healed for exactly long enough", 300, []Fact{fault(0, At(200), "")}, false},
		{"healed one too short", 301, []Fact{fault(0, At(200), "")}, true},
		{"on and off", 100, []Fact{fault(0, At(150), ""), fault(249, At(400), ""), fault(499, nil, "")}, true},
	}
	for _, test := range cases {
		history := &History{Header: headerFor(1000), Facts: test.faults, Goals: []Goal{{
			ID: "g", Bound: "b", Form: GoalSome, Action: ActionAcquire, Client: "B", FromNS: 100, WithinNS: 400, HealNS: test.heal, Needs: []string{AssumptionHeal}}}}
		history.Header.Nodes, history.Header.Quorum = []string{"n1", "n2", "n3"}, 2
		verdict := Judge(history, Options{})
		if broken := len(verdict.Broken()) == 1 && verdict.Broken()[0] == AssumptionHeal; broken != test.broken {
			t.Errorf("%s: broken %v\n%s", test.name, verdict.Broken(), verdict.Summary())
		}
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
		if verdict := Judge(history, Options{}); verdict.Linearizability.Status != test.want {
			t.Errorf("%s: want %s\n%s", test.name, test.want, verdict.Summary())
		}
	}
}

// Fencing tokens must grow from one lease to the next that was called after it;
// among acquisitions that overlap, any order will do.
func TestFencingTokensGrow(t *testing.T) {
	for name, test := range map[string]struct {
		second int64
		call   int64
		want   Status
	}{
		"larger": {6, 60, Holds}, "equal": {5, 60, Violated}, "smaller": {4, 60, Violated}, "smaller, but called before": {4, 10, Holds},
	} {
		first, second := held("A#1", 10, 50), held("B#1", 70, 90)
		first.Fence, second.Fence = At(5), At(test.second)
		history := &History{Header: headerFor(1000), Leases: []Lease{first, second}, Operations: []Operation{acquire("b", "B#1", test.call, 70)}}
		if verdict := Judge(history, Options{}); verdict.Resource.Status != test.want {
			t.Errorf("%s: want %s\n%s", name, test.want, verdict.Summary())
		}
	}
}

// The holder itself is no contender: that it reaches every node heals nothing.
func TestExceptedClientHealsNothing(t *testing.T) {
	history := &History{Header: headerFor(1000), Goals: []Goal{{
		ID: "g", Bound: "b", Form: GoalSome, Action: ActionAcquire, Except: "A", WithinNS: 400, Needs: []string{AssumptionHeal}}}}
	history.Facts = []Fact{{Fact: FactFault, Name: "cut", Client: "B"}}
	if verdict := Judge(history, Options{}); len(verdict.Broken()) != 0 {
		t.Errorf("C is free to contend, yet broken: %v", verdict.Broken())
	}
	history.Facts = append(history.Facts, Fact{Fact: FactFault, Name: "cut", Client: "C"})
	if verdict := Judge(history, Options{}); len(verdict.Broken()) != 1 {
		t.Errorf("only the excepted client is free, yet broken: %v", verdict.Broken())
	}
}

// A client that asks for nothing in the goal's window heals nothing by what it can
// reach: it never asked, its only call was over before, or comes too late.
func TestIdleClientHealsNothing(t *testing.T) {
	const from, until = 100, 500
	asks := func(client string, call int64, returned *int64) Operation {
		o := Operation{ID: client + "1", Client: client, Action: ActionAcquire, Resource: "r", CallNS: call, ReturnNS: returned, Outcome: OutcomeFail}
		if returned == nil {
			o.Outcome = OutcomeUnknown
		}
		return o
	}
	for name, test := range map[string]struct {
		operations []Operation
		broken     bool // B, the only one in reach of a quorum, heals nothing
	}{
		"B never asks":                  {[]Operation{asks("A", 200, nil)}, true},
		"B asks for something else":     {[]Operation{asks("A", 200, nil), {ID: "B1", Client: "B", Action: ActionAcquire, Resource: "another", CallNS: 200, Outcome: OutcomeUnknown}}, true},
		"B asked before":                {[]Operation{asks("A", 200, nil), asks("B", 10, At(from))}, true},
		"B asks later":                  {[]Operation{asks("A", 200, nil), asks("B", until, nil)}, true},
		"B asks all the time":           {[]Operation{asks("A", 200, nil), asks("B", 10, nil)}, false},
		"B asks, and fails":             {[]Operation{asks("A", 200, nil), asks("B", 300, At(400))}, false},
		"nobody asks, and B might have": {nil, false},
	} {
		history := &History{Header: headerFor(1000), Operations: test.operations, Goals: []Goal{{
			ID: "g", Bound: "b", Form: GoalSome, Action: ActionAcquire, Resource: "r", FromNS: from, WithinNS: until - from, Needs: []string{AssumptionHeal}}}}
		for _, client := range []string{"A", "C"} {
			history.Facts = append(history.Facts, Fact{Fact: FactFault, Name: "cut", Client: client})
		}
		verdict := Judge(history, Options{})
		if len(verdict.Problems) > 0 {
			t.Fatal(name, verdict.Problems)
		}
		if broken := slices.Equal(verdict.Broken(), []string{AssumptionHeal}); broken != test.broken {
			t.Errorf("%s: broken %v", name, verdict.Broken())
		}
	}
}

// What a goal demands is a sentence.
func TestWordsOfGoals(t *testing.T) {
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
		if got := test.goal.words(); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

// Of the broken assumptions, a finding is explained by those that matter to it and
// were broken no later.
func TestExplaining(t *testing.T) {
	verdict := Verdict{Ledger: []Assumption{
		{ID: AssumptionRate, Kept: true},
		{ID: AssumptionVote, Breaks: []Break{{AtNS: 200}}},
		{ID: AssumptionWork, Breaks: []Break{{AtNS: 100}}},
		{ID: AssumptionHeal, Breaks: []Break{{AtNS: 100}}},
	}}
	for _, test := range []struct {
		sort string
		at   int64
		want string
	}{
		{"overlap", 199, "[]"},
		{"overlap", 200, "[A-VOTE]"},
		{"lock", 300, "[A-VOTE]"},
		{"key", 150, "[]"},
		{"register", 300, "[A-VOTE A-WORK]"},
		{"lost_update", 150, "[A-WORK]"},
		{"goal", 150, "[A-HEAL]"},
	} {
		if got := fmt.Sprint(verdict.Explaining(&Finding{Sort: test.sort, AtNS: test.at})); got != test.want {
			t.Errorf("%s at %d: %s, want %s", test.sort, test.at, got, test.want)
		}
	}
}

func TestNeverSent(t *testing.T) {
	goal := Goal{ID: "g", Bound: "b", Form: GoalNeverSent, Client: "A", Action: ActionExtend, FromNS: 100, WithinNS: 400}
	longer := goal
	longer.WithinNS = 901
	sent := func(client string, asked Action, at int64) NodeEvent {
		return NodeEvent{Node: "n1", Client: client, Resource: "r", What: NodeRefuse, Asked: asked, SentNS: At(at), AtNS: at + 10}
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
		verdict := Judge(&History{Header: headerFor(1000), NodeEvents: test.events, Goals: []Goal{test.goal}}, Options{})
		if verdict.Liveness.Status != test.want {
			t.Errorf("%s: want %s\n%s", test.name, test.want, verdict.Summary())
		}
	}
}
