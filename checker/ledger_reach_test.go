package checker

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A goal may be about nobody: then no assumption is broken.
func TestGoalAboutNobody(t *testing.T) {
	history := &History{Header: headerFor(1000), Goals: []Goal{{
		ID: "g", Bound: "b", Form: GoalSome, Action: ActionAcquire, Except: "A", WithinNS: 400,
	}}}
	history.Header.Clients = history.Header.Clients[:1]
	verdict := Judge(history, Options{})
	if verdict.Liveness.Status != Inconclusive || len(verdict.Broken()) > 0 {
		t.Error(verdict.Summary())
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
			ID: "g", Bound: "b",
			Form: GoalSome, Action: ActionAcquire, Client: "B", FromNS: 100, WithinNS: 400, HealNS: test.heal,
			Needs: []string{AssumptionHeal}}}}
		history.Header.Nodes, history.Header.Quorum = []string{"n1", "n2", "n3"}, 2
		verdict := Judge(history, Options{})
		if broken := len(verdict.Broken()) == 1 && verdict.Broken()[0] == AssumptionHeal; broken != test.broken {
			t.Errorf("%s: broken %v\n%s", test.name, verdict.Broken(), verdict.Summary())
		}
	}
}

// The holder itself is no contender: that it reaches every node heals nothing.
func TestExceptedClientHealsNothing(t *testing.T) {
	history := &History{Header: headerFor(1000), Goals: []Goal{{
		ID: "g", Bound: "b", Form: GoalSome,
		Action: ActionAcquire, Except: "A", WithinNS: 400, Needs: []string{AssumptionHeal}}}}
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
		o := Operation{
			ID: client + "1", Client: client, Action: ActionAcquire, Resource: "r", CallNS: call, ReturnNS: returned,
			Outcome: OutcomeFail,
		}
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
			ID: "g", Bound: "b",
			Form: GoalSome, Action: ActionAcquire, Resource: "r", FromNS: from, WithinNS: until - from,
			Needs: []string{AssumptionHeal}}}}
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

// A slow link breaks A-HEAL through each demand for a success that it keeps from a quorum,
// even where the goal needs nothing, and through no other demand.
func TestSlowLinks(t *testing.T) {
	slow := func(client string, nodes ...string) Fact {
		return Fact{Fact: FactSlowLink, Name: "slow", Client: client, Nodes: nodes}
	}
	for _, test := range []struct {
		name   string
		form   GoalForm
		facts  []Fact
		broken bool
	}{
		{"a majority", GoalSome, []Fact{slow("B", "n1", "n2")}, true},
		{"all nodes", GoalEachSucceeds, []Fact{slow("B")}, true},
		{"a minority", GoalSome, []Fact{slow("B", "n1")}, false},
		{"another client's", GoalSome, []Fact{slow("A", "n1", "n2")}, false},
		{"a demand for an end", GoalEachReturns, []Fact{slow("B")}, false},
		{"a demand for silence", GoalNeverSent, []Fact{slow("B")}, false},
		{"a fault beside it, which the goal stands", GoalSome,
			[]Fact{slow("B", "n1"), {Fact: FactFault, Name: "cut", Client: "B", Nodes: []string{"n2"}}}, false},
	} {
		history := &History{Header: headerFor(1000), Facts: test.facts, Goals: []Goal{{
			ID: "g", Bound: "b", Form: test.form, Action: ActionAcquire, Client: "B", FromNS: 100, WithinNS: 400,
		}}, Operations: []Operation{
			{ID: "B.1", Client: "B", Action: ActionAcquire, Resource: "r", CallNS: 150, Outcome: OutcomeUnknown},
		}}
		history.Header.Nodes, history.Header.Quorum = []string{"n1", "n2", "n3"}, 2
		verdict := Judge(history, Options{})
		if broken := slices.Equal(verdict.Broken(), []string{AssumptionHeal}); broken != test.broken {
			t.Errorf("%s: broken %v\n%s", test.name, verdict.Broken(), verdict.Summary())
		}
	}
}

// TestTries: an unmet goal breaks A-TRIES if each contender ran out of its tries in its window
// and did not call again. Losses that left none of them one TTL break A-HEAL instead.
func TestTries(t *testing.T) {
	gave := func(client string, at int64) Fact {
		return Fact{Fact: FactFewTries, Name: client + " gave up after one try", Client: client, Key: "r", AtNS: at}
	}
	lost := func(node string, from, until int64) Fact {
		return Fact{Fact: FactLost, Name: "a message", Client: "B", Nodes: []string{node}, AtNS: from, UntilNS: At(until)}
	}
	asks := func(client string, call int64) Operation {
		return Operation{
			ID: fmt.Sprintf("%s.%d", client, call), Client: client, Action: ActionAcquire, Resource: "r",
			CallNS: call, ReturnNS: At(call + 50), Outcome: OutcomeFail,
		}
	}
	b, c := asks("B", 150), asks("C", 150)
	for _, test := range []struct {
		name   string
		facts  []Fact
		calls  []Operation
		broken string
	}{
		{"nothing was in its way", nil, []Operation{b}, ""},
		{"it gave up", []Fact{gave("B", 200)}, []Operation{b}, AssumptionTries},
		{"before the window", []Fact{gave("B", 99)}, []Operation{asks("B", 49), b}, ""},
		{"it called again", []Fact{gave("B", 200)}, []Operation{b, asks("B", 300)}, ""},
		{"another contender did not", []Fact{gave("B", 200)}, []Operation{b, c}, ""},
		{"both", []Fact{gave("B", 200), gave("C", 200)}, []Operation{b, c}, AssumptionTries},
		{"all was lost before it gave up", []Fact{gave("B", 200), lost("n1", 150, 600), lost("n2", 160, 600)}, []Operation{b}, AssumptionHeal},
		{"a minority was lost", []Fact{gave("B", 200), lost("n1", 150, 600)}, []Operation{b}, AssumptionTries},
		{"losses, then a TTL without, and it goes on", []Fact{lost("n1", 150, 300), lost("n2", 150, 300)}, []Operation{b, asks("B", 440)}, ""},
		{"losses, then one less", []Fact{lost("n1", 150, 301), lost("n2", 150, 301)}, []Operation{b, asks("B", 440)}, AssumptionHeal},
	} {
		history := &History{Header: headerFor(1000), Facts: test.facts, Operations: test.calls, Goals: []Goal{{
			ID: "g", Bound: "b", Form: GoalSome, Action: ActionAcquire, Resource: "r", FromNS: 100, WithinNS: 400,
		}}}
		history.Header.Nodes, history.Header.Quorum, history.Header.TTLNS = []string{"n1", "n2", "n3"}, 2, 200
		verdict := Judge(history, Options{})
		if len(verdict.Problems) > 0 {
			t.Fatal(test.name, verdict.Problems)
		}
		if broken := strings.Join(verdict.Broken(), " "); broken != test.broken {
			t.Errorf("%s: broken %q, want %q\n%s", test.name, broken, test.broken, verdict.Summary())
		}
	}
}

// TestNotAcquired: a call that failed decides a goal whose deadline lies behind the end of the
// run, if every client has ended, and none with such a call under way.
func TestNotAcquired(t *testing.T) {
	failed := Operation{
		ID: "B.1", Client: "B", Action: ActionAcquire, Resource: "r", CallNS: 150, ReturnNS: At(200), Outcome: OutcomeFail,
	}
	open := Operation{ID: "C.1", Client: "C", Action: ActionAcquire, Resource: "r", CallNS: 150, Outcome: OutcomeUnknown}
	for _, test := range []struct {
		name  string
		done  bool
		calls []Operation
		want  Status
	}{
		{"all have ended", true, []Operation{failed}, Violated},
		{"the run was cut", false, []Operation{failed}, Inconclusive},
		{"one crashed while it asked", true, []Operation{failed, open}, Inconclusive},
		{"nobody asked", true, nil, Inconclusive},
	} {
		history := &History{Header: headerFor(1000), Operations: test.calls, Goals: []Goal{{
			ID: "g", Bound: "b", Form: GoalSome, Action: ActionAcquire, Resource: "r", FromNS: 100, WithinNS: 4000,
		}}}
		history.Header.ClientsDone = test.done
		verdict := Judge(history, Options{})
		if verdict.Liveness.Status != test.want {
			t.Errorf("%s: %s, want %s", test.name, verdict.Liveness.Status, test.want)
		}
		for _, finding := range verdict.Liveness.Findings {
			if finding.AtNS > history.Header.EndNS {
				t.Errorf("%s: found at %d, behind the end of the run", test.name, finding.AtNS)
			}
		}
	}
}
