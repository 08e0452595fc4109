package matrix

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"redlocklab/faults"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// majorities are the claims about a majority of several nodes.
var majorities = []string{"MX-7", "LV-2", "LV-3", "LV-4", "LV-5", "LV-7", "LV-10", "BA-9", "RP-4", "SY-9"}

// splits are the claims whose stories begin with a split vote.
var splits = []string{"LV-3", "LV-10"}

// NotApplicable says why a scenario is not applicable to a lock; empty when it is. It uses
// what the scenario does, what the lock can do, and which clock the lock reads.
func NotApplicable(s *plan.Scenario, can plan.Abilities, clock sim.ClockKind) string {
	extends := slices.ContainsFunc(s.Clients, func(c plan.Client) bool { return c.Does(plan.StepExtend) })
	expired := waitedFor(s, func(p faults.Pattern) bool { return p.Word == "expired" })
	unsent := waitedFor(s, func(p faults.Pattern) bool {
		sends := func(command string) bool { return strings.EqualFold(command, p.Command) }
		return p.Command != "" && len(can.Commands) > 0 && !slices.ContainsFunc(can.Commands, sends)
	})
	switch {
	case extends && !can.Extends:
		return "a lease is extended in it, and this lock has no extension to ask for"
	case aboutRenewals(s) && !extends && !can.Watchdog:
		return "it is about renewals, and this lock has no watchdog"
	case can.Watchdog && !aboutRenewals(s) && runsOut(s):
		return "a lease runs out in it while its holder works, and this lock's watchdog renews it all the time"
	case can.Timeless && expired != "":
		return fmt.Sprintf("it waits for %q, and this lock's keys have no TTL", expired)
	case s.Lock.Fencing == plan.FencingSubject && !can.Fences:
		return "it is about the lock's own fencing tokens, and this lock has none"
	case !can.Guards && slices.ContainsFunc(s.Liveness, func(g plan.Goal) bool { return g.Claim == "RP-4" }):
		return "it is about the price of a restart guard, and this lock has none"
	}
	if reason := cmp.Or(clockReason(s, clock), nodeReason(s, can)); reason != "" {
		return reason
	}
	switch {
	case unsent != "":
		return fmt.Sprintf("it waits for %q, which this lock never sends", unsent)
	case AboutRetries(s) && !can.DriverRetries:
		return "it is about a driver that sends commands again by itself, which this lock's does not (Abilities.DriverRetries)"
	case s.BeyondTextbook() && !AboutRetries(s) && !can.BeyondTextbook:
		return "the textbook does not promise it, and this lock does not say that it does more (Abilities.BeyondTextbook)"
	case !can.Tokens && slices.ContainsFunc(s.Clients, func(c plan.Client) bool { return c.Token != "" }):
		return "its clients choose their tokens, and this lock cannot be given one"
	case !can.ShortTTLs && s.Lock.TTL < time.Millisecond:
		return "its TTL is below a millisecond, which this lock does not accept"
	}
	return ""
}

// waitedFor is the first event of some sort for which a fault or a goal waits; empty when there is none.
func waitedFor(s *plan.Scenario, sort func(faults.Pattern) bool) string {
	patterns := s.Patterns()
	if i := slices.IndexFunc(patterns, sort); i >= 0 {
		return patterns[i].String()
	}
	return ""
}

// aboutRenewals reports whether a goal says when no renewal may be sent, or a trigger
// waits for one.
func aboutRenewals(s *plan.Scenario) bool {
	never := func(g plan.Goal) bool { return g.Does == "extend" && g.Each == plan.EachNever }
	waits := func(p faults.Pattern) bool { return p.Command == "extend" }
	return slices.ContainsFunc(s.Liveness, never) || slices.ContainsFunc(s.Patterns(), waits)
}

// runsOut reports whether a lease ends while its holder works, and no fault keeps the holder
// from renewing it.
func runsOut(s *plan.Scenario) bool {
	outlives := func(step plan.Step) bool { return step.Kind == plan.StepHold && step.Duration.Low >= s.Lock.TTL }
	return slices.ContainsFunc(s.Clients, func(c plan.Client) bool {
		cut := func(f faults.Fault) bool { return cutsOff(s, f.Effect, c.Name) }
		return slices.ContainsFunc(plan.AllSteps(c.Steps), outlives) && !slices.ContainsFunc(s.Faults, cut)
	})
}

// cutsOff reports whether an effect can keep a client from a majority. Every effect can,
// but a clock's error, if it is about both.
func cutsOff(s *plan.Scenario, e faults.Effect, client string) bool {
	if strings.Contains(faults.KindOf(e), "_clock_") {
		return false
	}
	about := func(names []string, enough int, name string) bool {
		return len(names) == 0 || len(names) >= enough || slices.Contains(names, faults.All) ||
			slices.Contains(names, name)
	}
	return about(faults.ClientsOf(e), len(s.Clients), client) && about(faults.NodesOf(e), s.Nodes.Count/2+1, "")
}

// AboutRetries reports whether all rows of a scenario have a driver that sends commands
// again by itself.
func AboutRetries(s *plan.Scenario) bool {
	plain := func(x plan.Subject) bool { return x.Option("driver", "plain") == "plain" }
	return len(s.Subjects) > 0 && !slices.ContainsFunc(s.Subjects, plain)
}

// clockReason is for scenarios in which nothing goes wrong but clocks of clients that the
// lock does not read.
func clockReason(s *plan.Scenario, clock sim.ClockKind) string {
	unread, others := sim.ClockKind(""), false
	for _, f := range s.Faults {
		errs, step := clock, false
		switch effect := f.Effect.(type) {
		case *faults.ClientClockStep:
			errs, step = effect.Clock, true
		case *faults.ClientClockRate:
			errs = effect.Clock
		case *faults.ClientClockDrift:
			errs = effect.Clock
		case *faults.Suspend:
		default:
			others = true
			continue
		}
		switch {
		case clock == "" && step:
			return "a client's clock is stepped in it, and this lock reads none"
		case clock == sim.True && !step:
			return "the clocks of clients err in it, and this lock reads the world's true time"
		case errs == clock || errs == "":
			others = true
		default:
			unread = errs
		}
	}
	switch {
	case others || unread == "" || clock == "":
		return ""
	case clock == sim.True:
		return "a client's clock is stepped in it, and this lock reads the world's true time"
	}
	return fmt.Sprintf("the %s clock of a client errs in it, and this lock reads the %s clock", unread, clock)
}

// nodeReason is for locks on one node, and for those that ask the nodes in one order.
func nodeReason(s *plan.Scenario, can plan.Abilities) string {
	if can.InOrder && slices.Contains(splits, s.Claim) {
		return "it begins with a split vote, and this lock asks all nodes in one order, so the first decides"
	}
	if !can.OneNode || s.Nodes.Count <= 1 {
		return ""
	}
	if slices.Contains(majorities, s.Claim) {
		return "it is about a majority, and this lock uses one node"
	}
	first := plan.NodeName(1)
	mayHitFirst := func(f faults.Fault) bool {
		nodes := faults.NodesOf(f.Effect)
		return len(nodes) == 0 || slices.Contains(nodes, first) || slices.Contains(nodes, faults.All) ||
			len(nodes) == 1 && faults.IsSelection(nodes[0])
	}
	if len(s.Faults) > 0 && !slices.ContainsFunc(s.Faults, mayHitFirst) {
		return "all that goes wrong in it goes wrong elsewhere than on n1, the node that this lock uses"
	}
	others := s.Nodes.Names()[1:]
	if elsewhere := waitedFor(s, func(p faults.Pattern) bool {
		return slices.Contains(others, p.Subject) || slices.Contains(others, p.Peer)
	}); elsewhere != "" {
		return fmt.Sprintf("it waits for %q, and this lock uses n1 only", elsewhere)
	}
	return ""
}
