package checker

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// goodHistory draws a history that no lock need be ashamed of: leases of one
// resource that follow each other, a quorum of votes for each, writes and reads
// of two registers under them. The last lease ends by time.
func goodHistory(t *rapid.T) *History {
	nodes := []string{"n1", "n2", "n3", "n4", "n5"}[:rapid.SampledFrom([]int{1, 3, 4, 5}).Draw(t, "nodes")]
	history := &History{Header: Header{
		Version: Version, Name: "good", TTLNS: 1000, RateErrorPPM: 4500, Nodes: nodes, Quorum: len(nodes)/2 + 1,
		Registers: []RegisterStart{{Resource: "r", Register: RegisterUnfenced, Value: 3}},
	}}
	clients := []string{"A", "B", "C"}
	for _, name := range clients {
		history.Header.Clients = append(history.Header.Clients, Client{
			Name: name, Clock: ClockBoottime, Validity: ValidityReported,
			ReleaseConfirms: rapid.Bool().Draw(t, "confirms"),
		})
	}
	now, free := int64(10), map[string]int64{} // when each client's last call returned
	step := func() int64 { now += rapid.Int64Range(1, 20).Draw(t, "step"); return now }
	values := map[Register]int64{RegisterUnfenced: 3}
	count := rapid.IntRange(2, 5).Draw(t, "leases")
	for i := range count {
		client := rapid.SampledFrom(clients).Draw(t, "client")
		lease := Lease{
			ID: fmt.Sprintf("L%d", i), Client: client, Resource: "r", Token: fmt.Sprintf("t%d", i),
			Fence: At(int64(3*i + 2)), Operation: fmt.Sprintf("L%d.acquire", i),
		}
		call := rapid.Int64Range(free[client], now).Draw(t, "call") // it may have waited
		voters := rapid.Permutation(nodes).Draw(t, "voters")[:rapid.IntRange(history.Header.Quorum, len(nodes)).Draw(t, "votes")]
		first := step()
		for _, node := range voters {
			history.NodeEvents = append(history.NodeEvents, NodeEvent{
				Node: node, AtNS: now, SentNS: At(now - 1), Client: client, Resource: "r", Lease: lease.ID,
				Token: lease.Token, What: NodeSet, Asked: ActionAcquire, TTLNS: 1000,
			})
			step()
		}
		lease.Validity = []Validity{{AtNS: now, UntilNS: first + 900}}
		do := func(operation Operation) {
			operation.ID, operation.Client, operation.Resource, operation.Lease = fmt.Sprintf("%s.%s%d", lease.ID,
				operation.Action, len(history.Operations)), client, "r", lease.ID
			operation.ReturnNS, operation.Outcome = At(now), OutcomeOK
			history.Operations = append(history.Operations, operation)
		}
		history.Operations = append(history.Operations, Operation{
			ID: lease.Operation, Client: client, Action: ActionAcquire, Resource: "r", Lease: lease.ID, CallNS: call,
			ReturnNS: At(now), Outcome: OutcomeOK, Token: lease.Token,
		})
		for n := range rapid.IntRange(2, 4).Draw(t, "accesses") {
			register := rapid.SampledFrom([]Register{RegisterUnfenced, RegisterFenced}).Draw(t, "register")
			access := Access{
				Client: client, Lease: lease.ID, Resource: "r", Register: register, Action: ActionRead,
				Fence: lease.Fence, Accepted: true, Result: At(values[register]),
			}
			if n == 0 {
				register = RegisterUnfenced
				values[register] = int64(100*i + 7)
				access.Register, access.Action, access.Value = register, ActionWrite, At(values[register])
				access.Result = nil
			}
			if n == 1 {
				register = RegisterUnfenced
				access.Register, access.Result = register, At(values[register])
			}
			operation := Operation{
				Action: access.Action, Register: register, Value: access.Value, Result: access.Result,
				Fence: lease.Fence, CallNS: now,
			}
			access.SentNS, access.AtNS = step(), step()
			access.Operation = fmt.Sprintf("%s.%s%d", lease.ID, access.Action, len(history.Operations))
			step()
			do(operation)
			history.Accesses = append(history.Accesses, access)
		}
		if i < count-1 {
			lease.ReleasedNS = At(step())
			for _, node := range voters {
				history.NodeEvents = append(history.NodeEvents, NodeEvent{
					Node: node, AtNS: step(), Client: client, Resource: "r", Lease: lease.ID, Token: lease.Token,
					What: NodeDelete, Asked: ActionRelease,
				})
			}
			step()
			do(Operation{Action: ActionRelease, CallNS: *lease.ReleasedNS})
		}
		free[client] = now
		history.Leases = append(history.Leases, lease)
	}
	history.Header.EndNS = now + 5000
	if rapid.Bool().Draw(t, "a clock is set") {
		history.Facts = append(history.Facts, Fact{
			Fact: FactClockStep, Who: "A", Clock: ClockWall, AtNS: 5, DeltaNS: -3,
		})
	}
	return history
}

// contradictions are the classes of histories that contradict themselves. Plant
// plants one contradiction into a good history, as a bug of a lock or of the
// history's writer would; beside makes the nearest history that is good.
var contradictions = []struct {
	name          string
	refused       bool // else violated
	plant, beside func(t *rapid.T, h *History)
}{
	{"a fencing token falls, though the contender waited", false, func(t *rapid.T, h *History) { refence(h, 1, rapid.Int64Range(0, 1).Draw(t, "token")) },
		func(_ *rapid.T, h *History) { refence(h, 1, 3) }},
	{"a fencing token repeats", false, func(_ *rapid.T, h *History) { refence(h, 1, 2) }, nil},
	{"a release that nobody called", true, func(t *rapid.T, h *History) {
		h.Leases[0].ReleasedNS = At(*h.Leases[0].ReleasedNS - rapid.Int64Range(1, 2).Draw(t, "early"))
	}, nil},
	{"a release that is missing in the lease", true, func(_ *rapid.T, h *History) { h.Leases[0].ReleasedNS = nil }, nil},
	{"a release of a lease that nobody released", true, func(_ *rapid.T, h *History) {
		last(h).ReleasedNS = At(last(h).AcquiredNS() + 1)
	}, func(_ *rapid.T, h *History) {
		at := h.Header.EndNS - 10
		last(h).ReleasedNS = &at
		h.Operations = append(h.Operations, Operation{
			ID: "late", Client: last(h).Client, Action: ActionRelease, Resource: "r", Lease: last(h).ID, CallNS: at,
			Outcome: OutcomeUnknown,
		})
	}},
	{"a result that the register did not give", true, func(_ *rapid.T, h *History) { _, o := read(h); o.Result = At(*o.Result + 1) }, nil},
	{"a value that the register was not told", true, func(_ *rapid.T, h *History) { h.Accesses[0].Value = At(*h.Accesses[0].Value + 1) }, nil},
	{"a success without an access", true, func(_ *rapid.T, h *History) { h.Accesses = slices.Delete(h.Accesses, 0, 1) },
		func(_ *rapid.T, h *History) {
			h.Accesses = nil // no log at all
		}},
	{"a success that was refused", true, func(_ *rapid.T, h *History) { h.Accesses[0].Accepted = false }, nil},
	{"a failure that was accepted", true, func(_ *rapid.T, h *History) { write(h).Outcome = OutcomeFail }, func(_ *rapid.T, h *History) { write(h).Outcome = OutcomeUnknown }},
	{"an access after the return", true, func(_ *rapid.T, h *History) { a, o := read(h); a.AtNS = *o.ReturnNS + 1 }, func(_ *rapid.T, h *History) { a, o := read(h); a.AtNS = *o.ReturnNS }},
	{"an access sent before the call", true, func(_ *rapid.T, h *History) { a, o := read(h); a.SentNS = o.CallNS - 1 }, func(_ *rapid.T, h *History) { a, o := read(h); a.SentNS = o.CallNS }},
	{"two accesses of one operation", true,
		func(_ *rapid.T, h *History) { a, _ := read(h); h.Accesses = append(h.Accesses, *a) },
		func(_ *rapid.T, h *History) {
			a, _ := read(h)
			again := *a
			again.Operation = "" // somebody else's read
			h.Accesses = append(h.Accesses, again)
		}},
	{"an access of another's operation", true, func(_ *rapid.T, h *History) { a, _ := read(h); a.Operation = h.Operations[0].ID }, nil},
	{"an access to another register", true, func(_ *rapid.T, h *History) { a, _ := read(h); a.Register = RegisterFencedWrites }, nil},
	{"an access of another client", true, func(_ *rapid.T, h *History) { a, _ := read(h); a.Client = another(a.Client) }, nil},
	{"an access of another lease", true, func(_ *rapid.T, h *History) { a, _ := read(h); a.Lease = last(h).ID }, nil},
	{"an access with another fencing token", true, func(_ *rapid.T, h *History) { a, _ := read(h); a.Fence = At(*a.Fence + 1) }, func(_ *rapid.T, h *History) { a, _ := read(h); a.Fence = nil }},
	{"an operation with another fencing token", true, func(_ *rapid.T, h *History) { _, o := read(h); o.Fence = At(*o.Fence + 1) }, nil},
	{"an access before its lease", true, func(_ *rapid.T, h *History) { a, _ := read(h); a.SentNS = h.Leases[0].AcquiredNS() - 1 }, nil},
	{"a write by nobody's lease", true, func(_ *rapid.T, h *History) { foreign(h, "r") }, func(_ *rapid.T, h *History) { foreign(h, "a resource without a lock") }},
	{"a set over a believed key", false, func(_ *rapid.T, h *History) { h.NodeEvents = append(h.NodeEvents, over(h, NodeSet)) },
		func(_ *rapid.T, h *History) { h.NodeEvents = append(h.NodeEvents, over(h, NodeRefuse)) }},
	{"an extension of a believed key", false, func(_ *rapid.T, h *History) { h.NodeEvents = append(h.NodeEvents, over(h, NodeExtend)) }, nil},
	{"a delete of a believed key", false, func(_ *rapid.T, h *History) { h.NodeEvents = append(h.NodeEvents, over(h, NodeDelete)) }, nil},
	{"fewer votes than a quorum", false, func(_ *rapid.T, h *History) { votesLeft(h, h.Header.Quorum-1) }, func(_ *rapid.T, h *History) { votesLeft(h, h.Header.Quorum) }},
	{"no vote at all", false, func(_ *rapid.T, h *History) { votesLeft(h, 0) }, func(_ *rapid.T, h *History) { h.NodeEvents = nil }},
	{"votes that the client took back before the return", false, func(_ *rapid.T, h *History) {
		votesLeft(h, h.Header.Quorum)
		takeBack(h, 0)
	}, func(_ *rapid.T, h *History) {
		votesLeft(h, h.Header.Quorum)
		takeBack(h, 2) // it was on its way before the vote
	}},
	{"votes that came after the return", false, func(_ *rapid.T, h *History) {
		for i := range h.NodeEvents {
			if event := &h.NodeEvents[i]; event.Lease == last(h).ID {
				event.AtNS = last(h).AcquiredNS() + 1
			}
		}
	}, nil},
	{"a validity beyond the votes", false, func(_ *rapid.T, h *History) { last(h).Validity[0].UntilNS = lastVoteEnd(h) + 30 },
		func(_ *rapid.T, h *History) { last(h).Validity[0].UntilNS = firstVoteEnd(h) }},
	{"a client's clock without a name", true, func(_ *rapid.T, h *History) {
		h.Facts = append(h.Facts, Fact{Fact: FactClockStep, Who: "B", AtNS: 5, DeltaNS: 1})
	}, func(_ *rapid.T, h *History) {
		h.Facts = append(h.Facts, Fact{Fact: FactClockStep, Who: "n1", AtNS: 5, DeltaNS: 1})
	}},
	{"a client's rate without a clock", true, func(_ *rapid.T, h *History) {
		h.Facts = append(h.Facts, Fact{Fact: FactClockRate, Who: "B", AtNS: 5, ErrorPPM: 1})
	}, nil},
	{"a belief before the return", true, func(_ *rapid.T, h *History) { last(h).Validity[0].AtNS-- }, nil},
	{"a lease of a failed acquisition", true, func(_ *rapid.T, h *History) { h.Operations[0].Outcome = OutcomeFail }, nil},
	{"another token than the acquisition's", true, func(_ *rapid.T, h *History) { h.Operations[0].Token = "x" }, func(_ *rapid.T, h *History) { h.Operations[0].Token = "" }},
	{"another token than the node's", true, func(_ *rapid.T, h *History) { h.NodeEvents[0].Token = "x" }, func(_ *rapid.T, h *History) { h.NodeEvents[0].Token = "" }},
	{"a vote for another client's lease", true, func(_ *rapid.T, h *History) { h.NodeEvents[0].Client = another(h.NodeEvents[0].Client) }, nil},
	{"a call before its lease", true, func(_ *rapid.T, h *History) {
		h.Operations = append(h.Operations, Operation{
			ID: "early", Client: last(h).Client, Action: ActionExtend, Resource: "r", Lease: last(h).ID, CallNS: 1,
			Outcome: OutcomeUnknown,
		})
	}, func(_ *rapid.T, h *History) {
		h.Operations = append(h.Operations, Operation{
			ID: "early", Client: last(h).Client, Action: ActionExtend, Resource: "r", Lease: last(h).ID,
			CallNS: last(h).AcquiredNS(), Outcome: OutcomeUnknown,
		})
	}},
	{"a belief that no call lengthened", true, func(_ *rapid.T, h *History) { lengthen(h, Validity{}, "") },
		func(_ *rapid.T, h *History) { lengthen(h, Validity{Renewed: true}, "") }},
	{"a belief that an extension lengthened, although it failed", true,
		func(_ *rapid.T, h *History) { lengthen(h, Validity{}, OutcomeFail) },
		func(t *rapid.T, h *History) {
			lengthen(h, Validity{}, rapid.SampledFrom([]Outcome{OutcomeOK, OutcomeUnknown}).Draw(t, "outcome"))
		}},
	{"an extension that returned ok and changed nothing", true, func(_ *rapid.T, h *History) {
		lengthen(h, Validity{}, OutcomeOK)
		last(h).Validity = last(h).Validity[:1]
	}, nil},
	{"a vote that had longer to live than any key", true, func(_ *rapid.T, h *History) { forget(h, 1001) },
		func(_ *rapid.T, h *History) {
			forget(h, 1011)
			h.Facts = append(h.Facts, Fact{Fact: FactClockStep, Who: "n1", AtNS: 1, DeltaNS: -10}, Fact{
				Fact: FactClockRate, Who: "n1", AtNS: 1, UntilNS: At(2), ErrorPPM: -1000,
			})
		}},
	{"a register that starts twice", true, func(_ *rapid.T, h *History) {
		h.Header.Registers = append(h.Header.Registers, RegisterStart{
			Resource: "r", Register: RegisterUnfenced, Value: 4,
		})
	}, nil},
}

func last(h *History) *Lease { return &h.Leases[len(h.Leases)-1] }

// lengthen lets the last lease be believed for longer by the smallest step, from the return of
// an extension on, if there is an outcome.
func lengthen(h *History, v Validity, outcome Outcome) {
	lease := last(h)
	at := lease.AcquiredNS() + 1
	for i := range h.Operations {
		if o := &h.Operations[i]; o.Lease == lease.ID {
			at = max(at, *o.ReturnNS+1)
		}
	}
	v.AtNS, v.UntilNS = at, lease.Validity[0].UntilNS+1
	lease.Validity = append(lease.Validity, v)
	if outcome == "" {
		return
	}
	h.Operations = append(h.Operations, Operation{
		ID: "longer", Client: lease.Client, Action: ActionExtend, Resource: "r", Lease: lease.ID, CallNS: at,
		ReturnNS: &at, Outcome: outcome,
	})
	for i := range h.NodeEvents { // each vote was set for longer
		h.NodeEvents[i].TTLNS++
	}
}

// forget lets a node forget a key of no lock, which had so long to live.
func forget(h *History, remaining int64) {
	h.Facts = append(h.Facts, Fact{
		Fact: FactForgot, Node: "n1", Key: "other", AtNS: 5, RemainingNS: remaining, Cause: CauseCrash,
	})
}

func another(client string) string {
	if client == "A" {
		return "B"
	}
	return "A"
}

// refence gives the second lease, and all that it did, another fencing token.
func refence(h *History, lease int, token int64) {
	id := h.Leases[lease].ID
	h.Leases[lease].Fence = &token
	h.Accesses = slices.DeleteFunc(h.Accesses, func(access Access) bool { return access.Register == RegisterFenced })
	h.Operations = slices.DeleteFunc(h.Operations, func(operation Operation) bool {
		return operation.Register == RegisterFenced
	})
	for i := range h.Accesses {
		if h.Accesses[i].Fence = nil; h.Accesses[i].Lease == id {
			h.Accesses[i].Fence = nil
		}
	}
	for i := range h.Operations {
		h.Operations[i].Fence = nil
	}
}

// write is the first write, read the first read with its access.
func write(h *History) *Operation {
	return &h.Operations[slices.IndexFunc(h.Operations, func(o Operation) bool {
		return o.ID == h.Accesses[0].Operation
	})]
}

func read(h *History) (*Access, *Operation) {
	access := &h.Accesses[1]
	return access,
		&h.Operations[slices.IndexFunc(h.Operations, func(o Operation) bool { return o.ID == access.Operation })]
}

// foreign adds a write that names neither a lease nor an operation.
func foreign(h *History, resource string) {
	h.Accesses = append(h.Accesses, Access{
		AtNS: h.Header.EndNS, SentNS: h.Header.EndNS, Client: "A", Resource: resource, Register: RegisterUnfenced,
		Action: ActionWrite, Value: At(9), Accepted: true,
	})
}

// over is a command of another client on a key of the last lease, while that is believed.
func over(h *History, what NodeAction) NodeEvent {
	set := h.NodeEvents[slices.IndexFunc(h.NodeEvents, func(event NodeEvent) bool { return event.Lease == last(h).ID })]
	return NodeEvent{
		Node: set.Node, AtNS: last(h).AcquiredNS() + 1, Client: another(last(h).Client), Resource: "r", What: what,
		Token: "other", TTLNS: 1000,
	}
}

// votesLeft leaves the last lease so many votes.
func votesLeft(h *History, count int) {
	h.NodeEvents = slices.DeleteFunc(h.NodeEvents, func(event NodeEvent) bool {
		if event.Lease != last(h).ID {
			return false
		}
		count--
		return count < 0
	})
}

// takeBack gives the last lease a delete, by its own client, of its first vote. It
// is executed before the acquisition returns, and sent so much earlier.
func takeBack(h *History, before int64) {
	vote := &h.NodeEvents[slices.IndexFunc(h.NodeEvents, func(event NodeEvent) bool {
		return event.Lease == last(h).ID
	})]
	undo := *vote
	vote.AtNS--
	undo.What, undo.Asked = NodeDelete, ActionRelease
	undo.SentNS = At(undo.AtNS - before)
	h.NodeEvents = append(h.NodeEvents, undo)
}

func lastVoteEnd(h *History) int64 {
	end := int64(0)
	for _, event := range h.NodeEvents {
		if event.What == NodeSet {
			end = max(end, event.AtNS+event.TTLNS)
		}
	}
	return end
}

func firstVoteEnd(h *History) int64 {
	for _, event := range h.NodeEvents {
		if event.Lease == last(h).ID {
			return event.AtNS + event.TTLNS
		}
	}
	return 0
}

func holds(verdict *Verdict) bool { return verdict.Answers().String() == string(Holds) }

// Each contradiction is found in any good history that it is planted into, and
// what is good beside it is accepted.
func TestContradictionsNeverHold(t *testing.T) {
	for _, class := range contradictions {
		t.Run(class.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				history := goodHistory(t)
				if verdict := Judge(history, Options{}); !holds(&verdict) {
					t.Fatalf("the good history:\n%s", verdict.Summary())
				}
				if class.beside != nil && rapid.Bool().Draw(t, "beside") {
					class.beside(t, history)
					if verdict := Judge(history, Options{}); !holds(&verdict) {
						t.Fatalf("the good history beside it:\n%s", verdict.Summary())
					}
					return
				}
				class.plant(t, history)
				verdict := Judge(history, Options{})
				if refused := len(verdict.Problems) > 0; refused != class.refused ||
					!refused && len(verdict.Answers().Bugs()) == 0 {
					t.Fatalf("refused %v, want %v:\n%s", refused, class.refused, verdict.Summary())
				}
			})
		})
	}
}

// A lease that was over when it was learned of entitles nobody to anything, and
// accuses nobody: it may lie inside another's belief.
func TestLeaseThatWasOverWhenItWasLearned(t *testing.T) {
	history := &History{
		Header: headerFor(1000), Leases: []Lease{held("A#1", 10, 100), held("B#1", 50, 40)}, Operations: []Operation{
			acquire("a", "A#1", 5, 10), acquire("b", "B#1", 1, 50), release("c", "B#1", 60, 70)},
	}
	history.Leases[1].ReleasedNS = At(60)
	history.Leases[0].Fence, history.Leases[1].Fence = At(2), At(1)
	history.Header.Clients[1].ReleaseConfirms = true
	history.Accesses = []Access{
		request(55, "B#1", RegisterUnfenced, ActionRead, 1, 0, true),
		request(80, "A#1", RegisterUnfenced, ActionWrite, 2, 5, true),
	}
	if verdict := Judge(history, Options{}); !holds(&verdict) {
		t.Error(verdict.Summary())
	}
}
