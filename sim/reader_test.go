package sim_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"redlocklab/scenarios"
	"redlocklab/scenarios/play"
	_ "redlocklab/scenarios/subjects"
	"redlocklab/sim"
)

// TestReader goes through one trace by hand: which request, operation and lease each event is
// about, and which purpose each request has.
func TestReader(t *testing.T) {
	client := func(kind sim.Kind, lease, detail string) sim.Event {
		return sim.Event{Kind: kind, Process: "A", Resource: "r", Lease: lease, Detail: detail, Duration: 10}
	}
	about := func(kind sim.Kind, message int, command, value, detail string) sim.Event {
		return sim.Event{
			Kind: kind, Process: "A", Node: "n1", Message: message, Command: command, Key: "r", Value: value,
			Detail: detail,
		}
	}
	trace := []struct {
		event sim.Event
		want  string // what the step shows
	}{
		{about(sim.Send, 1, "GET", "", "GET r"), "1 read of none"},
		{client(sim.Call, "", "acquire: second try"), "acquire"},
		{about(sim.Deliver, 9, "GET", "", ""), ""}, // nobody sent it
		{about(sim.Send, 2, "EVALSHA", "", "EVALSHA (script) 1 r token#1 10"), "2 acquire of acquire token#1"},
		{about(sim.Delay, 2, "EVALSHA", "", ""), "2 acquire of acquire token#1"},
		{about(sim.Deliver, 2, "EVALSHA", "", ""), "2 acquire of acquire token#1"},
		{about(sim.Execute, 2, "EVALSHA", "token#1+", "1"), "2 acquire of acquire token#1 executed, r gained"},
		{sim.Event{Kind: sim.Execute, Process: "A", Node: "n1", Message: 2, Key: "r:count", Detail: "also"},
			"2 acquire of acquire token#1 executed"},
		{about(sim.Reply, 2, "EVALSHA", "", "1"), "2 acquire of acquire token#1 executed answered"},
		{about(sim.Drop, 2, "EVALSHA", "", ""), "2 acquire of acquire token#1 executed answered"}, // it has arrived
		{sim.Event{Kind: sim.Acquired, Process: "A", Resource: "r", Lease: "A#1", Value: "token#1", Duration: 10},
			"acquire ended, lease A#1 1 terms holding 1 until 21ns"},
		{about(sim.Send, 3, "SET", "", "SET r token#1 XX"), "3 acquire of none token#1"},
		{client(sim.Extended, "A#1", "by the watchdog"), "lease A#1 2 terms holding 1 until 23ns"},
		{client(sim.Call, "A#1", "write"), "write, lease A#1 2 terms holding 1 until 23ns"},
		{client(sim.Extended, "A#1", "by the watchdog"), "lease A#1 3 terms holding 1 until 25ns"}, // no return of the write
		{client(sim.Call, "A#1", "extend"), "extend, lease A#1 3 terms holding 1 until 25ns"},
		{about(sim.Send, 4, "SET", "", "SET r token#1 XX"), "4 extend of extend token#1"},
		{about(sim.Send, 5, "release", "", "EVALSHA release 1 r token#1"), "5 release of extend token#1"},
		{about(sim.Send, 6, "INFO", "", "INFO"), "6 inspect of extend"},
		{client(sim.Failed, "A#1", "extend: no quorum"), "extend ended, lease A#1 3 terms holding 1 until 25ns"},
		{about(sim.Drop, 4, "SET", "", ""), "4 extend of extend token#1 dropped"},
		{client(sim.Lapsed, "A#1", ""), "lease A#1 3 terms holding 1 until 25ns lapsed"},
		{client(sim.Call, "A#1", "release"), "release, lease A#1 3 terms holding 1 until 25ns released lapsed"},
		{about(sim.Execute, 5, "release", "", "1"), "5 release of extend token#1 executed, r lost"}, // it stays with the extension
		{about(sim.Drop, 5, "release", "", ""), "5 release of extend token#1 executed dropped"},
		{client(sim.Released, "A#1", ""), "release ended, lease A#1 3 terms holding 1 until 25ns released lapsed"},
		{client(sim.Released, "A#1", ""), "lease A#1 3 terms holding 1 until 25ns released lapsed"}, // of nothing
		{client(sim.Call, "", "acquire"), "acquire"},
		{sim.Event{Kind: sim.Crash, Process: "A"}, ""},
		{client(sim.Failed, "", "acquire: crashed"), ""}, // the crash ended it
	}
	var reader sim.Reader
	for i := range trace {
		e := &trace[i].event
		e.Seq, e.At = i+1, time.Duration(i+1)
		step := reader.Apply(e)
		if got := meaning(&step); got != trace[i].want {
			t.Errorf("event %d, %s: found %q, want %q", i+1, e.AppendJSON(nil), got, trace[i].want)
		}
	}
	l := reader.Latest("A")
	if l.Value != "token#1+" || l.Acquired().Seq != 11 || l.Extensions() != 2 || reader.Latest("B") != nil ||
		reader.Open("A") != nil {
		t.Errorf("at the end: %+v, open %v", l, reader.Open("A"))
	}
	if l.Acquisition.Call.Seq != 2 || l.Acquisition.Return != l.Acquired() || l.Released.Seq != 23 ||
		l.Lapsed.Seq != 22 {
		t.Errorf("the lease %+v of the operation %+v", l, l.Acquisition)
	}
}

// meaning is a step in words.
func meaning(step *sim.Step) string {
	var parts []string
	if q := step.Request; q != nil {
		during := "none"
		if q.Operation != nil {
			during = q.Operation.Name
		}
		words := strings.TrimSpace(fmt.Sprintf("%d %s of %s %s", q.Message, q.Purpose, during, q.Token()))
		if q.Executed != nil {
			words += " executed"
		}
		if q.Replied != nil {
			words += " answered"
		}
		if q.Dropped != nil {
			words += " dropped"
		}
		parts = append(parts, words)
	}
	if c := step.Change; c != nil && c.Gained() {
		parts = append(parts, c.Key+" gained")
	} else if c != nil && c.Lost() {
		parts = append(parts, c.Key+" lost")
	}
	if o := step.Operation; o != nil {
		words := o.Name
		if o.Return == step.Event {
			words += " ended"
		}
		parts = append(parts, words)
	}
	if l := step.Lease; l != nil {
		words := fmt.Sprintf("lease %s %d terms holding %s until %v", l.ID, len(l.Terms), l.Token[len("token#"):], l.Until())
		if l.Released != nil {
			words += " released"
		}
		if l.Lapsed != nil {
			words += " lapsed"
		}
		parts = append(parts, words)
	}
	return strings.Join(parts, ", ")
}

// TestReaderOfTheSuite holds the reader to what its documentation promises, on a run of each
// row of the suite, and to what the clients of the run noted themselves.
func TestReaderOfTheSuite(t *testing.T) {
	suite, err := scenarios.Suite()
	if err != nil {
		t.Fatal(err)
	}
	if testing.Short() {
		suite = suite[:20]
	}
	requests, leases := 0, 0
	for _, s := range suite {
		for _, subject := range s.Subjects {
			plan, err := s.Plan(subject.Title(), 1)
			if err != nil {
				t.Fatal(err)
			}
			run, err := play.Run(plan, play.RunOptions{})
			if err != nil {
				t.Fatal(err)
			}
			row := s.Name + " " + subject.Title()
			q, l := checkReader(t, row, run)
			requests, leases = requests+q, leases+l
		}
	}
	if requests == 0 || leases == 0 {
		t.Errorf("%d requests, %d leases", requests, leases)
	}
}

func checkReader(t *testing.T, row string, run *play.Result) (requests, leases int) {
	t.Helper()
	var reader sim.Reader
	operations := map[string][]*sim.Operation{}
	for step := range reader.Steps(run.Events) {
		e, q := step.Event, step.Request
		switch e.Kind {
		case sim.Call:
			if o := step.Operation; o == nil || o.Call != e || o.Process != e.Process || reader.Open(e.Process) != o {
				t.Errorf("%s: event %d begins the operation %+v", row, e.Seq, o)
			}
			if step.Operation.Purpose.AboutLock() {
				operations[e.Process] = append(operations[e.Process], step.Operation)
			}
		case sim.Acquired, sim.Released, sim.Failed:
			if o := step.Operation; o == nil || o.Return != e || o.Call.Seq >= e.Seq || reader.Open(e.Process) != nil {
				t.Errorf("%s: event %d ends the operation %+v", row, e.Seq, o)
			}
		case sim.Send, sim.Deliver, sim.Execute, sim.Reply:
			elsewhere := e.Kind == sim.Execute // an address may lead to another server
			if q == nil || q.Message != e.Message || q.Process != e.Process || q.Node != e.Node && !elsewhere {
				t.Fatalf("%s: event %d is of the request %+v", row, e.Seq, q)
			}
		}
		if q == nil {
			continue
		}
		if e.Kind == sim.Send {
			requests++
			if q.Operation != reader.Open(e.Process) {
				t.Errorf("%s: request %d belongs to %+v", row, q.Message, q.Operation)
			}
		}
		last := 0
		for _, each := range []*sim.Event{q.Sent, q.Delivered, q.Executed, q.Replied} {
			if each == nil && last != 0 {
				continue
			}
			if each == nil || each.Seq <= last {
				t.Errorf("%s: request %d: %v after event %d", row, q.Message, each, last)
				continue
			}
			last = each.Seq
		}
		if q.Replied != nil && (q.Executed == nil || q.Dropped != nil) || q.Executed != nil && q.Delivered == nil {
			t.Errorf("%s: request %d skips a state: %+v", row, q.Message, q)
		}
	}
	for i := range run.History.Leases {
		noted := &run.History.Leases[i]
		l := reader.Latest(noted.Client)
		if l == nil {
			t.Errorf("%s: the trace shows no lease of %s", row, noted.Client)
			continue
		}
		if l.ID != noted.ID {
			continue
		}
		leases++
		if l.Token != noted.Token || (l.Released != nil) != (noted.ReleasedNS != nil) || l.Acquisition == nil {
			t.Errorf("%s: lease %+v; its client noted %+v", row, l, noted)
		}
	}
	seen := map[string]int{}
	for _, noted := range run.History.Operations {
		all, i := operations[noted.Client], seen[noted.Client]
		seen[noted.Client]++
		if i >= len(all) || all[i].Name != string(noted.Action) || all[i].Resource != noted.Resource {
			t.Errorf("%s: operation %d of %s is not what its client noted: %+v", row, i, noted.Client, noted)
			continue
		}
		if (all[i].Return != nil) != (noted.ReturnNS != nil) {
			t.Errorf("%s: %s returned: %v; its client noted %+v", row, noted.ID, all[i].Return, noted)
		}
	}
	return requests, leases
}
