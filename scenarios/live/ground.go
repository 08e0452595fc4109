package live

import (
	"container/heap"
	"context"
	"fmt"
	"sync"
	"time"

	"redlocklab/faults"
	"redlocklab/redlock"
	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/sim"
)

// clock is true time: it is the same in every process of the machine.
var clock = redlock.SystemClock()

// ground is the controller of one run: one goroutine does everything that the
// run consists of, in order. It is the [play.Cluster] of its plan.
type ground struct {
	plan     *plan.Plan
	notation *sim.Notation
	referee  *play.Referee
	origin   time.Duration // of true time, on the machine's clock
	last     time.Duration // of the last event
	due      time.Duration // when what is being done should have been done

	calls     chan call // what other goroutines want done
	over      chan struct{}
	starts    sync.WaitGroup // servers that are being started again
	timers    timers
	scheduled int
	observers []func(sim.Event)
	network   *sim.Network
	servers   []*server
	clients   []*client
	dials     int
	messages  int
	failure   error // of the laboratory: no verdict comes of it
}

func newGround(p *plan.Plan) *ground {
	g := &ground{
		plan: p, notation: sim.NewNotation(lock.ScriptsOf(p)),
		origin: clock.Now(), calls: make(chan call), over: make(chan struct{}),
	}
	g.network = sim.NewNetwork(p.Seed, p.World.Network, g.Emit)
	return g
}

// call is something that another goroutine wants done, and since when.
type call struct {
	at time.Duration // on the machine's clock
	do func()
}

// do has f done by the controller; false when the run is over.
func (g *ground) do(f func()) bool {
	select {
	case g.calls <- call{clock.Now(), f}:
		return true
	case <-g.over:
		return false
	}
}

// fail ends the run without a verdict.
func (g *ground) fail(format string, arguments ...any) {
	if g.failure == nil {
		g.failure = fmt.Errorf(format, arguments...)
	}
}

// loop is the run. It returns how it ended, with the simulator's words.
func (g *ground) loop(ctx context.Context) (sim.Outcome, error) {
	defer close(g.over)
	idleSince := time.Duration(-1)
	timer := time.NewTimer(0)
	for {
		now := g.Now()
		switch {
		case g.failure != nil:
			return "", g.failure
		case ctx.Err() != nil:
			return "", ctx.Err()
		case len(g.notation.Events()) >= g.plan.World.Bounds.Events:
			return sim.EventBound, nil
		case now >= g.plan.World.Bounds.Virtual:
			return sim.VirtualBound, nil
		case idleSince >= 0 && now >= idleSince+g.plan.World.Drain:
			return sim.Finished, nil
		}
		if g.finished() {
			if idleSince < 0 {
				idleSince = now
			}
		} else {
			idleSince = -1
		}
		wait := 100 * time.Millisecond
		if len(g.timers) > 0 {
			if next := g.timers[0]; next.at <= now {
				heap.Pop(&g.timers)
				g.due = next.at
				next.do()
				continue
			}
			wait = min(wait, g.timers[0].at-now)
		}
		timer.Reset(wait)
		select {
		case c := <-g.calls:
			g.take(c)
		case <-timer.C:
		case <-ctx.Done():
		}
	}
}

// take does a call, which was due when it was made.
func (g *ground) take(c call) {
	g.due = c.at - g.origin
	c.do()
}

func (g *ground) finished() bool {
	for _, c := range g.clients {
		if !c.done && !c.crashed {
			return false
		}
	}
	return true
}

// Now implements faults.Stage.
func (g *ground) Now() time.Duration { return clock.Now() - g.origin }

// Random implements faults.Stage.
func (g *ground) Random(stream string, index uint64) uint64 {
	return sim.Random(g.plan.Seed, stream, index)
}

// At implements faults.Stage.
func (g *ground) At(at time.Duration, f func()) {
	g.scheduled++
	heap.Push(&g.timers, timer{at: at, order: g.scheduled, do: f})
}

// in calls f when this much more time has passed. It counts from when what is
// being done was due, not from when the machine came to it: what a server and the
// laboratory take is a part of the plan's latencies, and adds nothing up, as long
// as it is less.
func (g *ground) in(d time.Duration, f func()) { g.At(g.due+d, f) }

// Observe implements faults.Stage.
func (g *ground) Observe(f func(sim.Event)) { g.observers = append(g.observers, f) }

// Emit implements play.Cluster. No two events have one time.
func (g *ground) Emit(e sim.Event) {
	e.At = max(g.Now(), g.last+1)
	g.last = e.At
	e = g.notation.Add(e)
	for _, f := range g.observers {
		f(e)
	}
}

// AddRule implements faults.Stage.
func (g *ground) AddRule(r sim.Rule) { g.network.AddRule(r) }

// RemoveRule implements faults.Stage.
func (g *ground) RemoveRule(name, fault string) { g.network.RemoveRule(name, fault) }

// Handle implements faults.Stage.
func (g *ground) Handle(node string) faults.NodeHandle {
	for _, s := range g.servers {
		if s.name == node {
			return s
		}
	}
	return nil
}

// Actor implements faults.Stage.
func (g *ground) Actor(name string) faults.ProcessHandle {
	for _, c := range g.clients {
		if c.name == name {
			return c
		}
	}
	return nil
}

// timer is something to be done at a time; of two at one time the first is first.
type timer struct {
	at    time.Duration
	order int
	do    func()
}

type timers []timer

func (t timers) Len() int { return len(t) }
func (t timers) Less(i, j int) bool {
	return t[i].at < t[j].at || t[i].at == t[j].at && t[i].order < t[j].order
}
func (t timers) Swap(i, j int) { t[i], t[j] = t[j], t[i] }
func (t *timers) Push(x any)   { *t = append(*t, x.(timer)) }
func (t *timers) Pop() any {
	old := *t
	last := old[len(old)-1]
	*t = old[:len(old)-1]
	return last
}
