package explain_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"redlocklab/sim"
	"redlocklab/sim/explain"
)

func tell(t *testing.T, run *explain.Run, options explain.StoryOptions) *explain.Story {
	t.Helper()
	story, err := explain.NewStory(run, options)
	if err != nil {
		t.Fatal(err)
	}
	return story
}

func printed(t *testing.T, story *explain.Story) string {
	t.Helper()
	var b strings.Builder
	if _, err := story.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A reader must be able to retell BA-2 from these lines, in this order.
func TestForgettingIsTold(t *testing.T) {
	story := tell(t, forgetting(), explain.StoryOptions{CausalOnly: true})
	next := 0
	for _, want := range []struct {
		mark  explain.Mark
		words []string
	}{
		{explain.MarkFault, []string{"A cannot reach n4 and n5"}},
		{explain.MarkNone, []string{"A asks all five nodes for lock r", "TTL 10 s"}},
		{explain.MarkHolds, []string{"n1, n2 and n3 say yes", "n4 and n5 cannot be reached", "3 of 5 is a quorum", "A holds r until 9.898 s"}},
		{explain.MarkFault, []string{"n3 crashes", "forgotten A's vote", "which had 9.9 s left", "breaks A-VOTE"}},
		{explain.MarkHolds, []string{"n3, n4 and n5 say yes", "n1 and n2 say no (they have A's key)", "B holds r"}},
		{explain.MarkViolation, []string{"both A and B hold r from 0.204 s to 3.204 s (3 s)", "mutual exclusion is violated", "A-VOTE (line 4)"}},
	} {
		for ; next < len(story.Lines); next++ {
			if contains(story.Lines[next].Text, want.words) {
				break
			}
		}
		if next == len(story.Lines) {
			t.Fatalf("no line in order says %q:\n%s", want.words, printed(t, story))
		}
		if got := story.Lines[next].Mark; got != want.mark {
			t.Errorf("line %d is marked %q, want %q", next+1, got, want.mark)
		}
	}
}

// lineOf is the number of the line that tells an event; 0 when none does.
func lineOf(s *explain.Story, seq int) int {
	for _, l := range s.Lines {
		if slices.Contains(l.Events, seq) {
			return l.Number
		}
	}
	return 0
}

func contains(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

func TestPauseAndPartitionAreTold(t *testing.T) {
	for _, c := range []struct {
		run   *explain.Run
		words []string
	}{
		{jumping(), []string{"n3's clock jumps forward by 11 s", "A's key for r expires on n3, although A is entitled to r until 9.898 s",
			"B crashes and does not come back", "an operator runs DEL r on n1", "n1 thereby loses A's key for r, which had 8 s left; this breaks A-OWNER", "mutual exclusion is violated; broken assumption: A-STEP (line 5). <<<", "Broken assumption A-OWNER (line 13)"}},
		{pausing(), []string{"A is paused", "A continues after 12 s; its lease A/1 ended 2.15 s ago", "four more times", "A-WORK (line 4)"}},
		{cutting(), []string{"A's release fails (no quorum)", "five more times", "n5's clock jumps back by 300 ms",
			"B still holds r", "Nothing is violated", "All assumptions were kept"}},
	} {
		text := strings.Join(strings.Fields(printed(t, tell(t, c.run, explain.StoryOptions{}))), " ")
		for _, w := range c.words {
			if !strings.Contains(text, w) {
				t.Errorf("%s: nothing says %q:\n%s", c.run.Claim, w, text)
			}
		}
	}
}

func TestEveryEventIsToldOnce(t *testing.T) {
	for _, s := range stories {
		run := s.make()
		told := make([]int, len(run.Events)+1)
		for _, l := range tell(t, run, explain.StoryOptions{}).Lines {
			if !slices.IsSorted(l.Events) {
				t.Errorf("%s: events of line %d are not in order", s.name, l.Number)
			}
			for _, seq := range l.Events {
				told[seq]++
			}
		}
		for seq := 1; seq < len(told); seq++ {
			if told[seq] != 1 {
				t.Errorf("%s: event %d (%s) is told %d times", s.name, seq, run.Events[seq-1].Kind, told[seq])
			}
		}
	}
}

// The causal story keeps every event of the violated leases' clients from the
// begin of their leases to the end of the violation, and every fault. The
// expectation is computed here from the leases alone.
func TestCausalStoryKeepsTheCause(t *testing.T) {
	for _, s := range stories {
		run := s.make()
		story := tell(t, run, explain.StoryOptions{CausalOnly: true})
		for _, e := range run.Events {
			due := e.Kind == sim.Crash || e.Kind == sim.Cut || e.Kind == sim.Pause || e.Kind == sim.Forget
			for _, v := range run.Violations {
				var leases []explain.Lease
				for _, id := range v.Leases {
					leases = append(leases,
						run.Leases[slices.IndexFunc(run.Leases, func(l explain.Lease) bool { return l.ID == id })])
				}
				over := v.Until
				if over == 0 {
					over = min(leases[0].Until, leases[1].Until)
				}
				for _, l := range leases {
					due = due || e.Process == l.Client && l.From <= e.At && e.At <= min(l.Until, over)
				}
			}
			if due && lineOf(story, e.Seq) == 0 {
				t.Errorf("%s: event %d (%s of %s%s) is missing", s.name, e.Seq, e.Kind, e.Process, e.Node)
			}
		}
	}
}

func TestCausalStoryLeavesTheRestOut(t *testing.T) {
	run := forgetting()
	run.Processes = append(run.Processes, "C")
	bystander := sim.Event{
		Seq: len(run.Events) + 1, At: 20 * time.Second, Kind: sim.Call, Process: "C", Resource: "r", Detail: "acquire",
	}
	run.Events = append(run.Events, bystander)
	if line := lineOf(tell(t, run, explain.StoryOptions{}), bystander.Seq); line == 0 {
		t.Error("the whole story leaves a call out")
	}
	if line := lineOf(tell(t, run, explain.StoryOptions{CausalOnly: true}), bystander.Seq); line != 0 {
		t.Errorf("the causal story tells a bystander in line %d", line)
	}
}

func TestStoryIsDeterministic(t *testing.T) {
	for _, s := range stories {
		first := printed(t, tell(t, s.make(), explain.StoryOptions{}))
		for range 20 {
			if again := printed(t, tell(t, s.make(), explain.StoryOptions{})); again != first {
				t.Fatalf("%s: told in two ways:\n%s\n%s", s.name, first, again)
			}
		}
	}
}

// TestQuorumOfThoseAsked: a quorum is one of the nodes that a lock asks.
func TestQuorumOfThoseAsked(t *testing.T) {
	for _, c := range []struct {
		asks map[string][]string
		want []string
	}{
		{nil, []string{"5 nodes, 3 are a quorum", "3 of 5 is a quorum"}},
		{map[string][]string{"A": {"n1"}, "B": {"n1"}}, []string{"5 nodes, A and B ask n1 ·"}},
		{map[string][]string{"A": {"n1", "n2", "n3", "n4"}}, []string{"A asks n1, n2, n3 and n4, 3 are a quorum, B asks all five nodes, 3 are a quorum", "3 of 4 is a quorum", "3 of 5 is a quorum"}},
	} {
		run := forgetting()
		run.Asks = c.asks
		got := strings.Join(strings.Fields(printed(t, tell(t, run, explain.StoryOptions{}))), " ")
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%v: no %q in:\n%s", c.asks, want, got)
			}
		}
		if strings.Contains(got, "1 of 5 is a quorum") || len(c.asks) == 2 && strings.Contains(got, "of 5 is") {
			t.Errorf("%v: it counts nodes that nobody asks:\n%s", c.asks, got)
		}
	}
}

func TestStoryOfNothing(t *testing.T) {
	story := tell(t, &explain.Run{Processes: []string{"A"}, Nodes: []string{"n1"}}, explain.StoryOptions{CausalOnly: true})
	if len(story.Lines) != 0 || len(story.Verdict) == 0 {
		t.Errorf("an empty run has %d lines and verdict %q", len(story.Lines), story.Verdict)
	}
	lone := &explain.Run{
		Processes: []string{"A"}, Nodes: []string{"n1"}, Events: []sim.Event{{Seq: 1, Kind: sim.Timer, Process: "A"}},
	}
	if line := lineOf(tell(t, lone, explain.StoryOptions{}), 1); line != 1 {
		t.Errorf("a lone timer is told in line %d, want 1", line)
	}
}

func TestRunsThatContradictThemselves(t *testing.T) {
	for name, spoil := range map[string]func(*explain.Run){
		"name twice":        func(r *explain.Run) { r.Processes = append(r.Processes, "n1") },
		"asks nobody":       func(r *explain.Run) { r.Asks = map[string][]string{"A": {"n9"}} },
		"lease twice":       func(r *explain.Run) { r.Leases = append(r.Leases, r.Leases[0]) },
		"lease backwards":   func(r *explain.Run) { r.Leases[0].Until = r.Leases[0].From - 1 },
		"lease of nobody":   func(r *explain.Run) { r.Leases[0].Client = "Z" },
		"unknown process":   func(r *explain.Run) { r.Events[3].Process = "Z" },
		"unknown node":      func(r *explain.Run) { r.Events[3].Node = "n9" },
		"gap in the trace":  func(r *explain.Run) { r.Events[3].Seq = 99 },
		"time goes back":    func(r *explain.Run) { r.Events[9].At = -1 },
		"unknown kind":      func(r *explain.Run) { r.Events[3].Kind = "miracle" },
		"violation of none": func(r *explain.Run) { r.Violations[0].Leases[0] = "Z/1" },
		"violation beyond":  func(r *explain.Run) { r.Violations[0].Event = 1 << 20 },
		"broken beyond":     func(r *explain.Run) { r.Broken[0].Event = -1 },
	} {
		run := forgetting()
		spoil(run)
		if _, err := explain.NewStory(run, explain.StoryOptions{}); !errors.Is(err, explain.ErrRun) {
			t.Errorf("%s: error %v, want ErrRun", name, err)
		}
	}
}

// A dial may or may not have a number of its own; its loss is told either way.
func TestNumberedDialsAreDials(t *testing.T) {
	run := forgetting()
	for i := range run.Events {
		if e := &run.Events[i]; e.Kind == sim.Dial || e.Kind == sim.Drop && e.Message == 0 {
			e.Message = 1000 + e.Conn
		}
	}
	if got, want := printed(t,
		tell(t, run, explain.StoryOptions{})), printed(t, tell(t, forgetting(), explain.StoryOptions{})); got != want {
		t.Errorf("numbered dials change the story:\n%s", got)
	}
}

// A vote of a node that has not been up for long enough is told as none.
func TestGuardLeavesVotesOut(t *testing.T) {
	for _, c := range []struct {
		guard time.Duration
		want  string
	}{
		{0, "n3, n4 and n5 say yes; n1 and n2 say no (they have A's key): 3 of 5 is a quorum, B holds r"},
		{10 * time.Second, "n3 has been up for 98.1 ms, less than 10 s: its vote does not count: 2 of 5 is no quorum, and yet B holds r"},
		{90 * ms, "3 of 5 is a quorum, B holds r"},
	} {
		run := forgetting()
		run.Guard = c.guard
		if got := strings.Join(strings.Fields(printed(t, tell(t, run, explain.StoryOptions{}))),
			" "); !strings.Contains(got, c.want) {
			t.Errorf("guard of %v: no %q in:\n%s", c.guard, c.want, got)
		}
	}
}

// A guard asks nodes how long they have been up, again and again: the story tells it once,
// and the attempts around it, too. It tells nodes that do not answer.
func TestQuestionsOfAGuardAreToldOnce(t *testing.T) {
	tape := newTape("A", "B")
	tape.round(ms, "A", "SET", "token#1", "")
	tape.client(20*ms, sim.Call, "B", "", "acquire")
	for i := range 4 {
		at := time.Duration(30+20*i) * ms
		tape.round(at, "B", "SET", fmt.Sprintf("token#%d", i+2), "")
		tape.round(at+8*ms, "B", "INFO", "", "")
	}
	tape.client(120*ms, sim.Failed, "B", "", "acquire: contended")
	tape.request(130*ms, "B", "n1", "INFO", "", path{out: ms, back: ms})
	tape.request(130*ms, "B", "n5", "INFO", "", path{out: ms, lost: "request"})
	text := strings.Join(strings.Fields(printed(t, tell(t, tape.finish(), explain.StoryOptions{}))), " ")
	for _, want := range []string{"B asks all five nodes how long they have been up (and three more times", "the request to n5 is lost"} {
		if strings.Count(text, want) != 1 {
			t.Errorf("not once %q in:\n%s", want, text)
		}
	}
	if n := strings.Count(text, "B asks all five nodes for lock r"); n > 2 { // the last one fails otherwise
		t.Errorf("%d attempts are told by themselves:\n%s", n, text)
	}
}

// A count that another client raises is no lost vote.
func TestCountersAreNoVotes(t *testing.T) {
	for command, lost := range map[string]bool{"INCR": false, "SET": true} {
		run := &explain.Run{Processes: []string{"A", "B"}, Nodes: []string{"n1"}, Events: []sim.Event{
			{Seq: 1, At: 1 * ms, Kind: sim.Execute, Process: "A", Node: "n1", Message: 1, Command: command, Key: "r:grants", Value: "1", TTL: -1, Detail: "1"},
			{Seq: 2, At: 5 * ms, Kind: sim.Execute, Process: "B", Node: "n1", Message: 2, Command: command, Key: "r:grants", Value: "2", TTL: -1, Detail: "2"},
			{Seq: 3, At: 9 * ms, Kind: sim.Done, Process: "B"},
		}}
		picture := drawn(t, run, explain.StoryOptions{})
		if strings.Contains(picture, "ended by B") != lost || strings.Contains(picture, `data-s="key" data-e="1 2">1<`) == lost {
			t.Errorf("%s: told as lost, or not as a count:\n%s", command, picture)
		}
	}
}

// Nodes that no client uses are left out, but not from the whole story.
func TestUnusedNodesAreLeftOut(t *testing.T) {
	run := forgetting()
	run.Nodes = append(run.Nodes, "n6")
	asked := []string{"n1", "n2", "n3", "n4", "n5"}
	run.Asks = map[string][]string{"A": asked, "B": asked}
	last := run.Events[len(run.Events)-1]
	run.Events = append(run.Events, sim.Event{Seq: last.Seq + 1, At: last.At, Kind: sim.ClockRate, Node: "n6", PPM: 100})
	for _, violations := range [][]explain.Violation{run.Violations, nil} {
		run.Violations = violations
		if line := lineOf(tell(t, run, explain.StoryOptions{}), last.Seq+1); line == 0 {
			t.Error("the whole story leaves a clock out")
		}
		if line := lineOf(tell(t, run, explain.StoryOptions{CausalOnly: true}), last.Seq+1); line != 0 {
			t.Errorf("a clock that nobody uses is told in line %d", line)
		}
	}
}

// Attempts with a script of several keys are told apart by their tokens: what the second one
// asks is no late request of the first, whose dial of n2 had no answer.
func TestAttemptsOfFencedLocksAreToldApart(t *testing.T) {
	tape := newTape("A")
	tape.client(0, sim.Call, "A", "", "acquire")
	tape.put(ms, sim.Dial, func(e *sim.Event) { e.Process, e.Node, e.Conn = "A", "n2", 1 })
	for i, node := range []string{"n1", "n2", "n1"} {
		attempt, at := min(i, 1)+1, time.Duration(2+20*i)*ms
		tape.message++
		number := tape.message
		with := func(e *sim.Event) {
			e.Process, e.Node, e.Message, e.Command, e.Key = "A", node, number, "acquire_fenced", "r"
		}
		tape.put(at, sim.Send, func(e *sim.Event) {
			with(e)
			e.Detail = fmt.Sprintf("EVALSHA acquire_fenced 2 r {r}:fence token#%d 10000", attempt)
		})
		tape.put(at+ms, sim.Deliver, with)
		tape.put(at+ms, sim.Execute, func(e *sim.Event) { with(e); e.Detail = "-1" })
		tape.put(at+2*ms, sim.Reply, func(e *sim.Event) { with(e); e.Detail = "-1" })
	}
	tape.client(80*ms, sim.Failed, "A", "", "acquire: contended")
	text := strings.Join(strings.Fields(printed(t, tell(t, tape.finish(), explain.StoryOptions{}))), " ")
	for _, want := range []string{"n1 says no (-1); n2 is not connected in time", "n1 and n2 say no (-1)"} {
		if strings.Count(strings.ReplaceAll(text, "n2 and n1", "n1 and n2"), want) != 1 {
			t.Errorf("not once %q in:\n%s", want, text)
		}
	}
}
