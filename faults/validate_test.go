package faults

import (
	"strings"
	"testing"
	"time"
)

var fiveNodes = Topology{
	Nodes: []string{"n1", "n2", "n3", "n4", "n5"}, Clients: []string{"A", "B"}, Resources: []string{"r"},
	Calls: map[string][]string{"A": {"acquire", "release", "write"}, "B": {"acquire"}},
}

func schedule(t *testing.T, lines ...string) Schedule {
	t.Helper()
	var s Schedule
	for _, line := range lines {
		f, err := ParseLine(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		s = append(s, f)
	}
	return s
}

func TestEveryExampleCanApply(t *testing.T) {
	for _, k := range Kinds() {
		lines := []string{k.Example}
		if k.Name == "restart" {
			lines = []string{"{name: n3 dies, crash: n3, at: 1s}", k.Example}
		}
		if err := schedule(t, lines...).Validate(fiveNodes); err != nil {
			t.Errorf("%s: %v", k.Name, err)
		}
	}
}

func TestWhatCannotApplyIsRefused(t *testing.T) {
	for _, test := range []struct {
		name  string
		lines []string
		index int
		field string
		want  []string
	}{
		{"unknown node", []string{"{name: x, crash: n9, at: 0s}"}, 0, "crash", []string{`node "n9"`, "n1, n2"}},
		{"unknown client", []string{"{name: x, pause: C, for: 1s, at: 0s}"}, 0, "pause", []string{`client "C"`, "A, B"}},
		{"unknown client of a link", []string{"{name: x, partition: C, from: n1, at: 0s}"}, 0, "partition", []string{`"C"`}},
		{"unknown node of a link", []string{"{name: x, partition: A, from: n7, at: 0s}"}, 0, "from", []string{`"n7"`}},
		{"node where a client is meant", []string{"{name: x, pause: n1, for: 1s, at: 0s}"}, 0, "pause", []string{`client "n1"`}},
		{"two nodes by one clock", []string{"{name: x, crash: n1 n2, timed_by: node clock, restart_after: 1s, at: 0s}"}, 0, "timed_by", []string{"one node"}},
		{"a clock for no delay", []string{"{name: x, crash: n1, timed_by: node clock, at: 0s}"}, 0, "timed_by", []string{"restart_after"}},
		{"loading without a restart", []string{"{name: x, crash: n1, loading: 1s, at: 0s}"}, 0, "loading", []string{"restart_after"}},
		{"unknown resource", []string{"{name: x, operator_delete: n1, keys: q, at: 0s}"}, 0, "keys", []string{`resource "q"`, "r"}},
		{"one name, two faults", []string{"{name: x, crash: n1, at: 0s}", "{name: x, crash: n2, at: 0s}"}, 1, "name", []string{"twice"}},
		{"trigger on an unknown client", []string{"{name: x, crash: n1, when: C acquired}"}, 0, "when", []string{`"C"`, "A, B"}},
		{"trigger on an unknown node", []string{"{name: x, crash: n1, when: n8 crashed}"}, 0, "when", []string{`"n8"`}},
		{"trigger on an unknown peer", []string{"{name: x, crash: n1, when: n1 replied to C}"}, 0, "when", []string{`"C"`}},
		{"trigger on an unknown resource", []string{"{name: x, crash: n1, when: A acquired q}"}, 0, "when", []string{`"q"`, "r"}},
		{"trigger on what a client never does", []string{"{name: x, crash: n1, when: B released}"}, 0, "when", []string{"never", "release"}},
		{"trigger on an operation never called", []string{"{name: x, crash: n1, when: A called extend}"}, 0, "when", []string{"never", "extend"}},
		{"trigger on an access nobody makes", []string{"{name: x, crash: n1, when: B accessed}"}, 0, "when", []string{"never", "access"}},
		{"trigger on what nobody does", []string{"{name: x, crash: n1, when: any extended}"}, 0, "when", []string{"never"}},
		{"what only a fault does", []string{"{name: x, reset: A, when: n1 promoted}", "{name: y, crash: n1, restart_after: 1s, at: 0s}"}, 0, "when", []string{"never", "failover"}},
		{"a crash that nothing causes", []string{"{name: x, reset: A, when: n1 crashed}"}, 0, "when", []string{"never", "crash, failover"}},
		{"a crash of another node", []string{"{name: x, reset: A, when: n1 crashed}", "{name: y, crash: n2, at: 0s}"}, 0, "when", []string{"n1", "crash, failover"}},
		{"a crash by itself", []string{"{name: x, crash: n1, when: n1 crashed}"}, 0, "when", []string{"no other fault"}},
		{"a client's crash", []string{"{name: x, reset: A, when: A crashed}", "{name: y, crash: n2, at: 0s}"}, 0, "when", []string{"never", "client_crash"}},
		{"a pause that nothing causes", []string{"{name: x, reset: A, when: any paused}"}, 0, "when", []string{"pause, suspend"}},
		{"a refusal that nothing causes", []string{"{name: x, reset: A, when: n1 refusing}"}, 0, "when", []string{"refuse"}},
		{"a step that nothing causes", []string{"{name: x, reset: A, when: n1 stepped}", "{name: y, client_clock_step: A, clock: wall, by: 1s, at: 0s}"}, 0, "when", []string{"node_clock_step"}},
		{"an eviction that nothing causes", []string{"{name: x, reset: A, when: n1 evicted}"}, 0, "when", []string{"evict"}},
		{"loading without a word of it", []string{"{name: x, reset: A, when: n1 loaded}", "{name: y, crash: n1, restart_after: 1s, at: 0s}"}, 0, "when", []string{"crash"}},
		{"an end by the node that is down", []string{"{name: x, crash: n2 n1, at: 0s, restart_when: n1 executed SET of A}"}, 0, "restart_when", []string{"itself stops n1"}},
		{"a promotion by the node that is down", []string{"{name: x, failover: n1, lag: 0s, at: 0s, promoted_when: n1 received}"}, 0, "promoted_when", []string{"itself stops n1"}},
		{"an end by the client that stands still", []string{"{name: x, pause: A, at: 0s, until: A acquired}"}, 0, "until", []string{"itself stops A"}},
		{"a pause that waits for its end", []string{"{name: x, suspend: A, at: 0s, until: A resumed}"}, 0, "until", []string{"itself stops A"}},
		{"end on an unknown client", []string{"{name: x, pause: A, at: 0s, until: C acquired}"}, 0, "until", []string{`"C"`}},
		{"restart on an unknown client", []string{"{name: x, crash: n1, at: 0s, restart_when: C acquired}"}, 0, "restart_when", []string{`"C"`}},
		{"unknown fault", []string{"{name: x, crash: n1, when: y began}", "{name: why, crash: n2, at: 0s}"}, 0, "when", []string{`fault "y"`, "why"}},
		{"itself", []string{"{name: x, crash: n1, when: x began}"}, 0, "when", []string{"itself"}},
		{"its own end", []string{"{name: x, pause: A, at: 0s, until: x ended}"}, 0, "until", []string{"itself"}},
		{"end of what does not end", []string{"{name: x, crash: n1, when: y ended}", "{name: y, crash: n2, at: 0s}"}, 0, "when", []string{"never", "does not end"}},
		{"end of an instant", []string{"{name: x, crash: n1, when: y ended}", "{name: y, node_clock_step: n2, by: 1s, at: 0s}"}, 0, "when", []string{"does not end"}},
		{"circle of two", []string{"{name: x, crash: n1, when: y began}", "{name: y, crash: n2, when: x began}"}, 0, "when", []string{"circle"}},
		{"circle over an end", []string{"{name: x, pause: A, at: 0s, until: y began}", "{name: y, crash: n2, when: x ended}"}, 0, "until", []string{"circle"}},
		{"restart of what nothing crashes", []string{"{name: x, restart: n1, at: 1s}", "{name: y, crash: n2, at: 0s}"}, 0, "restart", []string{`"n1"`}},
		{"restart of what restarts itself", []string{"{name: x, restart: n1, at: 1s}", "{name: y, crash: n1, at: 0s, restart_after: 1s}"}, 0, "restart", []string{`"n1"`}},
		{"restart before the crash", []string{"{name: x, restart: n1, at: 1s}", "{name: y, crash: n1, at: 2s}"}, 0, "restart", []string{`"n1"`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			problems := schedule(t, test.lines...).Problems(fiveNodes)
			if len(problems) != 1 {
				t.Fatalf("%d problems, want exactly one: %v", len(problems), problems)
			}
			p := problems[0]
			if p.Index != test.index || p.Field != test.field {
				t.Errorf("%v is about fault %d, %q; want fault %d, %q", p, p.Index, p.Field, test.index, test.field)
			}
			for _, want := range test.want {
				if !strings.Contains(p.Message, want) {
					t.Errorf("%q does not say %q", p.Message, want)
				}
			}
		})
	}
}

func TestWhatCanApplyIsNotRefused(t *testing.T) {
	for _, lines := range [][]string{
		{"{name: x, crash: n1, when: y ended}", "{name: y, pause: A, at: 0s, for: 1s}"},
		{"{name: x, pause: A, at: 0s, until: y began}", "{name: y, crash: n2, when: x began, after: 1s}"},
		{"{name: x, crash: n1, at: 0s}", "{name: y, restart: n1, when: x began}"},
		{"{name: x, partition: all, from: all, at: 0s}"},
		{"{name: x, crash: n1, when: any released}"},
		{"{name: x, crash: n1, when: A accessed}"},
		{"{name: x, reset: A, when: n1 crashed}", "{name: y, crash: majority, at: 0s}"},
		{"{name: x, reset: A, when: any crashed}", "{name: y, client_crash: A, at: 0s}"},
		{"{name: x, reset: A, when: A drifted}", "{name: y, suspend: A, at: 0s, for: 1s}"},
		{"{name: x, reset: A, when: n1 loaded}", "{name: y, crash: n1, restart_after: 1s, loading: 1s, at: 0s}"},
		{"{name: x, slow_node: n1, by: 1ms, at: 0s, until: n1 impaired}"},
		{"{name: x, crash: n1, at: 0s, restart_when: n1 refused to A}"},
		{"{name: x, pause: A, at: 0s, until: n1 executed SET of A}"},
	} {
		if err := schedule(t, lines...).Validate(fiveNodes); err != nil {
			t.Errorf("%v: %v", lines, err)
		}
	}
	unknownSteps := fiveNodes
	unknownSteps.Calls = nil
	parted := fiveNodes
	parted.Knows = map[string][]string{"A": {"n1", "n2", "n3"}}
	for line, valid := range map[string]bool{
		"{name: x, partition: A, from: n5 n4, at: 0s}":       false,
		"{name: x, lose: 5%, clients: A, nodes: n5, at: 0s}": false,
		"{name: x, partition: A B, from: n5, at: 0s}":        true,
		"{name: x, partition: all, from: n5, at: 0s}":        true,
		"{name: x, partition: A, from: n5 n3, at: 0s}":       true,
		"{name: x, partition: A, from: minority, at: 0s}":    true,
		"{name: x, reset: A, at: 0s}":                        true,
	} {
		if err := schedule(t, line).Validate(parted); (err == nil) != valid {
			t.Errorf("%s where A asks n1, n2 and n3: %v", line, err)
		}
	}
	crashing := fiveNodes
	crashing.Calls = map[string][]string{"A": {"acquire", "crash"}, "B": {"acquire"}}
	if err := schedule(t, "{name: x, crash: n1, when: A crashed}").Validate(crashing); err != nil {
		t.Errorf("with a step crash: %v", err)
	}
	aliases := fiveNodes
	aliases.OneServer = []string{"n2", "n3"}
	if err := schedule(t, "{name: x, reset: A, when: n2 crashed}", "{name: y, crash: n3, at: 0s}").Validate(aliases); err != nil {
		t.Errorf("two addresses of one server: %v", err)
	}
	if err := schedule(t, "{name: x, crash: n1, when: B released}").Validate(unknownSteps); err != nil {
		t.Errorf("without known steps: %v", err)
	}
}

// A schedule built in Go is held to the same rules as one that was read.
func TestGoValuesAreHeldToTheNotation(t *testing.T) {
	for name, f := range map[string]Fault{
		"no effect":       {Name: "x"},
		"no name":         {Effect: &Restart{Nodes: []string{"n1"}}},
		"negative time":   {Name: "x", Effect: &Crash{Nodes: []string{"n1"}, How: "process crash"}, Begin: Trigger{At: -time.Second}},
		"no step":         {Name: "x", Effect: &NodeClockStep{Nodes: []string{"n1"}}},
		"no direction":    {Name: "x", Effect: &Partition{Clients: []string{"A"}, Nodes: []string{"n1"}}},
		"ending instant":  {Name: "x", Effect: &NodeClockStep{Nodes: []string{"n1"}, By: 1}, End: Ending{Ends: true, For: 1}},
		"endless pause":   {Name: "x", Effect: &Pause{Clients: []string{"A"}}},
		"no such word":    {Name: "x", Effect: &Reset{Clients: []string{"A"}, Nodes: []string{All}}, Begin: Trigger{When: Pattern{Subject: "A", Word: "slept"}}},
		"no such peer":    {Name: "x", Effect: &Reset{Clients: []string{"A"}, Nodes: []string{All}}, Begin: Trigger{When: Pattern{Subject: "A", Word: "crashed", Peer: "n1"}}},
		"negative length": {Name: "x", Effect: &Pause{Clients: []string{"A"}}, End: Ending{Ends: true, For: -1}},
	} {
		if err := (Schedule{f}).Validate(fiveNodes); err == nil {
			t.Errorf("%s: %s was accepted", name, f)
		}
	}
}

func TestValidateListsEverythingInOrder(t *testing.T) {
	err := schedule(t, "{name: x, crash: n9, when: C acquired}", "{name: y, pause: D, for: 1s, at: 0s}").Validate(fiveNodes)
	if err == nil {
		t.Fatal("accepted")
	}
	lines := strings.Split(err.Error(), "\n")
	want := []string{"fault 1 (x), crash:", "fault 1 (x), when:", "fault 2 (y), pause:"}
	if len(lines) != len(want) {
		t.Fatalf("%d problems, want %d:\n%v", len(lines), len(want), err)
	}
	for i := range want {
		if !strings.HasPrefix(lines[i], want[i]) {
			t.Errorf("line %d is %q, want %q…", i+1, lines[i], want[i])
		}
	}
}

// A trigger that belongs to no fault is held to the rules of one that does.
func TestTriggersOfNoFault(t *testing.T) {
	s := schedule(t, "{name: x, pause: A, for: 1s, at: 0s}")
	for _, test := range []struct {
		fields []Field
		want   string // in the only problem; "" for none
	}{
		{[]Field{{"at", "1s"}}, ""},
		{[]Field{{"when", "x ended"}, {"after", "1s"}}, ""},
		{[]Field{{"when", "A acquired"}, {"nth", "2"}}, ""},
		{[]Field{{"when", "x ends"}}, "nearest"},
		{[]Field{{"at", "1s"}, {"every", "2s"}}, "unknown word"},
		{[]Field{{"when", "y ended"}}, `unknown fault "y"`},
		{[]Field{{"when", "B released"}}, "no step of B calls release"},
		{[]Field{{"when", "n1 crashed"}}, "no other fault does that"},
	} {
		trigger, problems := ParseTrigger(test.fields)
		if len(problems) == 0 {
			problems = s.TriggerProblems(trigger, fiveNodes)
		}
		if len(problems) > 1 || (len(problems) == 1) != (test.want != "") {
			t.Errorf("%v: %d problems, want %q: %v", test.fields, len(problems), test.want, problems)
		} else if len(problems) == 1 && !strings.Contains(problems[0].Message, test.want) {
			t.Errorf("%v: %q does not say %q", test.fields, problems[0].Message, test.want)
		}
	}
}
