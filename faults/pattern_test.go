package faults

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"redlocklab/sim"
)

func TestPatternsMatchWhatTheySay(t *testing.T) {
	reply := sim.Event{Kind: sim.Reply, Process: "A", Node: "n3"}
	set := sim.Event{Kind: sim.Execute, Process: "A", Node: "n3", Command: "SET"}
	called := sim.Event{Kind: sim.Call, Process: "A", Resource: "r", Detail: "acquire: second try"}
	nodeCrash := sim.Event{Kind: sim.Crash, Node: "n3"}
	clientCrash := sim.Event{Kind: sim.Crash, Process: "A"}
	for _, test := range []struct {
		pattern string
		event   sim.Event
		want    bool
	}{
		{"n3 replied to A", reply, true},
		{"n3 replied", reply, true},
		{"n3 replied SET to A", sim.Event{Kind: sim.Reply, Process: "A", Node: "n3", Command: "SET"}, true},
		{"n3 replied DEL to A", sim.Event{Kind: sim.Reply, Process: "A", Node: "n3", Command: "SET"}, false},
		{"any replied to A", reply, true},
		{"n2 replied to A", reply, false},
		{"n3 replied to B", reply, false},
		{"n3 executed SET of A", set, true},
		{"n3 executed set of A", set, true},
		{"n3 executed DEL of A", set, false},
		{"n3 executed of A", set, true},
		{"n3 received SET of A", set, false},
		{"A called acquire", called, true},
		{"A called acquire of r", called, true},
		{"A called acquire of other", called, false},
		{"A called extend", called, false},
		{"A called", called, true},
		{"any called acquire", called, true},
		{"B called acquire", called, false},
		{"A failed acquire", called, false},
		{"n3 crashed", nodeCrash, true},
		{"A crashed", nodeCrash, false},
		{"A crashed", clientCrash, true},
		{"n3 crashed", clientCrash, false},
		{"any crashed", nodeCrash, true},
		{"any crashed", clientCrash, true},
		{"A sent SET to n3", sim.Event{Kind: sim.Send, Process: "A", Node: "n3", Command: "SET"}, true},
		{"A sent SET to n4", sim.Event{Kind: sim.Send, Process: "A", Node: "n3", Command: "SET"}, false},
		{"A acquired r", sim.Event{Kind: sim.Acquired, Process: "A", Resource: "r"}, true},
		{"A acquired r", sim.Event{Kind: sim.Acquired, Process: "A", Resource: "q"}, false},
		{"n3 promoted", sim.Event{Kind: sim.Restart, Node: "n3", Detail: sim.Promoted}, true},
		{"n3 promoted", sim.Event{Kind: sim.Restart, Node: "n3"}, false},
		{"n3 restarted", sim.Event{Kind: sim.Restart, Node: "n3", Detail: sim.Promoted}, true},
		{"n3 loading", sim.Event{Kind: sim.Impair, Node: "n3", Detail: sim.Loading}, true},
		{"n3 loading", sim.Event{Kind: sim.Impair, Node: "n3", Detail: sim.ReadOnly}, false},
		{"n3 loaded", sim.Event{Kind: sim.Recover, Node: "n3", Detail: sim.Loading}, true},
		{"n3 refusing", sim.Event{Kind: sim.Impair, Node: "n3", Detail: sim.ReadOnly}, true},
		{"n3 refusing", sim.Event{Kind: sim.Impair, Node: "n3", Detail: sim.Stopped}, false},
		{"n3 stopped", sim.Event{Kind: sim.Impair, Node: "n3", Detail: sim.Stopped}, true},
		{"n3 continued", sim.Event{Kind: sim.Recover, Node: "n3", Detail: sim.Stopped}, true},
		{"any impaired", sim.Event{Kind: sim.Impair, Node: "n3", Detail: sim.Stopped}, true},
		{"A impaired", sim.Event{Kind: sim.Impair, Process: "A", Detail: sim.Slow}, true},
		{"A recovered", sim.Event{Kind: sim.Recover, Node: "n3"}, false},
		{"n3 evicted", sim.Event{Kind: sim.NodeCall, Node: "n3", Command: sim.Eviction}, true},
		{"n3 evicted", sim.Event{Kind: sim.NodeCall, Node: "n3", Command: sim.Removal}, false},
		{"n3 removed", sim.Event{Kind: sim.NodeCall, Node: "n3", Command: sim.Removal}, true},
		{"n3 operated FLUSHALL", sim.Event{Kind: sim.NodeCall, Node: "n3", Command: "FLUSHALL"}, true},
		{"n3 operated DEL", sim.Event{Kind: sim.NodeCall, Node: "n3", Command: "FLUSHALL"}, false},
		{"n3 stepped", sim.Event{Kind: sim.ClockStep, Node: "n3"}, true},
		{"A drifted", sim.Event{Kind: sim.ClockRate, Process: "A"}, true},
		{"A lost SET to n3", sim.Event{Kind: sim.Drop, Process: "A", Node: "n3", Command: "SET"}, true},
		{"A lost SET to n3", sim.Event{Kind: sim.Drop, Process: "A", Node: "n2", Command: "SET"}, false},
		{"A delayed", sim.Event{Kind: sim.Delay, Process: "A", Node: "n2"}, true},
		{"A reset to n3", sim.Event{Kind: sim.Reset, Process: "A", Node: "n3"}, true},
		{"A dialed to n3", sim.Event{Kind: sim.Dial, Process: "A", Node: "n3"}, true},
		{"A woke", sim.Event{Kind: sim.Timer, Process: "A"}, true},
		{"x began", sim.Event{Kind: sim.Crash, Fault: "x"}, false},
	} {
		p, err := ParsePattern(test.pattern)
		if err != nil {
			t.Errorf("%q: %v", test.pattern, err)
			continue
		}
		if got := p.Match(test.event, sim.PurposeUnknown); got != test.want {
			t.Errorf("%q on %+v: %v, want %v", test.pattern, test.event, got, test.want)
		}
	}
	if (Pattern{}).Match(reply, sim.PurposeUnknown) {
		t.Error("the zero pattern matches")
	}
}

func TestPatternErrorsGiveTheAllowedWords(t *testing.T) {
	for _, test := range []struct {
		pattern string
		want    []string
	}{
		{"", []string{"<client or node>"}},
		{"A", []string{"<client or node>"}},
		{"began", []string{"<client or node>"}},
		{"A aquired", []string{`"aquired"`, "acquired", "nearest: acquired", "lapsed"}},
		{"n3 acquired", []string{`"acquired"`, "executed", "replied"}},
		{"A executed SET", []string{`"executed"`, "called"}},
		{"n3 exploded", []string{"executed", "refused"}},
		{"3A acquired", []string{`"3A"`, "client's name"}},
		{"all acquired", []string{`"all"`, "any"}},
		{"A acquired r now", []string{`"now"`, "A acquired r", "a resource"}},
		{"A called jump", []string{`"jump"`, "acquire, extend, release"}},
		{"A called acquire of", []string{"needs a name"}},
		{"n3 executed SET of", []string{"needs a name", "client"}},
		{"n3 executed SET of n4", []string{`"n4"`, "the name of a client"}},
		{"any executed SET of n4", []string{`"n4"`, "the name of a client"}},
		{"A sent SET to B", []string{`"B"`, "the name of a node"}},
		{"n3 replied to any", []string{`"any"`, "the name of a client"}},
		{"A paused now", []string{`"now"`, "allowed: nothing"}},
		{"!x began", []string{`"!x"`, "fault's name"}},
	} {
		_, err := ParsePattern(test.pattern)
		if err == nil {
			t.Errorf("%q was accepted", test.pattern)
			continue
		}
		for _, want := range test.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %q does not say %q", test.pattern, err, want)
			}
		}
	}
}

// FuzzParsePattern holds the parser to two laws: it never panics, and what it
// accepts it prints in a form that it reads back to the same pattern.
func FuzzParsePattern(f *testing.F) {
	for _, seed := range []string{"A acquired", "n3 executed SET of A", "n3 forgets ended", "any called acquire of r", "A sent to n1", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParsePattern(text)
		if err != nil {
			return
		}
		again, err := ParsePattern(p.String())
		if err != nil || again != p {
			t.Fatalf("%q was read as %+v, printed as %q, and read back as %+v, %v", text, p, p.String(), again, err)
		}
	})
}

// Every event that the world can write can be waited for, but for the beginnings
// and ends of faults on messages and on resources, for which "<fault> began" and "… ended" stand.
func TestEveryEventCanBeWaitedFor(t *testing.T) {
	waited := map[sim.Kind]bool{sim.Cut: true, sim.Heal: true, sim.ResourceRestart: true}
	for _, w := range slices.Concat(clientWords, nodeWords) {
		waited[w.kind] = true
	}
	source, err := os.ReadFile("../sim/event.go")
	if err != nil {
		t.Fatal(err)
	}
	declared := regexp.MustCompile(`(?m)^\t\w+ +Kind += "(\w+)"`).FindAllStringSubmatch(string(source), -1)
	if len(declared) < 30 {
		t.Fatalf("found only %d kinds of events in the source", len(declared))
	}
	for _, k := range declared {
		if !waited[sim.Kind(k[1])] {
			t.Errorf("no pattern waits for %s", k[1])
		}
	}
}
