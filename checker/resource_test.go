package checker

import (
	"testing"
)

// The story of RS-3: A (token 33) reads and its lease ends, B (token 34) reads,
// A's late write arrives, then B's write. Each kind of register answers differently.
func TestKindsOfRegisters(t *testing.T) {
	story := func(register Register, lateAccepted bool) *History {
		seen := int64(7)
		return &History{
			Header: headerFor(1000), Leases: []Lease{held("A#1", 10, 50), held("B#1", 60, 120)}, Accesses: []Access{
				request(20, "A#1", register, ActionRead, 33, 0, true),
				request(70, "B#1", register, ActionRead, 34, 0, true),
				request(80, "A#1", register, ActionWrite, 33, seen, lateAccepted),
				request(90, "B#1", register, ActionWrite, 34, 1, true),
			},
		}
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
		if resource.Status != test.resource || answer.Status != test.resource ||
			verdict.Linearizability.Status != test.linearizable ||
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
		request(65, "A#1", RegisterUnfenced, ActionWrite, 33, 5, true),
		request(70, "B#1", RegisterUnfenced, ActionRead, 34, 5, true),
	}}
	if verdict := Judge(late, Options{}); verdict.SafetyViolated() {
		t.Errorf("a late write before the next holder:\n%s", verdict.Summary())
	}
	for register, want := range map[Register]Status{RegisterUnfenced: Holds, RegisterFenced: Violated} {
		read := &History{
			Header: headerFor(1000), Leases: []Lease{held("A#1", 10, 50), held("B#1", 60, 120)}, Accesses: []Access{
				request(70, "B#1", register, ActionRead, 34, 0, true), request(80, "A#1", register, ActionRead, 33, 0, true),
			},
		}
		verdict := Judge(read, Options{})
		if verdict.Resource.of(register).Status != want || verdict.Resource.Registers[0].StaleReads != 1 {
			t.Errorf("%s: a stale read:\n%s", register, verdict.Summary())
		}
	}
}

// Fencing tokens must grow from one lease to the next that was called after it;
// and from one to the next that is believed after it. Among leases that overlap,
// any order will do, and one that was over when it was learned of does not count.
func TestFencingTokensGrow(t *testing.T) {
	for name, test := range map[string]struct {
		second, call, from, until int64
		want                      Status
	}{
		"larger": {6, 60, 70, 90, Holds}, "equal": {5, 60, 70, 90, Violated}, "smaller": {4, 60, 70, 90, Violated},
		"smaller, called before":                       {4, 5, 70, 90, Violated},
		"equal, called before, believed from the end":  {5, 5, 50, 90, Violated},
		"smaller, called before, believed at once":     {4, 5, 49, 90, Holds},
		"smaller, called before, over when learned of": {4, 5, 70, 60, Holds},
		"smaller, called later, over when learned of":  {4, 60, 70, 65, Violated},
	} {
		first, second := held("A#1", 10, 50), held("B#1", test.from, test.until)
		first.Fence, second.Fence = At(5), At(test.second)
		history := &History{
			Header: headerFor(1000), Leases: []Lease{first, second},
			Operations: []Operation{acquire("b", "B#1", test.call, test.from)},
		}
		if verdict := Judge(history, Options{}); verdict.Resource.Tokens.Status != test.want {
			t.Errorf("%s: want %s\n%s", name, test.want, verdict.Summary())
		}
	}
}
