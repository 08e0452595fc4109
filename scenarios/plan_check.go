package scenarios

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"redlocklab/faults"
	"redlocklab/sim"
)

// Validate holds a plan to what a scenario's file may say, for a plan is meant to be
// edited. Its error has one line per slip: the JSON path, what was found, what is
// allowed. A subject that is not declared is one of another package, and its options
// are left to it. What a file may not say because nothing could come of it, such as a
// release before any lock, is no slip here: a plan that was made smaller may have it.
func (p *Plan) Validate() error {
	c := &planCheck{plan: p}
	c.subject()
	c.lock()
	c.clients()
	c.goals()
	c.world()
	return errors.Join(append(c.slips, p.World.Validate(), p.Faults.Validate(p.topology()))...)
}

// planCheck collects what is wrong in a plan.
type planCheck struct {
	plan  *Plan
	slips []error
}

func (c *planCheck) slip(path, message string) {
	c.slips = append(c.slips, fmt.Errorf("%s: %s", path, message))
}

// number checks a whole number in a closed range.
func number[T ~int | ~int64](c *planCheck, path string, value, low, high T) {
	if value < low || value > high {
		c.slip(path, fmt.Sprintf("found %v; allowed: %v to %v", value, low, high))
	}
}

// span checks a range of times, each end at least low.
func (c *planCheck) span(path string, s Span, low time.Duration) {
	if s.Low < low || s.High < s.Low || s.High > longest {
		c.slip(path, fmt.Sprintf("found %d..%d ns; allowed: a range from %d to %d ns whose end is not below its beginning", s.Low, s.High, low, longest))
	}
}

// oneOf checks a word.
func oneOf[T ~string](c *planCheck, path string, value T, words ...T) {
	if slices.Contains(words, value) {
		return
	}
	allowed := make([]string, len(words))
	for i, w := range words {
		allowed[i] = string(w)
	}
	c.slip(path, fmt.Sprintf("found %s; %s", quoted(string(value)), faults.Allowed(string(value), allowed)))
}

// once checks a list of some of the given words, each once.
func (c *planCheck) once(path string, values, words []string) {
	for i, v := range values {
		at := element(path, i)
		oneOf(c, at, v, words...)
		if slices.Contains(values[:i], v) {
			c.slip(at, fmt.Sprintf("found %s twice; allowed: once", quoted(v)))
		}
	}
}

// named checks a name by a rule of its own.
func (c *planCheck) named(path, name string, check func(string) error) {
	if err := check(name); err != nil {
		c.slip(path, err.Error())
	}
}

// element is the path of an entry of a list.
func element(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

func (c *planCheck) subject() {
	s := &c.plan.Subject
	if s.Runs != "" { // without it: all
		oneOf(c, "subject.runs", s.Runs, RunsAll, RunsSome)
	}
	c.once("subject.broken", s.Broken, assumptions)
	for _, oracle := range slices.Sorted(maps.Keys(s.Expect)) { // what is left out holds
		at := "subject.expect." + string(oracle)
		oneOf(c, at, oracle, Oracles()...)
		oneOf(c, at, s.Expect[oracle], Holds, Violated)
	}
	declaration, known := declared(s.Name)
	if !known {
		return
	}
	for i, option := range s.Options {
		at := element("subject.options", i)
		if err := declaration.Check(option); err != nil {
			c.slip(at, err.Error())
		} else if slices.ContainsFunc(s.Options[:i], func(o Option) bool { return o.Name == option.Name }) {
			c.slip(at, fmt.Sprintf("found the option %s twice; allowed: once", quoted(option.Name)))
		}
	}
}

func (c *planCheck) lock() {
	l := &c.plan.Lock
	number(c, "lock.ttl_ns", int64(l.TTL), int64(leastTTL), int64(longest))
	number(c, "lock.rate_error_ppm", l.RateErrorPPM, 0, mostRateError)
	number(c, "lock.node_timeout_ns", int64(l.NodeTimeout), int64(leastNodeTimeout), int64(longest))
	c.span("lock.retry.delay", l.Retry.Delay, 0)
	number(c, "lock.retry.tries", l.Retry.Tries, 0, million)
	number(c, "lock.extensions", l.Extensions, 0, million)
	oneOf(c, "lock.fencing", l.Fencing, FencingNone, FencingIdeal, FencingSubject)
	number(c, "stock", c.plan.Stock, 0, million)
}

func (c *planCheck) clients() {
	p := c.plan
	if len(p.Clients) == 0 {
		c.slip("clients", "found none; allowed: one or more")
	}
	var names []string
	for i, client := range p.Clients {
		at := element("clients", i)
		c.named(at+".name", client.Name, faults.CheckClientName)
		if slices.Contains(names, client.Name) {
			c.slip(at+".name", fmt.Sprintf("found %s twice; allowed: each name once", quoted(client.Name)))
		}
		if client.Follows != "" {
			oneOf(c, at+".follows", client.Follows, names...)
		}
		names = append(names, client.Name)
		c.span(at+".start", client.Start, 0)
		number(c, at+".clock_ahead_ns", int64(client.Ahead), -int64(longest), int64(longest))
		if client.Nodes != nil && len(client.Nodes) == 0 {
			c.slip(at+".nodes", "found an empty list; allowed: one node or more, or no such field, which is all of them")
		}
		c.once(at+".nodes", client.Nodes, p.nodeNames())
		c.steps(at+".steps", client.Steps, 0)
		if !slices.ContainsFunc(p.World.Processes, func(o sim.ProcessConfig) bool { return o.Name == client.Name }) {
			c.slip("world.processes", fmt.Sprintf("found none for the client %s; allowed: one for each client", quoted(client.Name)))
		}
	}
	for i, process := range p.World.Processes {
		oneOf(c, element("world.processes", i)+".name", process.Name, names...)
	}
}

func (p *Plan) nodeNames() []string {
	names := make([]string, len(p.World.Nodes))
	for i, n := range p.World.Nodes {
		names[i] = n.Name
	}
	return names
}

func (c *planCheck) steps(path string, list []Step, depth int) {
	for i, s := range list {
		at := element(path, i)
		oneOf(c, at+".kind", s.Kind, append(slices.Clone(verbs), StepCrash)...)
		for _, part := range []struct {
			name string
			span Span
		}{{"duration", s.Duration}, {"cancel", s.Cancel}, {"think", s.Think}, {"delay", s.Delay}} {
			c.span(at+"."+part.name, part.span, 0)
		}
		switch s.Kind {
		case StepRepeat:
			c.loop(at, s, depth+1)
		case StepHold, StepWait, StepCrash:
		default:
			c.named(at+".resource", s.Resource, checkResource)
		}
	}
}

func (c *planCheck) loop(at string, s Step, depth int) {
	number(c, at+".times", s.Times, 0, million)
	number(c, at+".for_ns", int64(s.For), 0, int64(longest))
	switch {
	case depth > deepest:
		c.slip(at, fmt.Sprintf("found loops %d deep; allowed: %d", depth, deepest))
		return
	case (s.Times == 0) == (s.For == 0):
		c.slip(at, fmt.Sprintf("found times %d and for_ns %d; allowed: one of the two above 0", s.Times, s.For))
	case s.For > 0 && !slices.ContainsFunc(s.Steps, takesTime):
		c.slip(at+".steps", "found a loop without a step that must take time, which would never end; allowed: with a lock, a trylock or a wait")
	}
	c.steps(at+".steps", s.Steps, depth)
}

func (c *planCheck) goals() {
	clients := []string{"any"}
	for _, client := range c.plan.Clients {
		clients = append(clients, client.Name)
	}
	for i, g := range c.plan.Liveness {
		at := element("liveness", i)
		oneOf(c, at+".client", g.Client, clients...)
		oneOf(c, at+".does", g.Does, goalOperations...)
		if g.Resource != "" {
			c.named(at+".resource", g.Resource, checkResource)
		}
		oneOf(c, at+".each", g.Each, EachNone, EachReturns, EachSucceeds, EachFails, EachNever)
		if when := g.From.When; when.Subject != "" {
			oneOf(c, at+".from.when", when.Subject, slices.Concat(clients, c.plan.nodeNames())...)
		}
		number(c, at+".from.at_ns", int64(g.From.At), 0, int64(longest))
		number(c, at+".from.nth", g.From.Nth, 0, million)
		number(c, at+".from.after_ns", int64(g.From.After), 0, int64(longest))
		number(c, at+".within.value_ns", int64(g.Within.Value), 1, int64(longest))
		if g.Heal != nil {
			number(c, at+".heal.value_ns", int64(g.Heal.Value), 1, int64(longest))
		}
		c.once(at+".needs", g.Needs, assumptions)
	}
}

// world checks what the world itself lets pass, or says without a place.
func (c *planCheck) world() {
	w := &c.plan.World
	if c.plan.Seed != w.Seed {
		c.slip("world.seed", fmt.Sprintf("found %d beside the plan's seed %d; allowed: the same in both places", w.Seed, c.plan.Seed))
	}
	number(c, "world.nodes", len(w.Nodes), 1, mostNodes)
	for i, n := range w.Nodes {
		oneOf(c, element("world.nodes", i)+".name", n.Name, nodeName(i+1))
		number(c, element("world.nodes", i)+".snapshot_every_ns", int64(n.SnapshotEvery), 0, int64(longest))
		number(c, element("world.nodes", i)+".age_ns", int64(n.Age), 0, int64(longest))
	}
	number(c, "world.network.loss_ppm", w.Network.LossPPM, 0, million)
	number(c, "world.network.latency.max_ns", int64(w.Network.Latency.Max), 0, int64(longest))
	for i, l := range w.Network.Links {
		at := element("world.network.links", i)
		number(c, at+".loss_ppm", l.LossPPM, 0, million)
		number(c, at+".latency.max_ns", int64(l.Latency.Max), 0, int64(longest))
		oneOf(c, at+".direction", l.Direction, "", sim.ToNode, sim.ToProcess)
		oneOf(c, at+".node", l.Node, append(c.plan.nodeNames(), "")...)
		processes := []string{""}
		for _, process := range w.Processes {
			processes = append(processes, process.Name)
		}
		oneOf(c, at+".process", l.Process, processes...)
	}
	number(c, "world.bounds.events", w.Bounds.Events, 1, mostEvents)
	number(c, "world.bounds.virtual_ns", int64(w.Bounds.Virtual), 1, int64(longest))
	number(c, "world.drain_ns", int64(w.Drain), 0, int64(longest))
}
