package play

import (
	"slices"
	"strings"
	"time"

	"redlocklab/checker"
	"redlocklab/faults"
	"redlocklab/sim"
)

func (t *traceReader) initialRates() {
	for _, n := range t.plan.World.Nodes {
		t.rate(0, 0, n.Name, checker.ClockWall, n.RatePPM)
	}
	for _, p := range t.plan.World.Processes {
		for _, clock := range []checker.Clock{checker.ClockWall, checker.ClockMonotonic, checker.ClockBoottime} {
			t.rate(0, 0, p.Name, clock, p.RatePPM)
		}
	}
}

// sameServers notes which nodes are addresses of one server.
func (t *traceReader) sameServers() {
	for _, n := range t.plan.World.Nodes {
		if n.SameAs != "" {
			t.add(checker.Fact{Fact: checker.FactSameServer, Nodes: []string{n.SameAs, n.Name}})
		}
	}
}

// membership notes that a client uses another set of nodes than the one that
// sent before it.
func (t *traceReader) membership(e *sim.Event) {
	if e.Process == t.sender {
		return
	}
	t.sender = e.Process
	for _, c := range t.plan.Clients {
		if c.Name != e.Process {
			continue
		}
		nodes := t.history.Header.Nodes
		if len(c.Nodes) > 0 {
			nodes = slices.DeleteFunc(slices.Clone(c.Nodes), func(name string) bool { return !t.uses(name) })
		}
		before := t.members
		if t.members = strings.Join(nodes, " "); before != "" && before != t.members {
			t.add(at(e, checker.Fact{Fact: checker.FactMembership, Nodes: nodes}))
		}
	}
}

// rate ends the rate that a clock had and begins a new one.
func (t *traceReader) rate(at time.Duration, event int, who string, clock checker.Clock, ppm int64) {
	key := who + "/" + string(clock)
	t.finish(t.rates, key, at)
	if ppm == 0 {
		return
	}
	t.rates[key] = &checker.Fact{Fact: checker.FactClockRate, AtNS: int64(at), Event: int64(event), Who: who, Clock: clock, ErrorPPM: ppm}
	t.order = append(t.order, key)
}

// clockStep notes a step, and that it may have shortened a node's time out of service.
func (t *traceReader) clockStep(e *sim.Event) {
	who := ownerOf(e)
	t.stepped[who] = true
	t.add(at(e, checker.Fact{Fact: checker.FactClockStep, Who: who, Clock: checker.Clock(e.Detail), DeltaNS: int64(e.Duration)}))
}

// extended counts the extensions of a lease: the scenario may bound them.
func (t *traceReader) extended(e *sim.Event) {
	t.extensions[e.Lease]++
	if limit := t.plan.Lock.Extensions; limit > 0 && t.extensions[e.Lease] == limit+1 {
		t.add(at(e, checker.Fact{Fact: checker.FactUnboundedExtension, Client: e.Process}))
	}
}

// crash notes that a node is down, and how it ended: that decides what it forgets. A
// client that has crashed wants nothing any more.
func (t *traceReader) crash(e *sim.Event) {
	if e.Node == "" {
		return
	}
	t.ended[e.Node] = e.Detail
	delete(t.stepped, e.Node)
	t.begin("down "+e.Node, at(e, checker.Fact{Fact: checker.FactFault, Name: e.Node + " is down", Nodes: []string{e.Node}}))
}

func (t *traceReader) restart(e *sim.Event) {
	t.finish(t.open, "down "+e.Node, e.At)
	if e.Detail == sim.Promoted {
		t.ended[e.Node] = sim.Promoted
		t.add(at(e, checker.Fact{Fact: checker.FactFailover, Node: e.Node}))
	}
}

// thirdParty notes a key that was taken by somebody who is no client.
func (t *traceReader) thirdParty(e *sim.Event) {
	switch e.Command {
	case sim.Removal:
		if e.TTL < 0 && !t.isResource(e.Key) { // a counter behind fencing tokens, not a vote
			t.add(at(e, checker.Fact{Fact: checker.FactCounterLost, Node: e.Node, Key: e.Key}))
			return
		}
		t.add(at(e, checker.Fact{Fact: checker.FactOwner, Node: e.Node, Key: e.Key, RemainingNS: remaining(e.TTL), Name: t.remover}))
	case sim.Eviction:
		t.remover = "an eviction"
	default:
		t.remover = "operator"
	}
}

// endless stands for "no TTL": the checker wants a positive time below 2^61 ns.
const endless = 50 * 365 * 24 * time.Hour

func remaining(ttl time.Duration) int64 {
	if ttl < 0 {
		return int64(endless)
	}
	return int64(ttl)
}

func (t *traceReader) forget(e *sim.Event) {
	if e.TTL < 0 && !t.isResource(e.Key) { // what has no TTL and is no lock's key is a counter behind fencing tokens
		t.add(at(e, checker.Fact{Fact: checker.FactCounterLost, Node: e.Node, Key: e.Key}))
		return
	}
	cause := checker.CauseCrash
	switch t.ended[e.Node] {
	case string(sim.PowerLoss):
		cause = checker.CausePowerLoss
	case sim.Promoted:
		cause = checker.CauseFailover
	}
	if t.stepped[e.Node] && t.timedByNode(e.Fault) {
		cause = checker.CauseClockStep
	}
	name := checker.FactForgot
	if e.Kind == sim.Revive {
		name = checker.FactRevived
	}
	t.add(at(e, checker.Fact{
		Fact: name, Node: e.Node, Key: e.Key, Token: e.Value,
		RemainingNS: remaining(e.TTL), Cause: cause,
	}))
}

// timedByNode reports whether a fault's restart waits for the node's own clock.
func (t *traceReader) timedByNode(fault string) bool {
	for _, f := range t.plan.Faults {
		if c, ok := f.Effect.(*faults.Crash); ok && f.Name == fault {
			return c.TimedBy == faults.NodeClock
		}
	}
	return false
}

// cut notes which nodes a rule on messages takes from which client.
func (t *traceReader) cut(e *sim.Event) {
	i := slices.IndexFunc(t.plan.Faults, func(f faults.Fault) bool { return f.Name == e.Fault })
	if i < 0 {
		return
	}
	var clients, nodes []string
	switch effect := t.plan.Faults[i].Effect.(type) {
	case *faults.Partition:
		clients, nodes = effect.Clients, effect.Nodes
	case *faults.BlackHole:
		clients, nodes = []string{faults.All}, effect.Nodes
	default:
		return // losses and delays by chance take no node away
	}
	for _, c := range t.plan.Clients {
		if !slices.Contains(clients, c.Name) && !slices.Contains(clients, faults.All) {
			continue
		}
		if slices.Contains(nodes, faults.All) {
			nodes = nil
		} else if used := slices.DeleteFunc(slices.Clone(nodes), func(name string) bool { return !t.uses(name) }); len(used) > 0 {
			nodes = used
		}
		t.begin("cut "+e.Fault+" "+c.Name, at(e, checker.Fact{
			Fact: checker.FactFault, Name: e.Fault, Client: c.Name, Nodes: nodes,
		}))
	}
}

// unusable are the impairments of a node that take it away: it grants nothing.
// A slow node is none of them, for no bound on latencies is assumed.
var unusable = []string{sim.Stopped, sim.Loading, sim.MemoryFull, sim.ReadOnly, sim.DiskError}

// impaired notes that a node is of no use, or is again.
func (t *traceReader) impaired(e *sim.Event) {
	if e.Node == "" || !slices.Contains(unusable, e.Detail) {
		return
	}
	name := e.Node + " is " + e.Detail
	if e.Kind == sim.Recover {
		if t.impairments[name]--; t.impairments[name] == 0 {
			t.finish(t.open, name, e.At)
		}
		return
	}
	t.impairments[name]++
	t.begin(name, at(e, checker.Fact{Fact: checker.FactFault, Name: name, Nodes: []string{e.Node}}))
}
