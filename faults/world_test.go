package faults

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/sim"
)

// play runs a schedule in a real world of five nodes: A sets key r on one node
// after the other, in twenty rounds.
func play(t *testing.T, s Schedule) (*sim.Result, []Count) {
	t.Helper()
	config := sim.Config{
		Seed: 3, Processes: []sim.ProcessConfig{{Name: "A"}, {Name: "B"}},
		Network: sim.NetworkConfig{Latency: sim.Latency{Min: time.Millisecond, Max: 4 * time.Millisecond}},
		Bounds:  sim.Bounds{Events: 100_000, Virtual: time.Minute}, Drain: time.Second,
	}
	for _, name := range fiveNodes.Nodes {
		config.Nodes = append(config.Nodes, sim.NodeConfig{Name: name})
	}
	if err := s.Validate(Topology{
		Nodes: fiveNodes.Nodes, Clients: fiveNodes.Clients, Resources: fiveNodes.Resources,
	}); err != nil {
		t.Fatal(err)
	}
	var installed *Installed
	result, err := sim.Run(config, sim.Options{Keep: true}, func(w *sim.World) error {
		installed = Install(w, s)
		a := w.Process("A")
		var clients []*redis.Client
		for _, n := range w.Nodes() {
			c := redis.NewClient(sim.DriverOptions(n.Address, a.Dial, sim.Timeouts{
				Dial: 51 * time.Millisecond, Read: 52 * time.Millisecond, Write: 53 * time.Millisecond,
			}))
			clients = append(clients, c)
			a.OnEnd(func() { _ = c.Close() })
		}
		a.Go(func(ctx context.Context) {
			for round := range 20 {
				for _, c := range clients {
					c.Set(ctx, "r", fmt.Sprint("value", round), time.Minute) // errors are what faults are for
				}
				a.Record(sim.Event{Kind: sim.Call, Resource: "r", Detail: "acquire"})
			}
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if result.Outcome != sim.Finished {
		t.Fatalf("the run ended with: %s", result.Outcome)
	}
	return result, installed.Fired()
}

// caused lists the events that a fault caused, without times and details.
func caused(events []sim.Event, fault string) []string {
	var list []string
	for _, e := range events {
		if e.Fault == fault && e.Kind != sim.Drop && e.Kind != sim.Delay && e.Kind != sim.Reset {
			list = append(list, strings.TrimSpace(string(e.Kind)+" "+e.Node+e.Process))
		}
	}
	return list
}

func TestSchedulesActInTheWorld(t *testing.T) {
	s := schedule(t,
		"{name: n3 forgets, crash: n3, restart_after: 10ms, when: n3 executed SET of A, nth: 2}",
		"{name: n2 leaps, node_clock_step: n2, by: 2m0s, when: n3 forgets ended, after: 1ms}",
		"{name: n1 is fast, node_clock_rate: n1, ppm: 5000, for: 50ms, at: 20ms}",
		"{name: cut, partition: A, from: n4 n5, for: 200ms, at: 60ms}",
		"{name: A stops, pause: A, for: 70ms, when: A called acquire, nth: 3}",
		"{name: A's watch, client_clock_step: A, clock: wall, by: -1s, when: A stops began}",
		"{name: A is slow, client_clock_rate: A, clock: boottime, ppm: -300, at: 5ms}",
		"{name: some vanish, lose: 10%, nodes: n1, for: 100ms, at: 500ms}",
		"{name: some are late, delay: 5ms..9ms, probability: 50%, nodes: n2, for: 100ms, at: 400ms}",
		"{name: n5 dies, crash: n5, end: power loss, at: 700ms}",
		"{name: n5 is back, restart: n5, when: n5 dies began, after: 100ms}",
		"{name: a tidy operator, operator_delete: n1, keys: r, at: 300ms}",
		"{name: a wrong terminal, operator_flush: n1, at: 310ms}",
		"{name: the lid is closed, suspend: B, for: 100ms, at: 600ms}",
		"{name: B dies, client_crash: B, at: 1s}")
	result, fired := play(t, s)
	for _, count := range fired {
		if count.Began != 1 || count.Acted != 1 {
			t.Errorf("%s began %d times and acted %d times", count.Fault, count.Began, count.Acted)
		}
	}
	for fault, want := range map[string][]string{
		"n3 forgets":        {"crash n3", "restart n3", "forget n3"},
		"n2 leaps":          {"clock_step n2"},
		"n1 is fast":        {"clock_rate n1", "clock_rate n1"},
		"cut":               {"cut", "heal"},
		"A stops":           {"pause A", "resume A"},
		"A's watch":         {"clock_step A"},
		"A is slow":         {"clock_rate A"},
		"some vanish":       {"cut", "heal"},
		"some are late":     {"cut", "heal"},
		"n5 dies":           {"crash n5"},
		"a tidy operator":   {"operator n1", "operator n1"},
		"the lid is closed": {"pause B", "clock_rate B", "clock_rate B", "resume B"},
		"B dies":            {"crash B"},
	} {
		got := caused(result.Events, fault)
		if !slices.Equal(got, want) {
			t.Errorf("%s caused %q, want %q", fault, got, want)
		}
	}
	if got := caused(result.Events, "n5 is back"); len(got) == 0 || got[0] != "restart n5" {
		t.Errorf("n5 is back caused %q", got)
	}
	again, _ := play(t, s)
	if again.Hash != result.Hash {
		t.Error("two runs of one schedule differ")
	}
}

// TestDriftsOfEverySize: the largest drift that is allowed stops the clock for
// moments, and the world goes on.
func TestDriftsOfEverySize(t *testing.T) {
	for _, shape := range []Shape{Periodic, NonIdeal} {
		result, _ := play(t, schedule(t,
			"{name: n1 swings, node_clock_drift: n1, shape: "+string(shape)+", ppm: 1000000, period: 100ms, at: 0s, for: 1s}",
			"{name: A swings, client_clock_drift: A, clock: monotonic, shape: "+string(shape)+", ppm: 1000000, period: 100ms, at: 0s, for: 1s}"))
		for _, e := range result.Events {
			if e.Kind == sim.ClockRate && (e.PPM < sim.Frozen || e.PPM > -sim.Frozen) {
				t.Errorf("%s: the clock of %s%s erred by %d ppm", shape, e.Process, e.Node, e.PPM)
			}
		}
	}
}

// What a kind brings about in the world, and what nothing but faults brings about,
// stands among its causes: if not, Problems refuses a trigger that can fire.
func TestKindsListWhatTheyCause(t *testing.T) {
	for _, k := range Kinds() {
		f := schedule(t, strings.Replace(k.Example, "restart_after: 1ms", "loading: 50ms, restart_after: 1ms", 1))[0]
		f.Begin = Trigger{At: 100 * time.Millisecond}
		s := Schedule{f}
		if k.Name == "restart" {
			s = append(s, schedule(t, "{name: n3 dies, crash: n3, at: 10ms}")...)
		}
		result, _ := play(t, s)
		caused := 0
		for _, e := range result.Events {
			if e.Fault == f.Name && e.Kind == sim.ResourceRestart {
				caused++ // no pattern is about resources
			}
			for _, subject := range []string{e.Node, e.Process} {
				for _, word := range TriggerWords() {
					p := Pattern{Subject: subject, Word: word}
					if e.Fault != f.Name || !p.Match(e, sim.PurposeUnknown) {
						continue
					}
					caused++
					if kinds := causesOf(p); len(kinds) > 0 && !slices.Contains(kinds, k.Name) {
						t.Errorf("a fault of kind %s made %q come true; Problems knows only %s", k.Name, p, kinds)
					}
				}
			}
		}
		if caused == 0 {
			t.Errorf("%s has caused nothing", k.Name)
		}
	}
}

// TestNothingToActOn: what finds nothing to act on has begun and not acted.
func TestNothingToActOn(t *testing.T) {
	_, fired := play(t, schedule(t,
		"{name: n1 dies, crash: n1, at: 100ms}",
		"{name: n1 dies again, crash: n1, when: n1 crashed}",
		"{name: nobody is there, reset: A, at: 0s}",
		"{name: nothing is there, evict: n1, count: 1, when: n1 crashed}"))
	for i, acted := range []int{1, 0, 0, 0} {
		if got := fired[i]; got.Began != 1 || got.Acted != acted {
			t.Errorf("%s began %d times and acted %d times, want 1 and %d", got.Fault, got.Began, got.Acted, acted)
		}
	}
}

// What an event sets off without delay happens before the event's effect: the
// reply that stops A is not read by A before it goes on.
func TestFaultsActBeforeTheEffectOfTheirEvent(t *testing.T) {
	result, _ := play(t, schedule(t, "{name: A stops, pause: A, for: 500ms, when: n1 replied to A}"))
	for i, e := range result.Events {
		if e.Kind != sim.Pause {
			continue
		}
		if before := result.Events[i-1]; before.Kind != sim.Reply || before.Node != "n1" {
			t.Errorf("the event before the pause is %+v", before)
		}
		for _, later := range result.Events[i:] {
			if later.Kind == sim.Resume {
				if d := later.At - e.At; d < 500*time.Millisecond || d > 501*time.Millisecond {
					t.Errorf("A stood still for %v", d)
				}
				return
			}
			if later.Kind == sim.Send && later.Process == "A" {
				t.Errorf("A sent something while it stood still: %+v", later)
			}
		}
	}
	t.Error("no pause, or no end of it")
}

func TestPartitionsCutWhatTheySay(t *testing.T) {
	for _, test := range []struct {
		direction string
		delivered bool // whether requests still arrive at n4
	}{{"requests", false}, {"replies", true}, {"both", false}} {
		result, _ := play(t, schedule(t, "{name: cut, partition: A, from: n4, direction: "+test.direction+", at: 100ms}"))
		delivered, answered := false, false
		for _, e := range result.Events {
			if e.At <= 100*time.Millisecond || e.Node != "n4" {
				continue
			}
			delivered = delivered || e.Kind == sim.Deliver
			answered = answered || e.Kind == sim.Reply
		}
		if answered {
			t.Errorf("%s: an answer of n4 arrived", test.direction)
		}
		if delivered != test.delivered {
			t.Errorf("%s: requests arrived at n4: %v, want %v", test.direction, delivered, test.delivered)
		}
	}
}
