package plan

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"redlocklab/checker"
	"redlocklab/faults"
	"redlocklab/sim"
)

// Validate checks a plan by the rules for scenario files, because people edit plans. Its
// error has one line for each problem: the JSON path, what was found, what is allowed.
//
// It does not check the options of a subject that is not declared, which is another
// package's. Steps that do nothing, such as a release before any lock, are allowed, for
// shrinking a plan leaves them behind.
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
	return errors.Join(JoinProblems(c.problems), p.World.Validate(), p.Faults.Validate(topology))
}

func (p *Plan) checkSubject(c *check) {
	s := &p.Subject
	if s.Runs != "" { // without it: all
		oneOf(c, "subject.runs", "", s.Runs, s.Runs.Words()...)
	}
	c.once("subject.broken", s.Broken, checker.Assumptions())
	for _, oracle := range slices.Sorted(maps.Keys(s.Expect)) { // what is left out holds
		at := "subject.expect." + string(oracle)
		oneOf(c, at, "", oracle, checker.Oracles()...)
		oneOf(c, at, "", s.Expect[oracle], Verdicts()...)
	}
	declaration, known := Declared(s.Name)
	if !known {
		return
	}
	for i, option := range s.Options {
		at := element("subject.options", i)
		err := declaration.Check(option)
		c.error(at, err)
		if err == nil && slices.ContainsFunc(s.Options[:i], func(o Option) bool { return o.Name == option.Name }) {
			c.problem(at, "the option "+strconv.Quote(option.Name)+" twice", "once")
		}
	}
}

func (p *Plan) checkLock(c *check) {
	l := &p.Lock
	within(c, "lock.ttl_ns", l.TTL, limits.TTL)
	within(c, "lock.rate_error_ppm", l.RateErrorPPM, limits.RateErrorPPM)
	within(c, "lock.wall_error_ns", l.WallError, limits.WallError)
	within(c, "lock.node_timeout_ns", l.NodeTimeout, limits.NodeTimeout)
	c.span("lock.retry.delay", l.Retry.Delay)
	within(c, "lock.retry.tries", l.Retry.Tries, limits.Count)
	if l.RESP != 0 {
		within(c, "lock.resp", l.RESP, limits.RESP)
	}
	within(c, "lock.pool", l.Pool, limits.Pool)
	within(c, "lock.extensions", l.Extensions, limits.Count)
	oneOf(c, "lock.fencing", "", l.Fencing, l.Fencing.Words()...)
	within(c, "stock", p.Stock, limits.Stock)
}

func (p *Plan) checkClients(c *check) {
	if len(p.Clients) == 0 {
		c.problem("clients", "none", "one or more")
	}
	var names []string
	for i, client := range p.Clients {
		at := element("clients", i)
		c.error(at+".name", faults.CheckClientName(client.Name))
		if slices.Contains(names, client.Name) {
			c.problem(at+".name", strconv.Quote(client.Name)+" twice", "each name once")
		}
		if client.Follows != "" {
			oneOf(c, at+".follows", "", client.Follows, names...)
		}
		names = append(names, client.Name)
		if client.Lockers != 0 {
			within(c, at+".lockers", client.Lockers, limits.Lockers)
		}
		c.span(at+".start", client.Start)
		within(c, at+".clock_ahead_ns", client.Ahead, limits.ClockAhead)
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
	return Texts(p.World.Nodes, func(n sim.NodeConfig) string { return n.Name })
}

// checkWorld checks what sim.Config.Validate accepts, or reports without a path.
func (p *Plan) checkWorld(c *check) {
	w := &p.World
	if p.Seed != w.Seed {
		c.problem("world.seed", fmt.Sprintf("%d beside the plan's seed %d", w.Seed, p.Seed), "the same in both places")
	}
	within(c, "world.nodes", len(w.Nodes), limits.Nodes)
	for i, n := range w.Nodes {
		at := element("world.nodes", i)
		oneOf(c, at+".name", "", n.Name, NodeName(i+1))
		within(c, at+".snapshot_every_ns", n.SnapshotEvery, limits.Time)
		within(c, at+".age_ns", n.Age, limits.Time)
	}
	processes := []string{""}
	for _, process := range w.Processes {
		processes = append(processes, process.Name)
	}
	within(c, "world.network.loss_ppm", w.Network.LossPPM, limits.LossPPM)
	within(c, "world.network.latency.max_ns", w.Network.Latency.Max, limits.Time)
	for i, l := range w.Network.Links {
		at := element("world.network.links", i)
		within(c, at+".loss_ppm", l.LossPPM, limits.LossPPM)
		within(c, at+".latency.max_ns", l.Latency.Max, limits.Time)
		oneOf(c, at+".direction", "", l.Direction, "", sim.ToNode, sim.ToProcess)
		oneOf(c, at+".node", "", l.Node, append(p.nodeNames(), "")...)
		oneOf(c, at+".process", "", l.Process, processes...)
	}
	within(c, "world.bounds.events", w.Bounds.Events, limits.Events)
	within(c, "world.bounds.bytes", w.Bounds.Bytes, limits.Bytes)
	within(c, "world.bounds.virtual_ns", w.Bounds.Virtual, limits.Positive)
	within(c, "world.drain_ns", w.Drain, limits.Time)
}
