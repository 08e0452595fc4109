package checker

import (
	"slices"
	"strings"
	"testing"
)

// One lease of A (acquired from 100 on, believed from 200 to 1000) and, on n1, a
// vote of a failed attempt of B from 3000 to 4000.
func ledgerHistory(facts ...Fact) *History {
	return &History{
		Header: Header{
			Version: Version, Name: "ledger", EndNS: 10000, TTLNS: 1000, RateErrorPPM: 4500, WallErrorNS: 3,
			Nodes: []string{"n1", "n2", "n3"}, Quorum: 2,
			Clients: []Client{
				{Name: "A", Clock: ClockMonotonic, Validity: ValidityReported},
				{Name: "B", Clock: ClockWall, Validity: ValidityReported},
			},
		},
		Operations: []Operation{{ID: "a1", Client: "A", Action: ActionAcquire, Resource: "r", Lease: "A#1", CallNS: 100, ReturnNS: At(200), Outcome: OutcomeOK, Token: "x"}},
		Leases:     []Lease{{ID: "A#1", Client: "A", Resource: "r", Token: "x", Operation: "a1", Validity: []Validity{{AtNS: 200, UntilNS: 1000, Event: 4}}}},
		NodeEvents: []NodeEvent{
			{Node: "n2", AtNS: 110, Client: "A", Resource: "r", Lease: "A#1", What: NodeSet, TTLNS: 890},
			{Node: "n3", AtNS: 120, Client: "A", Resource: "r", Lease: "A#1", What: NodeSet, TTLNS: 880},
			{Node: "n1", AtNS: 3000, Client: "B", Resource: "r", What: NodeSet, TTLNS: 1000},
		},
		Facts: facts,
	}
}

func TestFactsAndAssumptions(t *testing.T) {
	cases := []struct {
		name string
		fact Fact
		want string // the assumption, or empty
	}{
		{"node step during a lease", Fact{Fact: FactClockStep, Who: "n2", AtNS: 500, DeltaNS: -9}, AssumptionStep},
		{"node step during the acquisition", Fact{Fact: FactClockStep, Who: "n2", AtNS: 150, DeltaNS: 9}, AssumptionStep},
		{"node step before any lease", Fact{Fact: FactClockStep, Who: "n2", AtNS: 50, DeltaNS: 9}, ""},
		{"node step after the lease", Fact{Fact: FactClockStep, Who: "n2", AtNS: 1000, DeltaNS: 9}, ""},
		{"node step during a vote without a lease", Fact{Fact: FactClockStep, Who: "n1", AtNS: 3500, DeltaNS: 9}, AssumptionStep},
		{"another node's step during that vote", Fact{Fact: FactClockStep, Who: "n2", AtNS: 3500, DeltaNS: 9}, ""},
		{"node step after that vote", Fact{Fact: FactClockStep, Who: "n1", AtNS: 4000, DeltaNS: 9}, ""},
		{"step of the clock that the holder reads", Fact{Fact: FactClockStep, Who: "A", Clock: ClockMonotonic, AtNS: 500, DeltaNS: -9}, AssumptionStep},
		{"step of a clock that it does not read", Fact{Fact: FactClockStep, Who: "A", Clock: ClockWall, AtNS: 500, DeltaNS: -9}, ""},
		{"step of a client without a lease", Fact{Fact: FactClockStep, Who: "B", Clock: ClockWall, AtNS: 500, DeltaNS: -9}, ""},
		{"wall clocks that differ by the bound", Fact{Fact: FactWallDiffers, Who: "B", DeltaNS: -3}, ""},
		{"wall clocks that differ by more", Fact{Fact: FactWallDiffers, Who: "B", DeltaNS: -4}, AssumptionWall},
		{"wall clocks that differ before the lease", Fact{Fact: FactWallDiffers, Who: "B", UntilNS: At(100), DeltaNS: 4}, ""},
		{"rate at the bound", Fact{Fact: FactClockRate, Who: "n1", AtNS: 0, ErrorPPM: -4500}, ""},
		{"rate at the bound, fast", Fact{Fact: FactClockRate, Who: "n1", AtNS: 0, ErrorPPM: 4500}, ""},
		{"rate beyond the bound, fast", Fact{Fact: FactClockRate, Who: "n1", AtNS: 0, ErrorPPM: 4501}, AssumptionRate},
		{"rate beyond the bound, slow", Fact{Fact: FactClockRate, Who: "A", Clock: ClockMonotonic, AtNS: 0, UntilNS: At(101), ErrorPPM: -4501}, AssumptionRate},
		{"rate beyond the bound before the lease", Fact{Fact: FactClockRate, Who: "n1", AtNS: 0, UntilNS: At(100), ErrorPPM: 9000}, ""},
		{"suspension of a monotonic clock", Fact{Fact: FactSuspended, Client: "A", AtNS: 300, UntilNS: At(400)}, AssumptionRate},
		{"suspension after the lease", Fact{Fact: FactSuspended, Client: "A", AtNS: 1000, UntilNS: At(1400)}, ""},
		{"suspension of a client without a lease", Fact{Fact: FactSuspended, Client: "B", AtNS: 300, UntilNS: At(400)}, ""},
		{"vote forgotten in a crash", Fact{Fact: FactForgot, Node: "n1", Key: "r", AtNS: 500, RemainingNS: 1, Cause: CauseCrash}, AssumptionVote},
		{"vote that had run out", Fact{Fact: FactForgot, Node: "n1", Key: "r", AtNS: 500, RemainingNS: 0, Cause: CauseCrash}, ""},
		{"vote brought back by a rollback", Fact{Fact: FactRevived, Node: "n1", Key: "r", AtNS: 500, RemainingNS: 7, Cause: CauseRollback}, AssumptionVote},
		{"vote lost in a failover", Fact{Fact: FactForgot, Node: "n1", Key: "r", AtNS: 500, RemainingNS: 7, Cause: CauseFailover}, AssumptionDistinct},
		{"restart timed by a stepped clock", Fact{Fact: FactForgot, Node: "n1", Key: "r", AtNS: 500, RemainingNS: 7, Cause: CauseClockStep}, AssumptionStep},
		{"flush by an operator", Fact{Fact: FactOwner, Node: "n1", Key: "r", AtNS: 500, RemainingNS: 7, Name: "FLUSHALL"}, AssumptionOwner},
		{"flush of a dead key", Fact{Fact: FactOwner, Node: "n1", Key: "r", AtNS: 500}, ""},
		{"failover during a lease", Fact{Fact: FactFailover, Node: "n3", AtNS: 500}, AssumptionDistinct},
		{"failover during a vote", Fact{Fact: FactFailover, Node: "n1", AtNS: 3500}, AssumptionDistinct},
		{"failover with nothing held", Fact{Fact: FactFailover, Node: "n3", AtNS: 2000}, ""},
		{"one server under two names from the start", Fact{Fact: FactSameServer, Nodes: []string{"n1", "n2"}}, AssumptionDistinct},
		{"one server under two names until before the lease", Fact{Fact: FactSameServer, Nodes: []string{"n1", "n2"}, UntilNS: At(100)}, ""},
		{"membership changed during a lease", Fact{Fact: FactMembership, Nodes: []string{"n1", "n9"}, AtNS: 999}, AssumptionDistinct},
		{"membership changed after it", Fact{Fact: FactMembership, Nodes: []string{"n1", "n9"}, AtNS: 1001}, ""},
		{"membership changed during the acquisition", Fact{Fact: FactMembership, Nodes: []string{"n1", "n9"}, AtNS: 105}, AssumptionDistinct},
		{"membership changed before the acquisition", Fact{Fact: FactMembership, Nodes: []string{"n1", "n9"}, AtNS: 99}, ""},
		{"an address left a node that holds a vote", Fact{Fact: FactMembership, Node: "n1", Nodes: []string{"n2", "n3"}, AtNS: 3500}, AssumptionDistinct},
		{"an address left a node that holds none", Fact{Fact: FactMembership, Node: "n3", Nodes: []string{"n1", "n2"}, AtNS: 3500}, ""},
		{"counter lost", Fact{Fact: FactCounterLost, Node: "n1", Key: "f", AtNS: 1}, AssumptionCounter},
		{"fixed retry", Fact{Fact: FactRetryFixed, Client: "A"}, AssumptionRandom},
		{"endless extension", Fact{Fact: FactUnboundedExtension, Client: "A"}, AssumptionBounded},
		{"a pause by itself", Fact{Fact: FactPaused, Client: "A", AtNS: 300, UntilNS: At(5000)}, ""},
		{"a fault without a goal", Fact{Fact: FactFault, Name: "partition", AtNS: 300}, ""},
	}
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			test.fact.Event = 77
			verdict := Judge(ledgerHistory(test.fact), Options{})
			if len(verdict.Problems) > 0 {
				t.Fatal(verdict.Problems)
			}
			if got := strings.Join(verdict.Broken(), " "); got != test.want {
				t.Fatalf("broken %q, want %q\n%s", got, test.want, verdict.Summary())
			}
			for _, assumption := range verdict.Ledger {
				if !assumption.Kept && (assumption.Breaks[0].Event != 77 || assumption.Breaks[0].Reason == "") {
					t.Errorf("the break names event %d and reason %q", assumption.Breaks[0].Event, assumption.Breaks[0].Reason)
				}
			}
		})
	}
}

// TestStepAfterTheEnd: a lease that has ended looks valid again to a client whose clock is set
// back before its last call on it.
func TestStepAfterTheEnd(t *testing.T) {
	for _, test := range []struct {
		at, delta int64
		want      string
	}{{1400, -9, AssumptionStep}, {1400, 9, ""}, {1601, -9, ""}} {
		history := ledgerHistory(Fact{
			Fact: FactClockStep, Who: "A", Clock: ClockMonotonic, AtNS: test.at, DeltaNS: test.delta,
		})
		history.Operations = append(history.Operations, Operation{
			ID: "a2", Client: "A", Action: ActionExtend, Resource: "r", Lease: "A#1", CallNS: 1500, ReturnNS: At(1600),
			Outcome: OutcomeFail,
		})
		verdict := Judge(history, Options{})
		if got := strings.Join(verdict.Broken(), " "); got != test.want {
			t.Errorf("stepped by %d at %d: broken %q, want %q", test.delta, test.at, got, test.want)
		}
	}
}

func TestTokensUsedTwice(t *testing.T) {
	second := func(token string) *History {
		history := ledgerHistory()
		history.Leases = append(history.Leases, Lease{
			ID: "B#1", Client: "B", Resource: "r", Token: token, Validity: []Validity{{AtNS: 1200, UntilNS: 2000}},
		})
		return history
	}
	shared := Judge(second("x"), Options{})
	if !slices.Equal(shared.Broken(), []string{AssumptionToken}) {
		t.Errorf("a shared token broke %v", shared.Broken())
	}
	if own := Judge(second("y"), Options{}); len(own.Broken()) > 0 {
		t.Errorf("tokens of their own broke %v", own.Broken())
	}
	// A failed attempt with the token of a lease is a repetition, too.
	attempt := ledgerHistory()
	attempt.Operations = append(attempt.Operations, Operation{
		ID: "a2", Client: "A", Action: ActionAcquire, Resource: "r", CallNS: 2000, ReturnNS: At(2100),
		Outcome: OutcomeFail, Token: "x",
	})
	if verdict := Judge(attempt, Options{}); !slices.Equal(verdict.Broken(), []string{AssumptionToken}) {
		t.Errorf("a token kept across attempts broke %v", verdict.Broken())
	}
}

func TestLateWork(t *testing.T) {
	access := func(at int64) *History {
		history := ledgerHistory(Fact{Fact: FactPaused, Client: "A", AtNS: 900, UntilNS: At(1100), Event: 50})
		history.Accesses = []Access{{
			AtNS: at, SentNS: 300, Client: "A", Lease: "A#1", Resource: "r", Register: RegisterUnfenced,
			Action: ActionWrite, Value: At(1), Accepted: true, Event: 60,
		}}
		return history
	}
	if inTime := Judge(access(999), Options{}); len(inTime.Broken()) > 0 {
		t.Errorf("an arrival before the end broke %v", inTime.Broken())
	}
	late := Judge(access(1000), Options{})
	if !slices.Equal(late.Broken(), []string{AssumptionWork}) {
		t.Fatalf("an arrival at the end broke %v", late.Broken())
	}
	for _, assumption := range late.Ledger {
		if assumption.ID == AssumptionWork && (assumption.Breaks[0].AtNS != 1000 || assumption.Breaks[0].Event != 50) {
			t.Errorf("the break is %+v, want the end of belief and the pause's event", assumption.Breaks[0])
		}
	}
	for done, want := range map[int64]int{1000: 0, 1001: 1} {
		history := ledgerHistory()
		history.Leases[0].WorkDoneNS = At(done)
		if verdict := Judge(history, Options{}); len(verdict.Broken()) != want {
			t.Errorf("work done at %d broke %v", done, verdict.Broken())
		}
	}
	// After the call of release the belief is over, so a straggler is late.
	released := access(600)
	released.Leases[0].ReleasedNS = At(500)
	released.Operations = append(released.Operations, release("a9", "A#1", 500, 510))
	if verdict := Judge(released, Options{}); !slices.Equal(verdict.Broken(), []string{AssumptionWork}) {
		t.Errorf("an arrival after release broke %v", verdict.Broken())
	}
}

// A break that comes after the violation does not excuse it.
func TestOnlyEarlierBreaksExplain(t *testing.T) {
	overlapping := func(step int64) Verdict {
		history := ledgerHistory(Fact{Fact: FactClockStep, Who: "n2", AtNS: step, DeltaNS: 400})
		history.Leases = append(history.Leases, Lease{
			ID: "B#1", Client: "B", Resource: "r", Token: "y", Validity: []Validity{{AtNS: 600, UntilNS: 1500}},
		})
		return Judge(history, Options{})
	}
	if before := overlapping(500); before.Overlap.Bug ||
		!slices.Equal(before.Overlap.ExplainedBy, []string{AssumptionStep}) {
		t.Errorf("a step before the overlap: bug %v, explained by %v", before.Overlap.Bug, before.Overlap.ExplainedBy)
	}
	if after := overlapping(700); !after.Overlap.Bug {
		t.Errorf("a step after the overlap explains it: %v", after.Overlap.ExplainedBy)
	}
	// Late work is no excuse for two holders.
	history := ledgerHistory()
	history.Leases[0].WorkDoneNS = At(1001)
	history.Leases[0].ReleasedNS = At(550)
	history.Operations = append(history.Operations, release("a9", "A#1", 550, 560))
	history.Leases = append(history.Leases,
		Lease{ID: "B#1", Client: "B", Resource: "r", Validity: []Validity{{AtNS: 600, UntilNS: 1500}}},
		Lease{ID: "A#2", Client: "A", Resource: "r", Validity: []Validity{{AtNS: 700, UntilNS: 1500}}})
	if verdict := Judge(history, Options{}); !slices.Equal(verdict.Broken(), []string{AssumptionWork}) ||
		!verdict.Overlap.Bug {
		t.Errorf("late work excuses an overlap:\n%s", verdict.Summary())
	}
}

// Wall and boottime clocks go on while the host sleeps.
func TestOnlyMonotonicClocksMissASuspension(t *testing.T) {
	for clock, want := range map[Clock]int{ClockMonotonic: 1, ClockBoottime: 0, ClockWall: 0, ClockTrue: 0} {
		history := ledgerHistory(Fact{Fact: FactSuspended, Client: "A", AtNS: 300, UntilNS: At(400)})
		history.Header.Clients[0].Clock = clock
		if verdict := Judge(history, Options{}); len(verdict.Broken()) != want {
			t.Errorf("%s: broken %v", clock, verdict.Broken())
		}
	}
}

// A vote lives until its TTL as last extended, or until it is deleted.
func TestVotesFollowTheNodesLog(t *testing.T) {
	broken := func(step int64, more ...NodeEvent) int {
		history := ledgerHistory(Fact{Fact: FactClockStep, Who: "n1", AtNS: step, DeltaNS: 9})
		history.NodeEvents = append(history.NodeEvents, more...)
		verdict := Judge(history, Options{})
		return len(verdict.Broken())
	}
	extended := NodeEvent{Node: "n1", AtNS: 3500, Client: "B", Resource: "r", What: NodeExtend, TTLNS: 1000}
	deleted := NodeEvent{Node: "n1", AtNS: 3200, Client: "B", Resource: "r", What: NodeDelete}
	for name, got := range map[string][2]int{
		"extended":            {broken(4499, extended), 1},
		"extended, run out":   {broken(4500, extended), 0},
		"before it's deleted": {broken(3199, deleted), 1},
		"deleted":             {broken(3200, deleted), 0},
	} {
		if got[0] != got[1] {
			t.Errorf("%s: %d assumptions broken, want %d", name, got[0], got[1])
		}
	}
}

// A disturbance that lasts is broken when it first meets a lease.
func TestBreakIsDatedByTheFirstLease(t *testing.T) {
	history := ledgerHistory(Fact{Fact: FactSameServer, Nodes: []string{"n1", "n2"}})
	history.Leases = append([]Lease{
		{ID: "B#1", Client: "B", Resource: "r", Validity: []Validity{{AtNS: 5000, UntilNS: 6000}}},
	}, history.Leases...)
	history.Leases = append(history.Leases, Lease{
		ID: "B#2", Client: "B", Resource: "r", Validity: []Validity{{AtNS: 7000, UntilNS: 8000}},
	})
	verdict := Judge(history, Options{})
	for _, assumption := range verdict.Ledger {
		if assumption.ID == AssumptionDistinct && (assumption.Kept || assumption.Breaks[0].AtNS != 100) {
			t.Errorf("got %+v, want broken at 100, the call of the first acquisition", assumption)
		}
	}
}
