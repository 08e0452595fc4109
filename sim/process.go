package sim

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"
)

// ErrCrashed is what a process gets from the world after the run is over or the
// process has crashed: it must unwind.
var ErrCrashed = errors.New("sim: process has crashed")

// Process is a client's process: it has three clocks, a gate that a pause or a
// crash closes, and connections to nodes. Code of a process may use as many
// goroutines as it likes; everything it does towards the world passes the gate.
type Process struct {
	Name string

	world  *World
	index  int
	clocks map[ClockKind]*Clock
	ctx    context.Context
	cancel context.CancelFunc

	mu      sync.Mutex
	closed  bool // paused or crashed: the gate is closed
	crashed bool
	over    bool // the run is over: every operation fails at once
	waiters []*waiter
	timers  []*Alarm // armed, by number
	number  int      // of the last timer
	running int      // main functions

	// Only the controller touches these.
	deferred []func() // what arrived while the gate was closed, in order
	conns    []*conn
	onEnd    []func()

	pauses   Causes
	drifts   caused[*bool]
	notice   caused[func(arrival int) time.Duration] // how late an arrival is noticed, in all
	arrivals int                                     // that were noticed late
	noticed  time.Duration                           // when the last of them is
}

// waiter is a goroutine of a process that waits at the closed gate.
type waiter struct {
	key   string
	since time.Duration
	open  chan struct{}
}

// compare orders waiters by what they wait for, then by when they came: never
// by which of two goroutines came first within one instant.
func (w *waiter) compare(other *waiter) int {
	return cmp.Or(cmp.Compare(w.key, other.key), cmp.Compare(w.since, other.since))
}

// Go runs f as a part of the process. The run ends when every such function of
// every process that did not crash has returned. While the world is being built
// f waits for the end of that. ctx is cancelled when the run is over.
func (p *Process) Go(f func(ctx context.Context)) {
	p.mu.Lock()
	p.running++
	p.mu.Unlock()
	go func() {
		defer func() {
			p.mu.Lock()
			p.running--
			p.mu.Unlock()
			p.world.nudge()
		}()
		select {
		case <-p.world.built:
			f(p.ctx)
		case <-p.ctx.Done(): // the world could not be built
		}
	}()
}

// Seed is the seed of the run.
func (p *Process) Seed() uint64 { return p.world.config.Seed }

// Context ends when the run is over.
func (p *Process) Context() context.Context { return p.ctx }

// pass blocks while the gate is closed. The key orders goroutines that wait at
// one gate when it opens. It returns ErrCrashed once the run is over.
func (p *Process) pass(key string) error {
	p.mu.Lock()
	for p.closed && !p.over {
		w := &waiter{key: key, since: p.world.Now(), open: make(chan struct{})}
		p.waiters = append(p.waiters, w)
		p.mu.Unlock()
		select {
		case <-w.open:
		case <-p.ctx.Done():
		}
		p.mu.Lock()
	}
	over := p.over
	p.mu.Unlock()
	if over {
		return ErrCrashed
	}
	return nil
}

// Now reads one of the process' clocks. It returns when the gate is open.
func (p *Process) Now(kind ClockKind) time.Duration {
	_ = p.pass("clock") // a reading after the end harms nobody
	return p.clocks[kind].Read(p.world.Now())
}

// Clock returns one of the process' clocks, to be read without passing the
// gate: for observers and oracles, not for the process' own code.
func (p *Process) Clock(kind ClockKind) *Clock { return p.clocks[kind] }

// Record writes an event into the trace on behalf of the process and returns
// when the controller has taken it, so that a fault that this event triggers
// acts before the process does anything else.
func (p *Process) Record(e Event) {
	if p.pass("record") != nil {
		return
	}
	e.Process = p.Name
	done := make(chan struct{})
	order := strings.Join([]string{string(e.Kind), e.Resource, e.Lease, e.Detail, e.Key, e.Node}, "\x00")
	p.world.enqueue(pending{class: classRecord, process: p, event: &e, at: p.world.Now(), order: order, done: done})
	<-done
	_ = p.pass("record")
}

// Sleep waits for d of true time, and for an open gate. It returns the context's
// error, or ErrCrashed when the run is over.
func (p *Process) Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		// No timer: one that is due at once fires on the caller's thread, and two that
		// fire at once in a bubble ruin the race detector's memory (go.dev/issue/78156).
		if err := ctx.Err(); err != nil {
			return err
		}
		return p.pass("sleep")
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return ctx.Err()
	case <-p.ctx.Done():
	}
	return p.pass("sleep")
}

// remote is a message to something outside the cluster, and its answer.
type remote struct {
	there, back time.Duration
	arrive      func()
	done        chan struct{}
}

// Remote sends a message to something outside the cluster, such as a protected
// resource: arrive runs, in controller context, after `there`; Remote returns
// another `back` later. A crash or a pause of the process does not stop a message that is under way.
func (p *Process) Remote(there, back time.Duration, arrive func()) error {
	if err := p.pass("remote"); err != nil {
		return err
	}
	r := &remote{there: there, back: back, arrive: arrive, done: make(chan struct{})}
	p.world.enqueue(pending{class: classRemote, process: p, at: p.world.Now(), remote: r})
	select {
	case <-r.done:
	case <-p.ctx.Done():
	}
	return p.pass("remote")
}

func (r *remote) begin(p *Process) {
	w := p.world
	w.At(w.now+r.there, func() {
		r.arrive()
		w.At(w.now+r.back, func() { p.arrive(func() { close(r.done) }) })
	})
}

// Pause closes the gate: no read, write, dial or clock reading of the process
// returns until Resume. Controller context only.
func (p *Process) Pause(fault string) {
	p.mu.Lock()
	begins := p.pauses.Add(fault) && !p.closed
	p.closed = true
	p.mu.Unlock()
	if begins {
		p.world.emit(Event{Kind: Pause, Process: p.Name, Fault: fault})
	}
}

// Resume opens the gate. What arrived meanwhile is handed over first, in order
// of arrival, then the waiting goroutines go on, an instant for each thing that
// they wait for and each instant since when they do. Where several faults pause a
// process, the gate opens with the last of them. Controller context only.
func (p *Process) Resume(fault string) {
	p.mu.Lock()
	if !p.pauses.Remove(fault) || p.crashed {
		p.mu.Unlock()
		return
	}
	p.closed = false
	waiters := p.waiters
	p.waiters = nil
	p.mu.Unlock()
	p.world.emit(Event{Kind: Resume, Process: p.Name, Fault: fault})
	slices.SortStableFunc(waiters, (*waiter).compare)
	for _, arrival := range p.deferred {
		p.world.At(p.world.now, arrival)
	}
	p.deferred = nil
	// What cannot be told apart goes on together.
	for len(waiters) > 0 {
		same := 1
		for same < len(waiters) && waiters[same].compare(waiters[0]) == 0 {
			same++
		}
		group := waiters[:same]
		waiters = waiters[same:]
		p.world.At(p.world.now, func() {
			for _, w := range group {
				close(w.open)
			}
		})
	}
}

// Crash ends the process for ever: its gate stays closed, its connections are
// cut. Controller context only.
func (p *Process) Crash(fault string) {
	p.mu.Lock()
	if p.crashed {
		p.mu.Unlock()
		return
	}
	p.closed, p.crashed = true, true
	p.mu.Unlock()
	p.world.emit(Event{Kind: Crash, Process: p.Name, Detail: string(ProcessCrash), Fault: fault})
	p.deferred = nil
	for _, c := range p.conns {
		c.cutAtNode()
	}
}

// Crashed reports whether the process has crashed.
func (p *Process) Crashed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.crashed
}

// arrive hands something to the process: now, or when its gate opens.
func (p *Process) arrive(f func()) {
	p.mu.Lock()
	closed, crashed := p.closed, p.crashed
	p.mu.Unlock()
	switch {
	case crashed:
	case closed:
		p.deferred = append(p.deferred, func() { p.arrive(f) })
	case len(p.notice) > 0 || p.noticed > p.world.now:
		p.later(f)
	default:
		f()
	}
}

// later hands something over when a slow process notices it, in order of arrival.
func (p *Process) later(f func()) {
	at := p.world.now
	p.arrivals++
	for _, s := range p.notice {
		at += s.value(p.arrivals)
	}
	p.noticed = max(at, p.noticed+1)
	p.world.At(p.noticed, func() {
		p.mu.Lock()
		closed, crashed := p.closed, p.crashed
		p.mu.Unlock()
		switch {
		case crashed:
		case closed:
			p.deferred = append(p.deferred, f)
		default:
			f()
		}
	})
}

// SetNotice makes a process slow, as one that has too little of the processor:
// whatever arrives, answers and its timers' alarms, it notices late, by what the
// function says of the arrival with that number, from 1. nil ends
// what the fault had set. Controller context only.
func (p *Process) SetNotice(notice func(arrival int) time.Duration, fault string) {
	kind := Impair
	p.notice.set(fault, notice)
	if notice == nil {
		kind = Recover
		p.notice.drop(fault)
	}
	p.world.emit(Event{Kind: kind, Process: p.Name, Detail: Slow, Fault: fault})
}

// StepClock steps one of the process' clocks. Controller context only.
func (p *Process) StepClock(kind ClockKind, by time.Duration, fault string) {
	p.clocks[kind].step(p.world.now, by)
	p.world.emit(Event{Kind: ClockStep, Process: p.Name, Duration: by, Detail: string(kind), Fault: fault})
	if kind == Monotonic {
		p.rearm()
	}
}

// SetClockRate sets the rate error of one of the process' clocks on behalf of a
// fault. Of several faults the one that was the last to begin holds. "" sets
// the configured one. Timers run on the monotonic clock. Controller context only.
func (p *Process) SetClockRate(kind ClockKind, ppm int64, fault string) {
	p.rateHolds(kind, p.clocks[kind].setRate(p.world.now, ppm, fault), fault)
}

// EndClockRate takes the rate error back that a fault had set: the one before it
// holds again. Controller context only.
func (p *Process) EndClockRate(kind ClockKind, fault string) {
	p.rateHolds(kind, p.clocks[kind].endRate(p.world.now, fault), fault)
}

func (p *Process) rateHolds(kind ClockKind, now int64, fault string) {
	p.world.emit(Event{Kind: ClockRate, Process: p.Name, PPM: now, Detail: string(kind), Fault: fault})
	if kind == Monotonic {
		p.rearm()
	}
}

// finished reports whether the process has nothing left to do.
func (p *Process) finished() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.crashed || p.running == 0
}

// end lets every goroutine of the process unwind.
func (p *Process) end() {
	p.mu.Lock()
	p.over = true
	p.mu.Unlock()
	p.cancel()
}
