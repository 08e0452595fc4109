package coverage_test

import (
	"slices"
	"testing"
	"time"

	"redlocklab/scenarios/coverage"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

const ms = time.Millisecond

// trace builds the events of a run of A and B on three nodes.
type trace struct {
	events []sim.Event
	sent   int
}

func (t *trace) add(at time.Duration, e sim.Event) *trace {
	e.At = at
	t.events = append(t.events, e)
	return t
}

func (t *trace) call(at time.Duration, who, what string) *trace {
	e := sim.Event{Kind: sim.Call, Process: who, Detail: what, Resource: "r"}
	if what != "acquire" {
		e.Lease = who + "#1"
	}
	return t.add(at, e)
}

// sends lets a command leave; arrives lets it be executed with the key's value afterwards.
func (t *trace) sends(at time.Duration, who, node, command, token string) *trace {
	t.sent++
	text := command + " r " + token
	if command != "SET" {
		text = "EVALSHA " + command + " 1 r " + token
	}
	return t.add(at, sim.Event{
		Kind: sim.Send, Process: who, Node: node, Message: t.sent, Command: command, Key: "r", Detail: text,
	})
}

func (t *trace) arrives(at time.Duration, who, node string, message int, after, answer string) *trace {
	t.add(at, sim.Event{Kind: sim.Deliver, Process: who, Node: node, Message: message, Key: "r"})
	return t.add(at, sim.Event{
		Kind: sim.Execute, Process: who, Node: node, Message: message, Key: "r", Value: after, Detail: answer,
	})
}

// grant is a vote of a node for a client.
func (t *trace) grant(at time.Duration, who, node, token string) *trace {
	t.sends(at, who, node, "SET", token)
	return t.arrives(at+ms, who, node, t.sent, token, "OK")
}

// held is A with a lease until 1 s by the votes of n1 and n2.
func held() *trace {
	t := new(trace).call(0, "A", "acquire").grant(ms, "A", "n1", "token#1").grant(ms, "A", "n2", "token#1")
	return t.add(3*ms, sim.Event{Kind: sim.Acquired, Process: "A", Value: "token#1", Duration: time.Second - 3*ms, Lease: "A#1"})
}

func TestReached(t *testing.T) {
	const soon, late = 500 * ms, 1100 * ms
	failed := func(detail string) sim.Event { return sim.Event{Kind: sim.Failed, Process: "A", Detail: detail} }
	for _, test := range []struct {
		point    string
		yes, not *trace
	}{
		{coverage.ExactQuorum, held(), held().grant(5*ms, "A", "n3", "token#1")},
		{coverage.SplitVote,
			new(trace).call(0, "A", "acquire").grant(ms, "A", "n1", "token#1").grant(ms, "B", "n2", "token#2").add(3*ms, failed("acquire: contended")),
			new(trace).call(0, "A", "acquire").grant(ms, "A", "n1", "token#1").grant(ms, "B", "n2", "token#2").grant(ms, "B", "n3", "token#2").add(3*ms,
				failed("acquire: contended"))},
		{coverage.LateWin, new(trace).call(0, "A", "acquire").add(ms, failed("acquire: late")), new(trace).call(0, "A", "acquire").add(ms, failed("acquire: contended"))},
		{coverage.LostGrant,
			held().add(soon, sim.Event{Kind: sim.Drop, Process: "A", Node: "n1", Message: 1, Detail: "to process: lost"}),
			held().sends(soon, "A", "n3", "SET", "token#1").add(soon+ms, sim.Event{
				Kind: sim.Drop, Process: "A", Node: "n3", Message: 3, Detail: "to node: lost",
			})},
		{coverage.GivenUpSet,
			new(trace).call(0, "A", "acquire").sends(ms, "A", "n1", "SET", "token#1").add(2*ms, failed("acquire: contended")).arrives(3*ms, "A", "n1", 1, "token#1", "OK"),
			new(trace).call(0, "A", "acquire").sends(ms, "A", "n1", "SET", "token#1").arrives(2*ms, "A", "n1", 1, "token#1", "OK").add(3*ms,
				failed("acquire: contended"))},
		{coverage.SetAfterRelease,
			held().sends(soon, "A", "n3", "release", "token#1").arrives(soon+ms, "A", "n3", 3, "", "0").grant(soon+2*ms, "A", "n3", "token#1"),
			held().sends(soon, "A", "n3", "release", "token#1").arrives(soon+ms, "A", "n3", 3, "", "0").grant(soon+2*ms, "A", "n3", "token#2")},
		{coverage.RestartInAcquire,
			new(trace).call(0, "A", "acquire").add(ms, sim.Event{Kind: sim.Restart, Node: "n1"}),
			held().add(soon, sim.Event{Kind: sim.Restart, Node: "n1"})},
		{coverage.PauseOnVotes,
			new(trace).call(0, "A", "acquire").grant(ms, "A", "n1", "token#1").add(3*ms, sim.Event{Kind: sim.Pause, Process: "A"}),
			new(trace).call(0, "A", "acquire").add(3*ms, sim.Event{Kind: sim.Pause, Process: "A"})},
		{coverage.ExpiryBefore,
			held().add(late, sim.Event{Kind: sim.Expire, Node: "n1", Key: "r"}),
			held().call(soon, "A", "release").add(late, sim.Event{Kind: sim.Expire, Node: "n1", Key: "r"})},
		{coverage.ExpiryInExtension,
			held().call(soon, "A", "extend").add(late, sim.Event{Kind: sim.Expire, Node: "n1", Key: "r"}),
			held().call(soon, "A", "extend").add(soon+ms, sim.Event{
				Kind: sim.Extended, Process: "A", Lease: "A#1", Duration: time.Second,
			}).add(late, sim.Event{Kind: sim.Expire, Node: "n1", Key: "r"})},
		{coverage.PartialExtension,
			held().call(soon, "A", "extend").sends(soon, "A", "n1", "extend", "token#1").arrives(soon+ms, "A", "n1", 3, "token#1", "1").add(late,
				failed("extend: no quorum")),
			held().call(soon, "A", "extend").sends(soon, "A", "n1", "extend", "token#1").arrives(soon+ms, "A", "n1", 3, "token#2", "0").add(late,
				failed("extend: no quorum"))},
		{coverage.CloseSuccessor,
			held().add(late, sim.Event{Kind: sim.Expire, Node: "n1", Key: "r"}).call(late, "B", "acquire").add(1040*ms, sim.Event{
				Kind: sim.Acquired, Process: "B", Value: "token#2", Duration: ms,
			}),
			held().add(late, sim.Event{Kind: sim.Expire, Node: "n1", Key: "r"}).call(late, "B", "acquire").add(1060*ms, sim.Event{
				Kind: sim.Acquired, Process: "B", Value: "token#2", Duration: ms,
			})},
		{coverage.HolderCrash, held().add(soon, sim.Event{Kind: sim.Crash, Process: "A"}), held().add(late, sim.Event{Kind: sim.Crash, Process: "A"})},
		{coverage.HolderCut,
			held().add(soon, sim.Event{Kind: sim.Cut, Detail: "partition: x"}),
			held().add(soon, sim.Event{Kind: sim.Cut, Detail: "delay: x"})},
		{coverage.VoterCrash, held().add(soon, sim.Event{Kind: sim.Crash, Node: "n1"}), held().add(soon, sim.Event{Kind: sim.Crash, Node: "n3"})},
		{coverage.StepBack,
			held().add(soon, sim.Event{Kind: sim.ClockStep, Process: "A", Duration: -ms}),
			held().add(late, sim.Event{Kind: sim.ClockStep, Process: "A", Duration: -ms})},
		{coverage.StepForward,
			held().add(soon, sim.Event{Kind: sim.ClockStep, Node: "n1", Duration: ms}),
			held().add(soon, sim.Event{Kind: sim.ClockStep, Process: "A", Duration: ms})},
		{coverage.Forgotten, held().add(soon, sim.Event{Kind: sim.Forget, Node: "n1", Key: "r"}), held()},
		{coverage.Removed,
			held().add(soon, sim.Event{Kind: sim.NodeCall, Node: "n1", Key: "r", Command: sim.Removal}),
			held().add(soon, sim.Event{Kind: sim.NodeCall, Node: "n3", Key: "r", Command: sim.Removal})},
	} {
		if !slices.Contains(reached(test.yes), test.point) {
			t.Errorf("%s is not seen where it happened", test.point)
		}
		if slices.Contains(reached(test.not), test.point) {
			t.Errorf("%s is seen where it did not happen", test.point)
		}
	}
}

func reached(t *trace) []string {
	plan := &plan.Plan{
		Lock: plan.Lock{TTL: time.Second}, Clients: []plan.Client{{Name: "A"}, {Name: "B"}},
		World: sim.Config{Nodes: []sim.NodeConfig{{Name: "n1"}, {Name: "n2"}, {Name: "n3"}}},
	}
	return coverage.Reached(plan, t.events)
}

// TestMissing: what cannot happen with the assumptions kept is not missed then.
func TestMissing(t *testing.T) {
	all := map[string]int{}
	for _, m := range coverage.Points() {
		if m.Needs == "" {
			all[m.Name] = 1
		}
	}
	if missing := coverage.Missing(all, nil); len(missing) > 0 {
		t.Errorf("missing: %v", missing)
	}
	if missing := coverage.Missing(all, []string{"A-VOTE"}); len(missing) != 1 || missing[0].Name != coverage.Forgotten {
		t.Errorf("missing when A-VOTE may be broken: %v", missing)
	}
	delete(all, coverage.LostGrant)
	if missing := coverage.Missing(all, nil); len(missing) != 1 || missing[0].Name != coverage.LostGrant {
		t.Errorf("missing: %v", missing)
	}
}

// A counter behind fencing tokens is a key of the node, and no vote.
func TestCountersAreNoVotes(t *testing.T) {
	counter := func(node string) *trace {
		return held().add(4*ms, sim.Event{
			Kind: sim.Execute, Process: "A", Node: node, Message: 1, Key: "r:fence", Value: "1", TTL: -1,
			Detail: "also",
		})
	}
	if slices.Contains(reached(counter("n3").add(500*ms, sim.Event{Kind: sim.Crash, Node: "n3"})), coverage.VoterCrash) {
		t.Error("a node that has a counter alone carries a vote")
	}
	if slices.Contains(reached(counter("n3").add(500*ms, sim.Event{
		Kind: sim.NodeCall, Node: "n3", Key: "r:fence", Command: sim.Removal,
	})), coverage.Removed) {
		t.Error("somebody who removes a counter removes a vote")
	}
}

// A lock may write something readable in place of an opaque token, as the end of its validity.
func TestReadableTokens(t *testing.T) {
	lost := func(after string) *trace {
		return new(trace).call(0, "A", "acquire").sends(ms, "A", "n1", "SET", "1767225600").arrives(2*ms, "A", "n1", 1, after, "1").
			add(3*ms, sim.Event{Kind: sim.Drop, Process: "A", Node: "n1", Message: 1, Detail: "to process: lost"})
	}
	if !slices.Contains(reached(lost("1767225600")), coverage.LostGrant) ||
		slices.Contains(reached(lost("1767229200")), coverage.LostGrant) {
		t.Error("a grant of a readable token that is lost is not seen, or one is seen that was none")
	}
}
