package checker

import (
	"slices"
	"strings"
	"testing"
)

// twoHolders is a history in which A and B hold r at once, from 600 to 1000. A has
// the votes of n1 and n2, B those of n2 and n3. C has a lease of another resource.
func twoHolders(facts ...Fact) *History {
	vote := func(node, lease, resource string, at int64) NodeEvent {
		return NodeEvent{
			Node: node, AtNS: at, Client: lease[:1], Resource: resource, Lease: lease, What: NodeSet, TTLNS: 1000,
		}
	}
	other := Lease{ID: "C#1", Client: "C", Resource: "q", Token: "c", Validity: []Validity{{AtNS: 30, UntilNS: 1000}}}
	first, second := held("A#1", 100, 1000), held("B#1", 600, 1500)
	first.Token, second.Token = "a", "b"
	return &History{
		Header: Header{
			Version: Version, Name: "two holders", EndNS: 10000, TTLNS: 1000, RateErrorPPM: 4500,
			Nodes: []string{"n1", "n2", "n3"}, Quorum: 2,
			Clients: []Client{
				{Name: "A", Clock: ClockMonotonic, Validity: ValidityReported},
				{Name: "B", Clock: ClockWall, Validity: ValidityReported},
				{Name: "C", Clock: ClockBoottime, Validity: ValidityReported},
			},
		},
		Operations: []Operation{acquire("a1", "A#1", 0, 100), acquire("b1", "B#1", 500, 600)},
		Leases:     []Lease{first, second, other},
		NodeEvents: []NodeEvent{vote("n1", "A#1", "r", 50), vote("n2", "A#1", "r", 60), vote("n2", "B#1", "r", 560),
			vote("n3", "B#1", "r", 570),
			vote("n1", "C#1", "q", 20), vote("n3", "C#1", "q", 25)},
		Facts: facts,
	}
}

func TestWhatABreakMustTouch(t *testing.T) {
	forgot := func(node, key string, at int64, cause Cause) Fact {
		return Fact{Fact: FactForgot, Node: node, Key: key, AtNS: at, RemainingNS: 100, Cause: cause}
	}
	step := func(who string, clock Clock, at, delta int64) Fact {
		return Fact{Fact: FactClockStep, Who: who, Clock: clock, AtNS: at, DeltaNS: delta}
	}
	rate := func(who string, clock Clock, from, until, ppm int64) Fact {
		return Fact{Fact: FactClockRate, Who: who, Clock: clock, AtNS: from, UntilNS: &until, ErrorPPM: ppm}
	}
	for _, test := range []struct {
		name  string
		facts []Fact
		want  string // what explains the overlap of 400
	}{
		{"nothing", nil, ""},
		{"a counted vote", []Fact{forgot("n2", "r", 300, CauseCrash)}, AssumptionVote},
		{"a node that voted for neither by then", []Fact{forgot("n3", "r", 300, CauseCrash)}, ""},
		{"another key of that node", []Fact{forgot("n1", "q", 300, CauseCrash)}, ""},
		{"before the vote was given", []Fact{forgot("n2", "r", 40, CauseCrash)}, ""},
		{"after the overlap began", []Fact{forgot("n2", "r", 601, CauseCrash)}, ""},
		{"a vote brought back", []Fact{{Fact: FactRevived, Node: "n2", Key: "r", AtNS: 300, RemainingNS: 9, Cause: CauseRollback}}, AssumptionVote},
		{"a failover of a node that voted", []Fact{{Fact: FactFailover, Node: "n1", AtNS: 300}}, AssumptionDistinct},
		{"a failover before", []Fact{{Fact: FactFailover, Node: "n1", AtNS: 40}}, AssumptionDistinct},
		{"a failover after the overlap began", []Fact{{Fact: FactFailover, Node: "n1", AtNS: 700}}, ""},
		{"one server that voted twice", []Fact{{Fact: FactSameServer, Nodes: []string{"n1", "n2"}}}, AssumptionDistinct},
		{"one server until before", []Fact{{Fact: FactSameServer, Nodes: []string{"n1", "n2"}, AtNS: 0, UntilNS: At(0)}}, ""},
		{"the nodes of a holder", []Fact{{Fact: FactMembership, Client: "B", Nodes: []string{"n2"}, AtNS: 500}}, AssumptionDistinct},
		{"the nodes of somebody", []Fact{{Fact: FactMembership, Nodes: []string{"n2"}, AtNS: 500}}, AssumptionDistinct},
		{"the nodes of another client", []Fact{{Fact: FactMembership, Client: "C", Nodes: []string{"n2"}, AtNS: 500}}, ""},
		{"an operator removed the key", []Fact{{Fact: FactOwner, Node: "n1", Key: "r", AtNS: 300, RemainingNS: 9}}, AssumptionOwner},
		{"an operator removed another key", []Fact{{Fact: FactOwner, Node: "n1", Key: "q", AtNS: 300, RemainingNS: 9}}, ""},
		{"a restart timed by a stepped clock", []Fact{forgot("n1", "r", 300, CauseClockStep)}, AssumptionStep},
		{"a node's step as large as the overlap", []Fact{step("n2", "", 300, 400)}, AssumptionStep},
		{"a node's step that is too small", []Fact{step("n2", "", 300, 399)}, ""},
		{"two steps that are large enough together", []Fact{step("n2", "", 300, 200), step("n2", "", 310, 200)}, AssumptionStep},
		{"a step back between two steps", []Fact{step("n2", "", 300, 200), step("n2", "", 305, -200), step("n2", "", 310, 200)}, ""},
		{"steps of two nodes do not add up", []Fact{step("n2", "", 300, 200), step("n1", "", 310, 200)}, ""},
		{"a node's step backwards", []Fact{step("n2", "", 300, -400)}, ""},
		{"a node's step before the vote", []Fact{step("n1", "", 40, 400)}, ""},
		{"a step of a node without a vote by then", []Fact{step("n3", "", 300, 400)}, ""},
		{"the holder's clock set back", []Fact{step("A", ClockMonotonic, 300, -400)}, AssumptionStep},
		{"the holder's clock set back too little", []Fact{step("A", ClockMonotonic, 300, -399)}, ""},
		{"the holder's clock set forwards", []Fact{step("A", ClockMonotonic, 300, 400)}, ""},
		{"a wall clock set forwards", []Fact{step("B", ClockWall, 550, 400)}, AssumptionStep},
		{"the clock of a client that holds something else", []Fact{step("C", ClockBoottime, 300, -4000)}, ""},
		{"the holder's and a node's steps add up", []Fact{step("A", ClockMonotonic, 300, -200), step("n2", "", 300, 200)}, AssumptionStep},
		{"a fast node for long enough", []Fact{rate("n2", "", 0, 600, 1_000_000)}, AssumptionRate},
		{"a fast node for too short", []Fact{rate("n2", "", 0, 459, 1_000_000)}, ""},
		{"a fast node for a nanosecond", []Fact{rate("n2", "", 300, 301, 1_000_000)}, ""},
		{"a slow node", []Fact{rate("n2", "", 0, 600, -900_000)}, ""},
		{"a slow holder", []Fact{rate("A", ClockMonotonic, 0, 1000, -400_000)}, AssumptionRate},
		{"a holder that is not slow enough", []Fact{rate("A", ClockMonotonic, 0, 1000, -399_000)}, ""},
		{"a fast holder", []Fact{rate("A", ClockMonotonic, 0, 1000, 900_000)}, ""},
		{"a suspended holder", []Fact{{Fact: FactSuspended, Client: "A", AtNS: 200, UntilNS: At(600)}}, AssumptionRate},
		{"a holder suspended too briefly", []Fact{{Fact: FactSuspended, Client: "A", AtNS: 200, UntilNS: At(599)}}, ""},
		{"a step and a rate that are enough together", []Fact{step("n2", "", 300, 200), rate("n2", "", 300, 500, 1_000_000)}, "A-RATE A-STEP"},
		{"a step that is enough, and a rate", []Fact{step("n2", "", 300, 400), rate("n2", "", 300, 500, 1_000_000)}, AssumptionStep},
		{"a lost counter", []Fact{{Fact: FactCounterLost, Node: "n1", Key: "r:fence", AtNS: 300}}, ""},
		{"either of two", []Fact{forgot("n2", "r", 300, CauseCrash), {Fact: FactOwner, Node: "n2", Key: "r", AtNS: 310, RemainingNS: 9}}, "A-VOTE A-OWNER"},
	} {
		t.Run(test.name, func(t *testing.T) {
			verdict := Judge(twoHolders(test.facts...), Options{})
			if len(verdict.Problems) > 0 {
				t.Fatal(verdict.Problems)
			}
			findings := map[string]string{}
			for _, finding := range slices.Concat(verdict.Overlap.Findings, verdict.Linearizability.Findings) {
				findings[finding.Sort] = strings.Join(finding.ExplainedBy, " ")
			}
			for _, sort := range []string{SortOverlap, SortLock} {
				if got, found := findings[sort]; !found || got != test.want {
					t.Errorf("%s: explained by %q, want %q\n%s", sort, got, test.want, verdict.Summary())
				}
			}
		})
	}
}

// TestDatesExplainMissingVotes: an acquisition that too few nodes voted for is explained by
// wall clocks that differed by at least its validity, and that it relied on.
func TestDatesExplainMissingVotes(t *testing.T) {
	differs := func(who string, at, delta int64, until ...int64) Fact {
		f := Fact{Fact: FactWallDiffers, Who: who, Clock: ClockWall, AtNS: at, DeltaNS: delta}
		if len(until) > 0 {
			f.UntilNS = &until[0]
		}
		return f
	}
	from := func(client string, f Fact) Fact {
		f.Client = client
		return f
	}
	step, made := Fact{Fact: FactClockStep, Who: "n1", AtNS: 40, DeltaNS: 5000, Event: 7}, differs("n1", 40, 5000)
	made.Event = 7
	for name, test := range map[string]struct {
		facts []Fact
		want  string
	}{
		"nothing":                         {nil, ""},
		"its client":                      {[]Fact{differs("B", 0, -1000)}, AssumptionWall},
		"its client by too little":        {[]Fact{differs("B", 0, -899)}, ""},
		"its client before":               {[]Fact{differs("B", 0, -1000, 400)}, ""},
		"the client of another lease":     {[]Fact{differs("A", 0, -1000)}, ""},
		"its client, from another":        {[]Fact{from("A", differs("B", 0, -1000))}, AssumptionWall},
		"another client, from its own":    {[]Fact{from("B", differs("A", 0, -1000))}, AssumptionWall},
		"a node that refused, from it":    {[]Fact{from("B", differs("n1", 0, 1000))}, AssumptionWall},
		"a node that refused, from A":     {[]Fact{from("A", differs("n1", 0, 1000))}, ""},
		"a node not asked, from it":       {[]Fact{from("B", differs("n2", 0, 1000))}, ""},
		"a node that refused":             {[]Fact{differs("n1", 0, 1000)}, AssumptionWall},
		"a node that it did not ask":      {[]Fact{differs("n2", 0, 1000)}, ""},
		"a step that made a node differ":  {[]Fact{step, made}, AssumptionStep},
		"a step, and nobody writes dates": {[]Fact{step}, ""},
	} {
		history := twoHolders(test.facts...)
		history.NodeEvents = history.NodeEvents[:2] // nobody voted for B, and n1 refused it
		history.NodeEvents = append(history.NodeEvents, NodeEvent{
			Node: "n1", AtNS: 560, Client: "B", Resource: "r", What: NodeRefuse, Asked: ActionAcquire,
		})
		verdict, found := Judge(history, Options{}), false
		for _, finding := range verdict.Linearizability.Findings {
			if finding.Sort == SortQuorum && finding.Leases[0] == "B#1" {
				found = true
				if got := strings.Join(finding.ExplainedBy, " "); got != test.want {
					t.Errorf("%s: explained by %q, want %q", name, got, test.want)
				}
			}
		}
		if !found {
			t.Errorf("%s: %s", name, verdict.Summary())
		}
	}
}

// Without nodes' logs any node may have voted.
func TestUnknownVotersAreEveryNode(t *testing.T) {
	history := twoHolders(Fact{Fact: FactForgot, Node: "n3", Key: "r", AtNS: 300, RemainingNS: 9, Cause: CauseCrash})
	history.NodeEvents = nil
	if verdict := Judge(history, Options{}); verdict.Overlap.Bug {
		t.Error(verdict.Summary())
	}
}

// A shared token explains an overlap only if one of the two leases shared it, with
// an attempt on the same resource that was live at the same time.
func TestSharedTokensMustBeLive(t *testing.T) {
	attempt := func(resource string, call, end int64, token string) Operation {
		return Operation{
			ID: "c9", Client: "C", Action: ActionAcquire, Resource: resource, CallNS: call, ReturnNS: At(end),
			Outcome: OutcomeFail, Token: token,
		}
	}
	for name, test := range map[string]struct {
		more Operation
		want string
	}{
		"the token of a holder":       {attempt("r", 200, 300, "a"), AssumptionToken},
		"on another resource":         {attempt("q", 200, 300, "a"), ""},
		"after the overlap":           {attempt("r", 700, 800, "a"), ""},
		"over before the lease began": {attempt("r", 200, 300, "b"), ""},
		"the token of another lease":  {attempt("q", 200, 300, "c"), ""},
	} {
		history := twoHolders()
		history.Operations = append(history.Operations, test.more)
		verdict := Judge(history, Options{})
		if got := strings.Join(verdict.Overlap.ExplainedBy, " "); got != test.want ||
			!slices.Equal(verdict.Broken(), []string{AssumptionToken}) {
			t.Errorf("%s: explained by %q, want %q; broken %v", name, got, test.want, verdict.Broken())
		}
	}
}

// A-WORK explains what its own lease did at the resource, and nothing else.
func TestLateWorkExplainsItsOwnLease(t *testing.T) {
	leases := []Lease{held("A#1", 10, 50), held("B#1", 60, 120), held("C#1", 130, 140)}
	write := func(at int64, lease string) Access {
		return request(at, lease, RegisterUnfenced, ActionWrite, 1, at, true)
	}
	for name, test := range map[string]struct {
		accesses []Access
		late     *int64 // when C's work was done
		want     string
	}{
		"the stale write is the late work": {[]Access{write(70, "B#1"), write(80, "A#1")}, nil, AssumptionWork},
		"the newer access is late": {
			[]Access{request(65, "B#1", RegisterUnfenced, ActionRead, 1, 0, true), write(125, "A#1"), write(126, "B#1")},
			nil, AssumptionWork,
		},
	} {
		history := &History{Header: headerFor(1000), Leases: slices.Clone(leases), Accesses: test.accesses}
		for i := range history.Accesses {
			history.Accesses[i].Fence = nil
		}
		verdict := Judge(history, Options{})
		if got := strings.Join(verdict.Resource.Unfenced.ExplainedBy, " "); got != test.want ||
			verdict.Resource.Unfenced.Status != Violated {
			t.Errorf("%s: explained by %q, want %q\n%s", name, got, test.want, verdict.Summary())
		}
	}
	// Two leases overlap without a cause; a third one worked late.
	history := &History{Header: headerFor(1000), Leases: []Lease{held("A#1", 10, 90), held("B#1", 60, 120), held("C#1", 1, 5)}}
	history.Leases[2].WorkDoneNS = At(9)
	history.Accesses = []Access{write(70, "B#1"), write(80, "A#1")}
	for i := range history.Accesses {
		history.Accesses[i].Fence = nil
	}
	if verdict := Judge(history, Options{}); !verdict.Resource.Unfenced.Bug ||
		!slices.Equal(verdict.Broken(), []string{AssumptionWork}) {
		t.Error(verdict.Summary())
	}
}

// Tokens that fall are explained by a counter that was lost between the two.
func TestLostCountersExplainTokens(t *testing.T) {
	for name, test := range map[string]struct {
		node, key string
		at        int64
		want      string
	}{
		"between them":                  {"n1", "r:fence", 70, AssumptionCounter},
		"before the first":              {"n1", "r:fence", 5, ""},
		"after the second":              {"n1", "r:fence", 105, ""},
		"of another resource":           {"n1", "q:fence", 70, ""},
		"of one whose name has r in it": {"n1", "fence:other", 70, ""},
		"a key that names no resource":  {"n1", "counters", 70, AssumptionCounter},
		"a node that did not vote":      {"n2", "r:fence", 70, ""},
	} {
		history := &History{
			Header: headerFor(1000), Leases: []Lease{held("A#1", 10, 50), held("B#1", 100, 120), held("C#1", 1, 5)},
		}
		history.Header.Nodes = []string{"n1", "n2"}
		history.Leases[0].Fence, history.Leases[1].Fence, history.Leases[2].Resource = At(7), At(6), "q"
		if strings.Contains(test.key, "other") {
			history.Leases[2].Resource = "other"
		}
		history.Operations = []Operation{acquire("a", "A#1", 8, 10), acquire("b", "B#1", 95, 100)}
		for i, lease := range []string{"A#1", "B#1"} {
			history.NodeEvents = append(history.NodeEvents, NodeEvent{
				Node: "n1", AtNS: int64(9 + 90*i), Client: lease[:1], Resource: "r", Lease: lease, What: NodeSet,
				TTLNS: 50,
			})
		}
		history.Facts = []Fact{{Fact: FactCounterLost, Node: test.node, Key: test.key, AtNS: test.at}}
		verdict := Judge(history, Options{})
		if got := strings.Join(verdict.Resource.Tokens.ExplainedBy, " "); got != test.want ||
			verdict.Resource.Tokens.Status != Violated {
			t.Errorf("%s: explained by %q, want %q\n%s", name, got, test.want, verdict.Summary())
		}
	}
}

// A fence that accepts a late write is explained by a resource that forgot the larger token.
func TestLostMarksExplainLateWrites(t *testing.T) {
	for name, test := range map[string]struct {
		resource string
		at       int64
		register Register
		want     string
	}{
		"between the two":              {"r", 75, RegisterFenced, "A-WORK A-COUNTER"},
		"a fence on writes":            {"r", 75, RegisterFencedWrites, "A-WORK A-COUNTER"},
		"a register that has none":     {"r", 75, RegisterUnfenced, "A-WORK"},
		"before the later lease":       {"r", 55, RegisterFenced, "A-WORK"},
		"after the late write":         {"r", 85, RegisterFenced, "A-WORK"},
		"another resource":             {"q", 75, RegisterFenced, "A-WORK"},
		"before it had seen any token": {"r", 5, RegisterFenced, "A-WORK"},
	} {
		history := &History{Header: headerFor(1000), Leases: []Lease{held("A#1", 10, 50), held("B#1", 60, 120)}}
		history.Leases[0].Fence, history.Leases[1].Fence = At(33), At(34)
		history.Accesses = []Access{
			request(20, "A#1", test.register, ActionRead, 33, 0, true),
			request(70, "B#1", test.register, ActionWrite, 34, 1, true),
			request(80, "A#1", test.register, ActionWrite, 33, 2, true),
		}
		history.Facts = []Fact{{Fact: FactMarkLost, Key: test.resource, AtNS: test.at}}
		verdict := Judge(history, Options{})
		if got := strings.Join(verdict.Resource.of(test.register).ExplainedBy, " "); got != test.want ||
			len(verdict.Problems) > 0 {
			t.Errorf("%s: explained by %q, want %q\n%s", name, got, test.want, verdict.Summary())
		}
		if kept := !slices.Contains(verdict.Broken(),
			AssumptionCounter); kept != (test.resource == "q" || test.at == 5 || test.register == RegisterUnfenced) {
			t.Errorf("%s: A-COUNTER kept %v", name, kept)
		}
	}
}

// A goal is explained through the nodes that its client asked, and the clients in
// its way.
func TestGoalsAreExplainedThroughWhoWasAsked(t *testing.T) {
	for name, test := range map[string]struct {
		fact Fact
		want string
	}{
		"a node that it asked":        {Fact{Fact: FactForgot, Node: "n1", Key: "r", AtNS: 150, RemainingNS: 9, Cause: CauseCrash}, AssumptionVote},
		"a node that it did not ask":  {Fact{Fact: FactForgot, Node: "n3", Key: "r", AtNS: 150, RemainingNS: 9, Cause: CauseCrash}, ""},
		"another key":                 {Fact{Fact: FactForgot, Node: "n1", Key: "q", AtNS: 150, RemainingNS: 9, Cause: CauseCrash}, ""},
		"the clock of the holder":     {Fact{Fact: FactClockStep, Who: "A", Clock: ClockBoottime, AtNS: 50, DeltaNS: -9}, AssumptionStep},
		"the clock of a node asked":   {Fact{Fact: FactClockStep, Who: "n1", AtNS: 50, DeltaNS: -9}, AssumptionStep},
		"the clock of another node":   {Fact{Fact: FactClockStep, Who: "n3", AtNS: 50, DeltaNS: -9}, ""},
		"the clock of another client": {Fact{Fact: FactClockStep, Who: "C", Clock: ClockWall, AtNS: 50, DeltaNS: -9}, ""},
		"its own fixed retry":         {Fact{Fact: FactRetryFixed, Client: "B"}, AssumptionRandom},
		"the fixed retry of another":  {Fact{Fact: FactRetryFixed, Client: "C"}, ""},
		"the holder extends for ever": {Fact{Fact: FactUnboundedExtension, Client: "A", AtNS: 50}, AssumptionBounded},
		"another extends for ever":    {Fact{Fact: FactUnboundedExtension, Client: "C", AtNS: 50}, ""},
		"the nodes of its client":     {Fact{Fact: FactMembership, Client: "B", Nodes: []string{"n1"}, AtNS: 60}, AssumptionDistinct},
		"the nodes of another client": {Fact{Fact: FactMembership, Client: "C", Nodes: []string{"n1"}, AtNS: 60}, ""},
		"faults that left no quorum":  {Fact{Fact: FactFault, Name: "cut", Client: "B", AtNS: 90}, AssumptionHeal},
	} {
		other := held("C#1", 10, 300)
		other.Resource = "q"
		history := &History{
			Header: headerFor(1000), Leases: []Lease{held("A#1", 10, 190), other},
			Facts:      []Fact{test.fact},
			Operations: []Operation{{ID: "b", Client: "B", Action: ActionAcquire, Resource: "r", CallNS: 100, ReturnNS: At(500), Outcome: OutcomeFail}},
			NodeEvents: []NodeEvent{
				{Node: "n1", AtNS: 9, Client: "A", Resource: "r", Lease: "A#1", What: NodeSet, TTLNS: 200},
				{Node: "n3", AtNS: 9, Client: "C", Resource: "q", Lease: "C#1", What: NodeSet, TTLNS: 300},
				{Node: "n1", AtNS: 110, Client: "B", Resource: "r", What: NodeRefuse},
			},
			Goals: []Goal{{ID: "g", Bound: "b", Form: GoalSome, Action: ActionAcquire, Client: "B", Resource: "r", FromNS: 100, WithinNS: 300, Needs: []string{AssumptionHeal}}},
		}
		history.Header.Nodes = []string{"n1", "n3"}
		verdict := Judge(history, Options{})
		if len(verdict.Problems) > 0 {
			t.Fatal(name, verdict.Problems)
		}
		if got := strings.Join(verdict.Liveness.ExplainedBy, " "); got != test.want ||
			verdict.Liveness.Status != Violated {
			t.Errorf("%s: explained by %q, want %q\n%s", name, got, test.want, verdict.Summary())
		}
	}
}
