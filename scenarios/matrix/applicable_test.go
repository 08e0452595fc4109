package matrix

import (
	"strings"
	"testing"
	"time"

	"redlocklab/faults"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// base is a scenario that is applicable to every lock: A holds on three nodes.
func base() *plan.Scenario {
	return &plan.Scenario{
		Name: "MX-1", Claim: "MX-1", Nodes: plan.Nodes{Count: 3}, Lock: plan.Lock{TTL: time.Second},
		Clients: []plan.Client{
			{Name: "A", Steps: []plan.Step{{Kind: plan.StepLock, Resource: "r"}, {Kind: plan.StepRelease, Resource: "r"}}},
		},
	}
}

func hit(e faults.Effect) faults.Schedule { return faults.Schedule{{Name: "f", Effect: e}} }

// TestReasons: each ability that a scenario needs has a reason of its own. The second
// lock differs from the first in nothing but that ability.
func TestReasons(t *testing.T) {
	holds := func(s *plan.Scenario) {
		s.Clients[0].Steps = []plan.Step{{
			Kind: plan.StepRepeat, Times: 1,
			Steps: []plan.Step{{Kind: plan.StepHold, Duration: plan.Span{Low: time.Second, High: time.Second}}},
		}}
	}
	oneNode := plan.Abilities{OneNode: true}
	for _, test := range []struct {
		name     string
		change   func(s *plan.Scenario)
		lacks    plan.Abilities
		clock    sim.ClockKind
		reason   string
		has      plan.Abilities
		hasClock sim.ClockKind
	}{
		{name: "extension in a loop", change: func(s *plan.Scenario) {
			s.Clients[0].Steps = []plan.Step{
				{Kind: plan.StepRepeat, Times: 2, Steps: []plan.Step{{Kind: plan.StepExtend, Resource: "r"}}},
			}
		}, reason: "no extension to ask for", has: plan.Abilities{Extends: true}},
		{name: "goal about renewals", change: func(s *plan.Scenario) {
			s.Liveness = []plan.Goal{{Does: "extend", Each: plan.EachNever}}
		}, reason: "no watchdog", has: plan.Abilities{Watchdog: true}},
		{name: "trigger on a renewal", change: func(s *plan.Scenario) {
			s.Faults = faults.Schedule{{
				Name: "f", Effect: &faults.Pause{Clients: []string{"A"}},
				Begin: faults.Trigger{When: faults.Pattern{Subject: "n1", Word: "executed", Command: "extend"}},
			}}
		}, reason: "no watchdog", has: plan.Abilities{Watchdog: true}},
		{name: "work beyond the TTL", change: holds, lacks: plan.Abilities{Watchdog: true}, reason: "watchdog renews it"},
		{name: "work beyond the TTL under a clock fault", change: func(s *plan.Scenario) {
			holds(s)
			s.Faults = hit(&faults.ClientClockRate{Clients: []string{"A"}, PPM: 1})
		}, lacks: plan.Abilities{Watchdog: true}, reason: "watchdog renews it"},
		{name: "expiry", change: func(s *plan.Scenario) {
			s.Liveness = []plan.Goal{{Does: "acquire", From: faults.Trigger{When: faults.Pattern{Subject: "n1", Word: "expired"}}}}
		}, lacks: plan.Abilities{Timeless: true}, reason: "keys have no TTL"},
		{name: "its own fencing tokens", change: func(s *plan.Scenario) { s.Lock.Fencing = plan.FencingSubject }, reason: "fencing tokens", has: plan.Abilities{Fences: true}},
		{name: "price of a guard", change: func(s *plan.Scenario) { s.Liveness = []plan.Goal{{Claim: "RP-4", Does: "acquire"}} }, reason: "restart guard", has: plan.Abilities{Guards: true}},
		{name: "clock step", change: func(s *plan.Scenario) { s.Faults = hit(&faults.ClientClockStep{Clients: []string{"A"}}) }, reason: "reads none", hasClock: sim.Wall},
		{name: "clock rate", change: func(s *plan.Scenario) { s.Faults = hit(&faults.ClientClockRate{Clients: []string{"A"}}) }, clock: sim.True, reason: "true time"},
		{name: "another clock's step", change: func(s *plan.Scenario) {
			s.Faults = hit(&faults.ClientClockStep{Clients: []string{"A"}, Clock: sim.Wall})
		}, clock: sim.Boottime, reason: "reads the boottime clock", hasClock: sim.Wall},
		{name: "another clock's rate", change: func(s *plan.Scenario) {
			s.Faults = hit(&faults.ClientClockRate{Clients: []string{"A"}, Clock: sim.Boottime, PPM: 1})
		}, clock: sim.Wall, reason: "reads the wall clock", hasClock: sim.Boottime},
		{name: "clock step, and true time", change: func(s *plan.Scenario) {
			s.Faults = hit(&faults.ClientClockStep{Clients: []string{"A"}, Clock: sim.Boottime})
		}, clock: sim.True, reason: "true time", hasClock: sim.Boottime},
		{name: "split vote", change: func(s *plan.Scenario) { s.Claim = "LV-3" }, lacks: plan.Abilities{InOrder: true}, reason: "split vote"},
		{name: "majority", change: func(s *plan.Scenario) { s.Claim = "MX-7" }, lacks: oneNode, reason: "about a majority"},
		{name: "a fault of another node", change: func(s *plan.Scenario) { s.Faults = hit(&faults.Crash{Nodes: []string{"n2"}}) }, lacks: oneNode, reason: "elsewhere"},
		{name: "a trigger of another node", change: func(s *plan.Scenario) {
			s.Liveness = []plan.Goal{{Does: "acquire", From: faults.Trigger{When: faults.Pattern{Subject: "n2", Word: "restarted"}}}}
		}, lacks: oneNode, reason: "uses n1 only"},
		{name: "a command", change: func(s *plan.Scenario) {
			s.Liveness = []plan.Goal{
				{Does: "acquire", From: faults.Trigger{When: faults.Pattern{Subject: "n1", Word: "executed", Command: "set"}}},
			}
		}, lacks: plan.Abilities{Commands: []string{"acquire"}}, reason: "never sends", has: plan.Abilities{Commands: []string{"SET"}}},
	} {
		s := base()
		if reason := NotApplicable(s, test.lacks, test.clock); reason != "" {
			t.Errorf("%s: the base is not applicable: %s", test.name, reason)
		}
		test.change(s)
		if reason := NotApplicable(s, test.lacks, test.clock); !strings.Contains(reason, test.reason) {
			t.Errorf("%s: the reason is %q; want %q", test.name, reason, test.reason)
		}
		if reason := NotApplicable(s, test.has, test.hasClock); reason != "" {
			t.Errorf("%s: not applicable to a lock with that ability: %s", test.name, reason)
		}
	}
}

// TestStillApplicable: what looks like a reason and is none.
func TestStillApplicable(t *testing.T) {
	for name, change := range map[string]func(s *plan.Scenario){
		"a fault of all nodes":   func(s *plan.Scenario) { s.Faults = hit(&faults.Crash{Nodes: []string{faults.All}}) },
		"a fault of a selection": func(s *plan.Scenario) { s.Faults = hit(&faults.Crash{Nodes: faults.Selections()[:1]}) },
		"one fault of n1 among others": func(s *plan.Scenario) {
			s.Faults = append(hit(&faults.Crash{Nodes: []string{"n2"}}), hit(&faults.Crash{Nodes: []string{"n1"}})...)
		},
		"a fault of clients":       func(s *plan.Scenario) { s.Faults = hit(&faults.Pause{Clients: []string{"A"}}) },
		"one node, and a majority": func(s *plan.Scenario) { s.Claim, s.Nodes.Count = "MX-7", 1 },
		"no node, and a majority":  func(s *plan.Scenario) { s.Claim, s.Nodes.Count = "MX-7", 0 },
		"a command, of a lock that declares none": func(s *plan.Scenario) {
			s.Liveness = []plan.Goal{
				{Does: "acquire", From: faults.Trigger{When: faults.Pattern{Subject: "n1", Word: "executed", Command: "set"}}},
			}
		},
	} {
		s := base()
		change(s)
		if reason := NotApplicable(s, plan.Abilities{OneNode: true}, ""); reason != "" {
			t.Errorf("%s: %s", name, reason)
		}
	}
	s := base()
	s.Clients[0].Steps = []plan.Step{{Kind: plan.StepHold, Duration: plan.Span{Low: time.Hour, High: time.Hour}}}
	s.Faults = hit(&faults.Pause{Clients: []string{"A"}}) // keeps the watchdog from renewing
	if reason := NotApplicable(s, plan.Abilities{Watchdog: true}, ""); reason != "" {
		t.Errorf("a watchdog that is paused: %s", reason)
	}
}
