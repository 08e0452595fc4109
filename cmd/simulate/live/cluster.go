package live

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"redlocklab/faults"
	"redlocklab/redlock"
	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/sim"
	"redlocklab/sim/random"
)

// clock is true time: it is the same in every process of the machine.
var clock = redlock.SystemClock()

// cluster is the servers and clients of one run, and the loop that connects them:
// one goroutine does everything that the run consists of, in order. It implements
// [play.Cluster].
type cluster struct {
	*sim.Network

	plan     *plan.Plan
	notation *sim.Notation
	keys     sim.Keys // as the trace tells them
	referee  *play.Referee
	origin   time.Duration // of true time, on the machine's clock
	last     time.Duration // of the last event
	due      time.Duration // when the loop should have begun what it does now

	calls     chan call     // what other goroutines want done
	over      chan struct{} // closed when the loop has ended
	restarts  sync.WaitGroup
	timers    []call // what is to be done at true times, in their order
	observers []func(sim.Event)
	servers   []*server
	clients   []*client
	dials     int
	requests  int
	failure   error // of the laboratory: the run has no verdict
}

func newCluster(p *plan.Plan) *cluster {
	subject, _ := lock.Of(p.Subject.Name)
	cl := &cluster{
		plan: p, notation: sim.NewNotation(subject.Scripts),
		origin: clock.Now(), calls: make(chan call), over: make(chan struct{}),
	}
	cl.Network = sim.NewNetwork(p.Seed, p.World.Network, cl.Emit)
	return cl
}

// call is something that another goroutine wants done, and since when.
type call struct {
	at time.Duration // on the machine's clock; in timers the true time
	do func()
}

// inLoop has the loop call f; false when the run is over.
func (cl *cluster) inLoop(f func()) bool {
	select {
	case cl.calls <- call{clock.Now(), f}:
		return true
	case <-cl.over:
		return false
	}
}

// fail ends the run without a verdict.
func (cl *cluster) fail(format string, arguments ...any) {
	if cl.failure == nil {
		cl.failure = fmt.Errorf(format, arguments...)
	}
}

// loop plays the run and returns how it ended, in the simulator's words.
func (cl *cluster) loop(ctx context.Context) (sim.Outcome, error) {
	defer close(cl.over)
	idleSince := time.Duration(-1)
	wake := time.NewTimer(0)
	for {
		now := cl.Now()
		switch {
		case cl.failure != nil:
			return "", cl.failure
		case ctx.Err() != nil:
			return "", ctx.Err()
		case len(cl.notation.Events()) >= cl.plan.World.Bounds.Events:
			return sim.EventBound, nil
		case !cl.finished():
			idleSince = -1
		case idleSince < 0:
			idleSince = now
		}
		end, outcome := cl.plan.World.Bounds.Virtual, sim.VirtualBound
		if idleSince >= 0 && idleSince+cl.plan.World.Drain < end {
			end, outcome = idleSince+cl.plan.World.Drain, sim.Finished
		}
		wait := end - now
		if len(cl.timers) > 0 {
			next := cl.timers[0]
			if next.at <= min(now, end) { // however late the machine is
				cl.timers = cl.timers[1:]
				cl.due = next.at
				next.do()
				continue
			}
			wait = min(wait, next.at-now)
		}
		if now >= end {
			return outcome, nil
		}
		wake.Reset(wait)
		select {
		case c := <-cl.calls:
			cl.take(c)
		case <-wake.C:
		case <-ctx.Done():
		}
	}
}

// take does what another goroutine wants done. It was due when that asked for it.
func (cl *cluster) take(c call) {
	cl.due = c.at - cl.origin
	c.do()
}

func (cl *cluster) finished() bool {
	return !slices.ContainsFunc(cl.clients, func(c *client) bool { return !c.done && !c.crashed })
}

// Now implements faults.Target.
func (cl *cluster) Now() time.Duration { return clock.Now() - cl.origin }

// Random implements faults.Target.
func (cl *cluster) Random(stream string, index uint64) uint64 {
	return random.Value(cl.plan.Seed, stream, index)
}

// At implements faults.Target. Of two functions for one time the first is called first.
func (cl *cluster) At(at time.Duration, f func()) {
	i := len(cl.timers)
	for i > 0 && cl.timers[i-1].at > at {
		i--
	}
	cl.timers = slices.Insert(cl.timers, i, call{at, f})
}

// after calls f when d has passed since the loop should have begun what it does now.
// So what a server and the machine take is a part of the plan's latencies as long as
// it is less, and does not add up.
func (cl *cluster) after(d time.Duration, f func()) { cl.At(cl.due+d, f) }

// Observe implements faults.Target.
func (cl *cluster) Observe(f func(sim.Event)) { cl.observers = append(cl.observers, f) }

// Emit implements play.Cluster.
func (cl *cluster) Emit(e sim.Event) { cl.emit(e) }

// emit records an event and returns its time, which no other event has. What the event triggers
// has happened when it returns, which may be milliseconds later.
func (cl *cluster) emit(e sim.Event) time.Duration {
	e.At = max(cl.Now(), cl.last+1)
	cl.last = e.At
	e = cl.notation.Add(e)
	if change, ok := cl.keys.Apply(&e); ok {
		cl.server(e.Node).watch(change.Key, change.After)
	}
	for _, f := range cl.observers {
		f(e)
	}
	return e.At
}

// ResetConnections implements faults.Target.
func (cl *cluster) ResetConnections(among func(client, node string) bool, fault string) {
	for _, s := range cl.servers {
		for _, c := range slices.Clone(s.connections) {
			if among(c.client.name, s.name) {
				c.reset(fault)
			}
		}
	}
}

// Node implements faults.Target.
func (cl *cluster) Node(node string) faults.NodeHandle { return cl.server(node) }

func (cl *cluster) server(name string) *server {
	for _, s := range cl.servers {
		if s.name == name {
			return s
		}
	}
	return nil
}

// Process implements faults.Target.
func (cl *cluster) Process(name string) faults.ProcessHandle { return cl.client(name) }

func (cl *cluster) client(name string) *client {
	for _, c := range cl.clients {
		if c.name == name {
			return c
		}
	}
	return nil
}

// Follow implements play.Cluster.
func (cl *cluster) Follow(name string, crashed bool) {
	switch c := cl.client(name); {
	case c.done:
	case crashed:
		c.begin()
	default:
		c.done = true
	}
}
