package plan

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"redlocklab/faults"
	"redlocklab/sim"
)

// Validate holds a plan to what a scenario's file may say, because people edit plans.
// Its error has one line per problem: the JSON path, what was found, what is allowed.
//
// A subject that is not declared belongs to another package, which checks its options.
// A plan may contain steps that do nothing, such as a release before any lock: a plan
// that was made smaller has them.
func (p *Plan) Validate() error {
	c := &check{}
	p.checkSubject(c)
	p.checkLock(c)
	p.checkClients(c)
	topology := p.topology()
	for i := range p.Liveness {
		at := element("liveness", i)
		g := &p.Liveness[i]
		c.goal(at, g, &topology)
		if when := g.From.When; when.Subject != "" {
			oneOf(c, at+".from.when", "", when.Subject, slices.Concat([]string{AnyClient}, topology.Clients, topology.Nodes)...)
		}
	}
	p.checkWorld(c)
	return errors.Join(c.err(), p.World.Validate(), p.Faults.Validate(topology))
}

func (p *Plan) checkSubject(c *check) {
	s := &p.Subject
	if s.Runs != "" { // without it: all
		oneOf(c, "subject.runs", "", s.Runs, RunsAll, RunsSome)
	}
	c.once("subject.broken", s.Broken, assumptions)
	for _, oracle := range slices.Sorted(maps.Keys(s.Expect)) { // what is left out holds
		at := "subject.expect." + string(oracle)
		oneOf(c, at, "", oracle, Oracles()...)
		oneOf(c, at, "", s.Expect[oracle], Holds, Violated)
	}
	declaration, known := Declared(s.Name)
	if !known {
		return
	}
	for i, option := range s.Options {
		at := element("subject.options", i)
		if err := declaration.Check(option); err != nil {
			c.message(at, err.Error())
		} else if slices.ContainsFunc(s.Options[:i], func(o Option) bool { return o.Name == option.Name }) {
			c.problem(at, "the option "+strconv.Quote(option.Name)+" twice", "once")
		}
	}
}

func (p *Plan) checkLock(c *check) {
	l := &p.Lock
	number(c, "lock.ttl_ns", l.TTL, LeastTTL, Longest)
	number(c, "lock.rate_error_ppm", l.RateErrorPPM, 0, MostRateError)
	number(c, "lock.node_timeout_ns", l.NodeTimeout, LeastNodeTimeout, Longest)
	c.span("lock.retry.delay", l.Retry.Delay, 0)
	number(c, "lock.retry.tries", l.Retry.Tries, 0, Million)
	number(c, "lock.extensions", l.Extensions, 0, Million)
	oneOf(c, "lock.fencing", "", l.Fencing, FencingNone, FencingIdeal, FencingSubject)
	number(c, "stock", p.Stock, 0, Million)
}

func (p *Plan) checkClients(c *check) {
	if len(p.Clients) == 0 {
		c.problem("clients", "none", "one or more")
	}
	var names []string
	for i, client := range p.Clients {
		at := element("clients", i)
		c.by(at+".name", client.Name, faults.CheckClientName)
		if slices.Contains(names, client.Name) {
			c.problem(at+".name", strconv.Quote(client.Name)+" twice", "each name once")
		}
		if client.Follows != "" {
			oneOf(c, at+".follows", "", client.Follows, names...)
		}
		names = append(names, client.Name)
		c.span(at+".start", client.Start, 0)
		number(c, at+".clock_ahead_ns", client.Ahead, -Longest, Longest)
		if client.Nodes != nil && len(client.Nodes) == 0 {
			c.problem(at+".nodes", "an empty list", "one node or more, or no such field, which is all of them")
		}
		c.once(at+".nodes", client.Nodes, p.nodeNames())
		c.steps(at+".steps", client.Steps, 0)
		if !slices.ContainsFunc(p.World.Processes, func(o sim.ProcessConfig) bool { return o.Name == client.Name }) {
			c.problem("world.processes", "none for the client "+strconv.Quote(client.Name), "one for each client")
		}
	}
	for i, process := range p.World.Processes {
		oneOf(c, element("world.processes", i)+".name", "", process.Name, names...)
	}
}

func (p *Plan) nodeNames() []string {
	names := make([]string, len(p.World.Nodes))
	for i, n := range p.World.Nodes {
		names[i] = n.Name
	}
	return names
}

// checkWorld checks what the world itself accepts, or reports without a place.
func (p *Plan) checkWorld(c *check) {
	w := &p.World
	if p.Seed != w.Seed {
		c.problem("world.seed", fmt.Sprintf("%d beside the plan's seed %d", w.Seed, p.Seed), "the same in both places")
	}
	number(c, "world.nodes", len(w.Nodes), 1, MostNodes)
	for i, n := range w.Nodes {
		at := element("world.nodes", i)
		oneOf(c, at+".name", "", n.Name, NodeName(i+1))
		number(c, at+".snapshot_every_ns", n.SnapshotEvery, 0, Longest)
		number(c, at+".age_ns", n.Age, 0, Longest)
	}
	processes := []string{""}
	for _, process := range w.Processes {
		processes = append(processes, process.Name)
	}
	number(c, "world.network.loss_ppm", w.Network.LossPPM, 0, Million)
	number(c, "world.network.latency.max_ns", w.Network.Latency.Max, 0, Longest)
	for i, l := range w.Network.Links {
		at := element("world.network.links", i)
		number(c, at+".loss_ppm", l.LossPPM, 0, Million)
		number(c, at+".latency.max_ns", l.Latency.Max, 0, Longest)
		oneOf(c, at+".direction", "", l.Direction, "", sim.ToNode, sim.ToProcess)
		oneOf(c, at+".node", "", l.Node, append(p.nodeNames(), "")...)
		oneOf(c, at+".process", "", l.Process, processes...)
	}
	number(c, "world.bounds.events", w.Bounds.Events, 1, MostEvents)
	number(c, "world.bounds.virtual_ns", w.Bounds.Virtual, 1, Longest)
	number(c, "world.drain_ns", w.Drain, 0, Longest)
}
