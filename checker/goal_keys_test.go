package checker

import "testing"

// TestClears: what is given up must go, unless somebody or something keeps its client from it.
func TestClears(t *testing.T) {
	set := func(token string, at, ttl int64) NodeEvent {
		return NodeEvent{
			Node: "n1", Client: "A", Resource: "r", What: NodeSet, Asked: ActionAcquire, Token: token, AtNS: at,
			SentNS: At(at - 5), TTLNS: ttl,
		}
	}
	after := func(what NodeAction, asked Action, sent, at int64) NodeEvent {
		return NodeEvent{
			Node: "n1", Client: "A", Resource: "r", What: what, Asked: asked, Token: "t", AtNS: at, SentNS: At(sent),
		}
	}
	refused := after(NodeRefuse, ActionRelease, 150, 160)
	refused.Token = ""
	until := func(at int64) *int64 { return &at }
	lease := Lease{
		ID: "A#1", Client: "A", Resource: "r", Token: "t", Operation: "1",
		Validity: []Validity{{AtNS: 20, UntilNS: 900}}, ReleasedNS: At(100),
	}
	failed := Operation{
		ID: "1", Client: "A", Action: ActionAcquire, Resource: "r", Token: "t", CallNS: 1, ReturnNS: At(100),
		Outcome: OutcomeFail,
	}
	restored := set("u", 60, 800)
	restored.Asked = ActionExtend
	another := set("u", 60, 800)
	another.Lease = "A#0"
	tokenless := failed
	tokenless.Token = ""
	unknown := failed
	unknown.ReturnNS, unknown.Outcome = nil, OutcomeUnknown
	for _, test := range []struct {
		name   string
		failed *Operation // an acquisition in place of a lease and its release
		events []NodeEvent
		facts  []Fact
		want   Status
	}{
		{"deleted at the last instant", nil, []NodeEvent{set("t", 10, 800), after(NodeDelete, ActionRelease, 105, 300)}, nil, Holds},
		{"deleted too late", nil, []NodeEvent{set("t", 10, 800), after(NodeDelete, ActionRelease, 310, 320)}, nil, Violated},
		{"never deleted", nil, []NodeEvent{set("t", 10, 800)}, nil, Violated},
		{"it expires in time", nil, []NodeEvent{set("t", 10, 290)}, nil, Holds},
		{"set after the release", nil, []NodeEvent{after(NodeRefuse, ActionRelease, 105, 110), set("t", 120, 800)}, nil, Violated},
		{"set after the release, and released again", nil, []NodeEvent{set("t", 120, 800), after(NodeDelete, ActionRelease, 130, 140)}, nil, Holds},
		{"extended", nil, []NodeEvent{set("t", 10, 200), {Node: "n1", Client: "A", Resource: "r", What: NodeExtend, Asked: ActionExtend, Token: "t", AtNS: 90, TTLNS: 800}}, nil, Violated},
		{"a release is under way", nil, []NodeEvent{set("t", 10, 800), after(NodeDelete, ActionRelease, 105, 700)}, nil, Holds},
		{"a release that is refused", nil, []NodeEvent{set("t", 10, 800), refused}, nil, Holds},
		{"a refused release after the next attempt", &failed, []NodeEvent{set("t", 10, 800), refused}, nil, Violated},
		{"another's key", nil, []NodeEvent{set("t", 10, 40), set("u", 60, 800)}, nil, Holds},
		{"an operator deleted it", nil, []NodeEvent{set("t", 10, 800)}, []Fact{{Fact: FactOwner, Node: "n1", Key: "r", AtNS: 200, RemainingNS: 5}}, Holds},
		{"the node is down for long", nil, []NodeEvent{set("t", 10, 800)}, []Fact{{Fact: FactFault, Name: "down", Nodes: []string{"n1"}, AtNS: 90, UntilNS: until(650)}}, Holds},
		{"the node is up again for long enough", nil, []NodeEvent{set("t", 10, 800)}, []Fact{{Fact: FactFault, Name: "down", Nodes: []string{"n1"}, AtNS: 90, UntilNS: until(400)}}, Violated},
		{"another client is cut off", nil, []NodeEvent{set("t", 10, 800)}, []Fact{{Fact: FactFault, Name: "cut", Client: "B", AtNS: 90}}, Violated},
		{"its client stands still", nil, []NodeEvent{set("t", 10, 800)}, []Fact{{Fact: FactPaused, Client: "A", AtNS: 90, UntilNS: until(700)}}, Holds},
		{"a failed acquisition leaves it", &failed, []NodeEvent{set("t", 10, 800)}, nil, Violated},
		{"a failed acquisition deletes it", &failed, []NodeEvent{set("t", 10, 800), after(NodeDelete, ActionRelease, 99, 110)}, nil, Holds},
		{"a failed acquisition without a token leaves it", &tokenless, []NodeEvent{set("t", 10, 800)}, nil, Violated},
		{"an extension puts a key back meanwhile", &tokenless, []NodeEvent{restored}, nil, Holds},
		{"a key of another lease is put back meanwhile", &tokenless, []NodeEvent{another}, nil, Holds},
		{"nobody knows whether the client lives", &unknown, []NodeEvent{set("t", 10, 800)}, nil, Holds},
	} {
		history := &History{Header: headerFor(1000), NodeEvents: test.events, Facts: test.facts}
		history.Goals = []Goal{{ID: "g", Bound: "b", Form: GoalEachClears, Action: ActionRelease, WithinNS: 200}}
		if test.failed != nil {
			history.Operations = []Operation{acquire("0", "A#0", 0, 0), *test.failed, acquire("2", "A#2", 120, 130)}
			history.Leases = []Lease{{ID: "A#0", Client: "A", Resource: "r", Token: "u", Operation: "0"}}
			history.Goals[0].Action = ActionAcquire
		} else {
			history.Leases = []Lease{lease}
			history.Operations = []Operation{acquire("1", "A#1", 1, 20), release("2", "A#1", 100, 110)}
		}
		if answer := judgeGoal(newIndex(history), &history.Goals[0]); answer.Status != test.want {
			t.Errorf("%s: %s: %s, want %s", test.name, answer.Status, answer.Text, test.want)
		}
	}
	nothing := &History{
		Header: headerFor(1000),
		Goals:  []Goal{{ID: "g", Bound: "b", Form: GoalEachClears, Action: ActionRelease, WithinNS: 200}},
	}
	if answer := judgeGoal(newIndex(nothing), &nothing.Goals[0]); answer.Status != Inconclusive {
		t.Errorf("nothing was called: %s", answer.Status)
	}
}

// TestSentInTime: nothing may be sent for a lease that has ended, by time, release or both.
func TestSentInTime(t *testing.T) {
	sent := func(client string, asked Action, at int64) NodeEvent {
		return NodeEvent{
			Node: "n1", Client: client, Resource: "r", What: NodeRefuse, Asked: asked, SentNS: At(at), AtNS: at + 500,
		}
	}
	extended := held("A#1", 20, 300, 200, 600)
	for _, test := range []struct {
		name   string
		leases []Lease
		event  NodeEvent
		want   Status
	}{
		{"at the last instant", []Lease{held("A#1", 20, 300)}, sent("A", ActionExtend, 310), Holds},
		{"too late", []Lease{held("A#1", 20, 300)}, sent("A", ActionExtend, 311), Violated},
		{"extended before", []Lease{extended}, sent("A", ActionExtend, 599), Holds},
		{"after the extended end", []Lease{extended}, sent("A", ActionExtend, 650), Violated},
		{"after the release", []Lease{released(held("A#1", 20, 300), 100)}, sent("A", ActionExtend, 150), Violated},
		{"for a later lease", []Lease{held("A#1", 20, 300), held("A#2", 400, 700)}, sent("A", ActionExtend, 450), Holds},
		{"another command", []Lease{held("A#1", 20, 300)}, sent("A", ActionRelease, 400), Holds},
		{"another client", []Lease{held("A#1", 20, 300)}, sent("B", ActionExtend, 400), Holds},
		{"no lease", nil, sent("A", ActionExtend, 400), Inconclusive},
	} {
		history := &History{Header: headerFor(2000), Leases: test.leases, NodeEvents: []NodeEvent{test.event}}
		goal := Goal{ID: "g", Bound: "b", Form: GoalSentInTime, Action: ActionExtend, WithinNS: 10}
		if answer := judgeGoal(newIndex(history), &goal); answer.Status != test.want {
			t.Errorf("%s: %s: %s, want %s", test.name, answer.Status, answer.Text, test.want)
		}
	}
}

// TestClearsWithoutTokens: where a lock reports no token, what its client's next attempt sends at
// the instant of a failed one's return is not the failed one's.
func TestClearsWithoutTokens(t *testing.T) {
	for sent, want := range map[int64]Status{99: Violated, 100: Holds} {
		history := &History{
			Header: headerFor(1000),
			Operations: []Operation{
				{
					ID: "1", Client: "A", Action: ActionAcquire, Resource: "r", CallNS: 1, ReturnNS: At(100),
					Outcome: OutcomeFail,
				},
				acquire("2", "A#1", 100, 120),
			},
			NodeEvents: []NodeEvent{{
				Node: "n1", Client: "A", Resource: "r", What: NodeSet, Asked: ActionAcquire, Token: "t",
				SentNS: At(sent), AtNS: 110, TTLNS: 800,
			}},
			Goals: []Goal{{ID: "g", Bound: "b", Form: GoalEachClears, Action: ActionAcquire, WithinNS: 200}},
		}
		if answer := judgeGoal(newIndex(history), &history.Goals[0]); answer.Status != want {
			t.Errorf("sent at %d: %s: %s, want %s", sent, answer.Status, answer.Text, want)
		}
	}
}
