package sim

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"pgregory.net/rapid"
)

// TestKeys goes through one trace by hand: what each event tells, and what the node has afterwards.
func TestKeys(t *testing.T) {
	const s = time.Second
	set := func(at time.Duration, process, value string, ttl time.Duration) Event {
		return Event{At: at, Kind: Execute, Process: process, Node: "n1", Key: "r", Value: value, TTL: ttl}
	}
	on := func(at time.Duration, kind Kind) Event {
		return Event{At: at, Kind: kind, Node: "n1", Key: "r"}
	}
	a := func(ends time.Duration) KeyState { return KeyState{"token#1", "A", ends} }
	b := func(ends time.Duration) KeyState { return KeyState{"token#2", "B", ends} }
	var none KeyState
	var keys Keys
	for i, step := range []struct {
		event  Event
		told   bool
		before KeyState
		after  KeyState
	}{
		{on(0, Expire), false, none, none}, // nothing was there
		{set(1*s, "A", "", 0), true, none, none},
		{set(1*s, "A", "token#1", 10*s), true, none, a(11 * s)},
		{set(2*s, "B", "token#1", 9*s), true, a(11 * s), a(11 * s)}, // refused: the key is as it was
		{set(3*s, "A", "token#1", 10*s), true, a(11 * s), a(13 * s)},
		{Event{At: 4 * s, Kind: ClockStep, Node: "n1", Duration: 3 * s}, false, none, a(10 * s)},
		{Event{At: 4 * s, Kind: ClockStep, Node: "n2", Duration: 3 * s}, false, none, a(10 * s)},
		{Event{At: 4 * s, Kind: ClockStep, Process: "A", Duration: 3 * s}, false, none, a(10 * s)},
		{Event{At: 4 * s, Kind: Execute, Process: "A", Node: "n1", Command: "PING"}, false, none, a(10 * s)},
		{Event{At: 4 * s, Kind: Send, Process: "B", Node: "n1", Key: "r"}, false, none, a(10 * s)},
		{on(5*s, Crash), false, none, a(10 * s)},
		{on(5*s, Restart), false, none, a(10 * s)},
		{on(5*s, Forget), true, a(10 * s), none},
		{set(6*s, "B", "token#2", 10*s), true, none, b(16 * s)},
		{Event{At: 7 * s, Kind: Revive, Node: "n1", Key: "r", Value: "token#1", TTL: 3 * s}, true, b(16 * s), a(10 * s)},
		{on(10*s, Expire), true, a(10 * s), none},
		{set(11*s, "B", "token#2", -1), true, none, b(Forever)},
		{Event{At: 12 * s, Kind: ClockStep, Node: "n1", Duration: s}, false, none, b(Forever)},
		{Event{At: 12 * s, Kind: NodeCall, Node: "n1", Key: "r", Command: "DEL"}, false, none, b(Forever)},
		{Event{At: 12 * s, Kind: NodeCall, Node: "n1", Key: "r", Command: Removal, Value: "token#2"}, true, b(Forever), none},
		{Event{At: 12 * s, Kind: NodeCall, Node: "n1", Key: "r", Command: Removal}, false, none, none},
		{Event{At: 13 * s, Kind: Revive, Node: "n1", Key: "r", Value: "before the trace"}, true, none, KeyState{"before the trace", "", Forever}},
	} {
		change, told := keys.Apply(&step.event)
		if told != step.told || change.Before != step.before ||
			told && (change.After != step.after || change.Node != "n1" || change.Key != "r") {
			t.Errorf("step %d, %s: told %v, %+v; want %v, %+v to %+v", i+1, step.event.AppendJSON(nil), told, change, step.told, step.before, step.after)
		}
		if got := keys.At("n1", "r"); got != step.after {
			t.Errorf("step %d, %s: the node has %+v, want %+v", i+1, step.event.AppendJSON(nil), got, step.after)
		}
		if gained, lost := change.Gained(), change.Lost(); gained != (told && step.after.Exists() &&
			step.after.Value != step.before.Value) || lost != (told && step.before.Exists() && !step.after.Exists()) {
			t.Errorf("step %d: gained %v, lost %v", i+1, gained, lost)
		}
	}
}

// TestKeysAgreesWithTheEngines plays random commands, faults and third parties,
// and compares what is read from the trace with what the engines hold.
func TestKeysAgreesWithTheEngines(t *testing.T) {
	names, compared := []string{"r", "s"}, 0
	rapid.Check(t, func(t *rapid.T) {
		config := Config{
			Seed: rapid.Uint64().Draw(t, "seed"), Nodes: []NodeConfig{{Name: "n1"}, {Name: "n2"}},
			Processes: []ProcessConfig{{Name: "A"}, {Name: "B"}},
			Network:   NetworkConfig{Latency: Latency{Min: time.Millisecond, Max: 3 * time.Millisecond}},
			Bounds:    Bounds{Events: 10_000, Virtual: time.Minute}, Drain: time.Second,
		}
		for i := range config.Nodes {
			config.Nodes[i].Persistence = rapid.SampledFrom([]Persistence{NoPersistence, RDB, AOFEverySec, AOFAlways}).
				Draw(t, "persistence")
			config.Nodes[i].SnapshotEvery = 100 * time.Millisecond
		}
		commands := rapid.SliceOfN(rapid.SampledFrom([]string{
			"SET r @ NX PX 60", "SET s @ PX 200", "SET r @", "DEL r s", "DEL s", "GETSET r @", "FLUSHALL",
		}), 0, 20).Draw(t, "commands")
		acts := rapid.SliceOfN(rapid.SampledFrom([]func(*Node){
			func(n *Node) { n.Crash(ProcessCrash, "f") },
			func(n *Node) { n.Crash(PowerLoss, "f") }, func(n *Node) { n.Restart("f") },
			func(n *Node) { n.Restart("f") },
			func(n *Node) { n.Operator("f", "DEL", "r") }, func(n *Node) { n.Operator("f", "FLUSHALL") },
			func(n *Node) { n.Evict(1, "f") },
			func(n *Node) { n.Clock().Step(30*time.Millisecond, "f") },
			func(n *Node) { n.Clock().Step(-30*time.Millisecond, "f") },
		}), 0, 10).Draw(t, "acts")
		var keys Keys
		writers := map[string]string{} // of the value A3, say, which A sets with its fourth command
		for number := range commands {
			for _, p := range config.Processes {
				writers[fmt.Sprint(p.Name, number)] = p.Name
			}
		}
		var mismatches []string // a test that ended inside of the bubble would not end the bubble
		bad := func(format string, arguments ...any) {
			mismatches = append(mismatches, fmt.Sprintf(format, arguments...))
		}
		compare := func(n *Node) {
			if !n.up {
				return
			}
			n.settle()
			held := slices.DeleteFunc(slices.Clone(names), func(key string) bool { return !n.engine.Exists(key) })
			if read := keys.On(n.Name); !slices.Equal(read, held) {
				bad("%v: %s holds %q; the trace tells of %q", n.world.now, n.Name, held, read)
			}
			for _, key := range held {
				value, _ := n.engine.Get(key)
				got := keys.At(n.Name, key)
				if got.Value != value || got.Owner != writers[value] {
					bad("%v: %s holds %s=%s of %s; the trace tells of %+v", n.world.now, n.Name, key, value, writers[value], got)
				}
				ttl := n.engine.TTL(key)
				if (ttl > 0) != (got.Ends != Forever) ||
					ttl > 0 && (got.Ends-n.world.now-ttl).Abs() > 2*time.Millisecond {
					bad("%v: %s on %s has %v left; the trace tells of an end at %v", n.world.now, key, n.Name, ttl, got.Ends)
				}
				compared++
			}
		}
		_, err := Run(config, Options{}, func(w *World) error {
			w.Observe(func(e Event) { keys.Apply(&e) })
			for i, act := range acts {
				w.At(time.Duration(7+13*i)*time.Millisecond, func() { act(w.nodes[i%2]) })
			}
			for i := range 50 {
				w.At(time.Duration(5*i)*time.Millisecond+1300*time.Microsecond, func() {
					compare(w.nodes[0])
					compare(w.nodes[1])
				})
			}
			for i, p := range w.processes {
				p.Go(func(ctx context.Context) {
					for number, command := range commands {
						value := fmt.Sprint(p.Name, number)
						c := redis.NewClient(DriverOptions(w.nodes[(i+number)%2].Address, p.Dial, Timeouts{
							Dial: 11 * time.Millisecond, Read: 12 * time.Millisecond, Write: 13 * time.Millisecond,
						}))
						p.OnEnd(func() { _ = c.Close() })
						var words []any
						for _, word := range strings.Fields(strings.ReplaceAll(command, "@", value)) {
							words = append(words, word)
						}
						_ = c.Do(ctx, words...).Err() // a node may be down
						_ = p.Sleep(ctx, 5*time.Millisecond)
					}
				})
			}
			return nil
		})
		if err != nil || len(mismatches) > 0 {
			t.Fatal(err, strings.Join(mismatches, "\n"))
		}
	})
	if compared < 100 {
		t.Errorf("only %d keys were compared", compared)
	}
}

func TestPurposes(t *testing.T) {
	for command, want := range map[string]Purpose{
		"SET": PurposeAcquire, "GETSET": PurposeAcquire,
		"acquire_fenced": PurposeAcquire, "extend": PurposeExtend, "PEXPIRE": PurposeExtend,
		"release": PurposeRelease, "DELEX": PurposeRelease, "GET": PurposeRead, "fence": PurposeRead,
		"INFO": PurposeInspect, "EVALSHA": PurposeUnknown, "": PurposeUnknown,
	} {
		if got := PurposeOf(command); got != want {
			t.Errorf("%q: %q, want %q", command, got, want)
		}
	}
	for _, p := range slices.Sorted(maps.Values(purposes)) {
		if p.AboutLock() != slices.Contains([]Purpose{PurposeAcquire, PurposeExtend, PurposeRelease}, p) {
			t.Errorf("%q about a lock: %v", p, p.AboutLock())
		}
	}
}

// TestPurposesInOperations: the open operation decides where a name does not say what it is for.
func TestPurposesInOperations(t *testing.T) {
	for _, test := range []struct {
		command, key string
		open, want   Purpose
	}{
		{"SET", "r", PurposeAcquire, PurposeAcquire},
		{"SET", "r", PurposeUnknown, PurposeAcquire},
		{"SET", "r", PurposeExtend, PurposeExtend}, // of a lock that extends with it
		{"SETNX", "r", PurposeAcquire, PurposeAcquire},
		{"GETSET", "r", PurposeAcquire, PurposeAcquire},
		{"acquire_fenced", "r", PurposeAcquire, PurposeAcquire},
		{"extend", "r", PurposeExtend, PurposeExtend},
		{"PEXPIRE", "r", PurposeUnknown, PurposeExtend},
		{"release", "r", PurposeAcquire, PurposeRelease}, // clean-up after a failed attempt
		{"DEL", "r", PurposeRelease, PurposeRelease},
		{"DELEX", "r", PurposeUnknown, PurposeRelease}, {"DELIFEQ", "r", PurposeUnknown, PurposeRelease},
		{"EVALSHA", "r", PurposeRelease, PurposeRelease},
		{"EVALSHA", "r", PurposeAcquire, PurposeAcquire},
		{"EVALSHA", "r", PurposeUnknown, PurposeUnknown},
		{"GET", "r", PurposeRelease, PurposeRead}, // the look before a DEL is no release yet
		{"INCR", "r:fence", PurposeAcquire, PurposeRead},
		{"fence", "r", PurposeAcquire, PurposeRead},
		{"INFO", "", PurposeAcquire, PurposeInspect},
		{"HELLO", "", PurposeUnknown, PurposeInspect},
		{"EXEC", "", PurposeRelease, PurposeRead},
	} {
		if got := purposeIn(test.command, test.key, test.open); got != test.want {
			t.Errorf("%s of %q while in %q: purpose %q, want %q", test.command, test.key, test.open, got, test.want)
		}
	}
}

func TestTokenOf(t *testing.T) {
	for _, test := range []struct{ command, detail, want string }{
		{"SET", "set r token#1 ex 1 NX", "token#1"}, {"GETSET", "GETSET r 1767225600", "1767225600"}, {"DELEX", "DELEX r IFEQ token#1", "token#1"}, {"DELIFEQ", "DELIFEQ r token#1", "token#1"},
		{"extend", "EVALSHA extend 1 r token#1 1000", "token#1"}, {"release", "EVAL release 1 r token#1", "token#1"},
		{"acquire_fenced", "evalsha acquire_fenced 2 r r:fence token#1 1000", "token#1"}, {"EVALSHA", "EVALSHA (script) 1 r token#1", "token#1"},
		{"DEL", "del r", ""}, {"PEXPIRE", "PEXPIRE r 1000", ""}, {"SET", "SET r", ""}, {"release", "EVALSHA release 1 r", ""},
		{"release", "EVALSHA release x r token#1", ""}, {"release", "EVALSHA release -9 r token#1", ""}, {"release", "EVALSHA", ""}, {"", "", ""},
	} {
		if got := (&Request{Sent: &Event{Command: test.command, Detail: test.detail}}).Token(); got != test.want {
			t.Errorf("%s carries %q, want %q", test.detail, got, test.want)
		}
	}
}
