package checker

import (
	"testing"
)

// The story of RS-3: A (token 33) reads and its lease ends, B (token 34) reads,
// A's late write arrives, then B's write. Each kind of register answers differently.
func TestKindsOfRegisters(t *testing.T) {
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
		answer, resource := verdict.Resource.Registers[0], verdict.Resource.of(test.register)
		if resource.Status != test.resource || answer.Status != test.resource || verdict.Linearizability.Status != test.linearizable ||
			answer.StaleWrites != test.stale || answer.LostUpdates != test.lost || answer.Refused != test.refused {
			t.Errorf("%+v: got %+v\n%s", test, answer, verdict.Summary())
		}
		if resource.Bug {
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
	if verdict := Judge(late, Options{}); verdict.SafetyViolated() {
		t.Errorf("a late write before the next holder:\n%s", verdict.Summary())
	}
	for register, want := range map[Register]Status{RegisterUnfenced: Holds, RegisterFenced: Violated} {
		read := &History{Header: headerFor(1000), Leases: []Lease{held("A#1", 10, 50), held("B#1", 60, 120)}, Accesses: []Access{
			request(70, "B#1", register, ActionRead, 34, 0, true), request(80, "A#1", register, ActionRead, 33, 0, true),
		}}
		verdict := Judge(read, Options{})
		if verdict.Resource.of(register).Status != want || verdict.Resource.Registers[0].StaleReads != 1 {
			t.Errorf("%s: a stale read:\n%s", register, verdict.Summary())
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
		if verdict := Judge(history, Options{}); verdict.Resource.Tokens.Status != test.want {
			t.Errorf("%s: want %s\n%s", name, test.want, verdict.Summary())
		}
	}
}
