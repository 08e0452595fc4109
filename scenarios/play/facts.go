package play

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"redlocklab/checker"
	"redlocklab/faults"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// initially notes which nodes are addresses of one server, and the rate errors that clocks begin with.
func (t *traceReader) initially() {
	for _, n := range t.plan.World.Nodes {
		t.rate(0, 0, n.Name, checker.ClockWall, n.RatePPM)
		if n.SameAs != "" {
			t.add(checker.Fact{Fact: checker.FactSameServer, Nodes: []string{n.SameAs, n.Name}})
		}
	}
	for _, p := range t.plan.World.Processes {
		for _, clock := range []checker.Clock{checker.ClockWall, checker.ClockMonotonic, checker.ClockBoottime} {
			t.rate(0, 0, p.Name, clock, p.RatePPM)
		}
	}
}

// membership notes that a client uses other nodes than the client that sent before it.
func (t *traceReader) membership(e *sim.Event) {
	if e.Process == t.sender {
		return
	}
	t.sender = e.Process
	for _, c := range t.plan.Clients {
		if c.Name != e.Process {
			continue
		}
		nodes := nodesOf(&c, t.history.Header.Nodes)
		before := t.members
		if t.members = strings.Join(nodes, " "); before != "" && before != t.members {
			t.add(at(e, checker.Fact{Fact: checker.FactMembership, Client: e.Process, Nodes: nodes}))
		}
	}
}

// nodesOf lists the nodes that a client uses, of those that its subject uses.
func nodesOf(c *plan.Client, used []string) []string {
	if len(c.Nodes) == 0 {
		return used
	}
	return slices.DeleteFunc(slices.Clone(c.Nodes), func(name string) bool { return !slices.Contains(used, name) })
}

// reached notes that a command to an address goes to another server than the one before it.
// After an address has moved, connections of before and after lead to both.
func (t *traceReader) reached(e *sim.Event) {
	address := cmp.Or(t.dialled[e.Conn], e.Node)
	before := cmp.Or(t.servers[address], address)
	if e.Key == "" || e.Node == before {
		return
	}
	t.servers[address] = e.Node
	nodes := []string{e.Node}
	for _, name := range t.history.Header.Nodes {
		if name != address && name != e.Node && t.uses(name) {
			nodes = append(nodes, name)
		}
	}
	t.add(checker.Fact{
		Fact: checker.FactMembership, AtNS: int64(e.At), Event: t.moves[address], Node: before, Nodes: nodes,
	})
}

// rate replaces the rate error of a clock.
func (t *traceReader) rate(at time.Duration, event int, who string, clock checker.Clock, ppm int64) {
	if clock == checker.ClockWall {
		t.wallChanged(who, at, event, func(w *wall) { w.ppm = ppm })
	}
	key := "rate " + who + " " + string(clock)
	t.end(key, at)
	if ppm != 0 {
		t.begin(key, checker.Fact{
			Fact: checker.FactClockRate, AtNS: int64(at), Event: int64(event), Who: who, Clock: clock, ErrorPPM: ppm,
		})
	}
}

// clockStep notes a clock step. If it is a node's that is down, it may shorten the time for
// which the node stays down.
func (t *traceReader) clockStep(e *sim.Event) {
	who := cmp.Or(e.Node, e.Process)
	t.stepped[who] = true
	if e.Detail == string(sim.Wall) {
		t.wallChanged(who, e.At, e.Seq, func(w *wall) { w.ahead += e.Duration })
	}
	t.add(at(e, checker.Fact{
		Fact: checker.FactClockStep, Who: who, Clock: checker.Clock(e.Detail), DeltaNS: int64(e.Duration),
	}))
}

// extended notes that a lease was extended more often than the scenario bounds it.
func (t *traceReader) extended(l *sim.Lease, e *sim.Event) {
	if limit := t.plan.Lock.Extensions; limit > 0 && l != nil && l.Extensions() == limit+1 {
		t.add(at(e, checker.Fact{Fact: checker.FactUnboundedExtension, Client: e.Process}))
	}
}

// crash notes that a node is down, and how it ended. The crash of a client is no fact: it
// makes no assumption false.
func (t *traceReader) crash(e *sim.Event) {
	if e.Node == "" {
		return
	}
	t.ended[e.Node] = e.Detail
	delete(t.stepped, e.Node)
	t.begin("down "+e.Node, at(e, checker.Fact{Fact: checker.FactFault, Name: e.Node + " is down", Nodes: []string{e.Node}}))
}

// restart notes that a node is up again, perhaps as a promoted replica.
func (t *traceReader) restart(e *sim.Event) {
	t.end("down "+e.Node, e.At)
	if e.Detail == sim.Promoted || e.Detail == sim.PromotedAgain {
		t.ended[e.Node] = sim.Promoted
		t.add(at(e, checker.Fact{Fact: checker.FactFailover, Node: e.Node}))
	}
}

// thirdParty notes a key that somebody other than a client removed.
func (t *traceReader) thirdParty(e *sim.Event) {
	switch e.Command {
	case sim.Removal:
		if t.counterLost(e) {
			return
		}
		t.add(at(e, checker.Fact{
			Fact: checker.FactOwner, Node: e.Node, Key: e.Key, RemainingNS: remaining(e.TTL), Name: t.remover,
		}))
	case sim.Eviction:
		t.remover = "an eviction"
	default:
		t.remover = "operator"
	}
}

// counterLost notes a lost key that is a counter behind fencing tokens, and reports
// whether it is one: a key without a TTL that is not a resource.
func (t *traceReader) counterLost(e *sim.Event) bool {
	isCounter := e.TTL < 0 && !t.isResource(e.Key)
	if isCounter {
		t.add(at(e, checker.Fact{Fact: checker.FactCounterLost, Node: e.Node, Key: e.Key}))
	}
	return isCounter
}

// endless is the remaining time of a key without a TTL. The checker wants less than 2^61 ns.
const endless = 50 * 365 * 24 * time.Hour

// remaining is the remaining time of a key with the given TTL; negative: it has none.
func remaining(ttl time.Duration) int64 {
	if ttl < 0 {
		return int64(endless)
	}
	return int64(ttl)
}

// forget notes a key that a node lost or brought back when it restarted, and why.
func (t *traceReader) forget(e *sim.Event) {
	if t.counterLost(e) {
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

// timedByNode reports whether the restart of a fault is timed by the node's clock.
func (t *traceReader) timedByNode(fault string) bool {
	return slices.ContainsFunc(t.plan.Faults, func(f faults.Fault) bool {
		c, isCrash := f.Effect.(*faults.Crash)
		return isCrash && f.Name == fault && c.TimedBy == faults.NodeClock
	})
}

// cut notes which nodes a fault of the network cuts off from which client.
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
		return // random losses and delays cut no node off
	}
	unused := func(node string) bool { return !t.uses(node) }
	for _, c := range t.plan.Clients {
		if !slices.Contains(clients, c.Name) && !slices.Contains(clients, faults.All) {
			continue
		}
		if slices.Contains(nodes, faults.All) {
			nodes = nil
		} else if used := slices.DeleteFunc(slices.Clone(nodes), unused); len(used) > 0 {
			nodes = used
		}
		t.begin("cut "+e.Fault+" "+c.Name, at(e, checker.Fact{
			Fact: checker.FactFault, Name: e.Fault, Client: c.Name, Nodes: nodes,
		}))
	}
}

// unusable are the impairments with which a node grants nothing. To be slow is not among
// them, for no bound on latencies is assumed. A node that turns new connections away is:
// clients lose connections at any time.
var unusable = append([]string{sim.Stopped, sim.Loading, sim.DiskFull}, sim.Reasons()...)

// impaired notes that a node has become unusable, or usable again.
func (t *traceReader) impaired(e *sim.Event) {
	if e.Node == "" || !slices.Contains(unusable, e.Detail) {
		return
	}
	name := e.Node + " is " + e.Detail
	if e.Kind == sim.Recover {
		if t.impairments[name]--; t.impairments[name] == 0 {
			t.end(name, e.At)
		}
		return
	}
	t.impairments[name]++
	t.begin(name, at(e, checker.Fact{Fact: checker.FactFault, Name: name, Nodes: []string{e.Node}}))
}
