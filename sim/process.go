package sim

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"
)

// ErrCrashed is returned to code of a process after the process has crashed or the
// run is over. The code must return.
var ErrCrashed = errors.New("sim: process has crashed")

// Process is a client's process. It has three clocks, connections to nodes, and a
// gate. Its code may use any number of goroutines; each of their actions on the world
// passes the gate. The gate has four states:
//
//	open     waiters and deferred are empty
//	paused   pauses holds a fault; arrivals wait in deferred, goroutines in waiters
//	crashed  as paused, but deferred stays empty: no arrival is kept
//	over     every operation fails with ErrCrashed
//
//	open → paused     Pause: the first fault begins to pause the process
//	paused → open     Resume: the last of these faults ends
//	any → crashed     Crash; only the end of the run leaves this state
//	any → over        end: the run is over
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
	running int      // functions started by Go that have not returned

	// Used only by the controller.
	deferred []func() // arrivals while the gate was closed, in order
	conns    []*conn
	onEnd    []func()

	pauses   Causes
	tardy    contributions[func(due time.Duration) time.Duration] // delays of timers; guarded by the world's lock
	notice   contributions[func(arrival int) time.Duration]       // delays after which an arrival is noticed
	arrivals int                                                  // number of arrivals that were noticed late
	noticed  time.Duration                                        // when the last of them is noticed
}

// Go runs f in a goroutine of the process, once the world is built. The run ends
// when all functions that were passed to Go have returned, except those of
// crashed processes. ctx is cancelled when the run is over.
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

// Seed returns the seed of the run.
func (p *Process) Seed() uint64 { return p.world.config.Seed }

// Context returns a context that is cancelled when the run is over.
func (p *Process) Context() context.Context { return p.ctx }

// Record appends an event of the process to the trace. It returns after the
// observers have seen the event, so a fault that the event triggers acts before
// the process does anything else.
func (p *Process) Record(e Event) {
	if p.pass("record") != nil {
		return
	}
	e.Process = p.Name
	order := strings.Join([]string{string(e.Kind), e.Resource, e.Lease, e.Detail, e.Key, e.Node}, "\x00")
	_ = p.await(pending{class: classRecord, event: &e, order: order}, "record")
}

// Sleep waits until d of true time has passed and the gate is open. The error is
// that of ctx, or [ErrCrashed] when the run is over.
//
// With d <= 0 it arms no timer. In a bubble Go 1.26 fires a timer that is due at
// once on the thread that arms it, with race-detector state that the whole bubble
// shares. Two such timers at one moment corrupt that state, and the program dies
// of SIGSEGV or "ThreadSanitizer: CHECK failed" (go.dev/issue/78156). For the same
// reason [World] never arms such a timer, and drivers wait a nanosecond before
// they retry. TestSleepOfNothing dies under -race without this.
func (p *Process) Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
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

func newProcess(w *World, index int, c ProcessConfig) *Process {
	ctx, cancel := context.WithCancel(context.Background())
	p := &Process{
		Name: c.Name, world: w, index: index, ctx: ctx, cancel: cancel,
		clocks: map[ClockKind]*Clock{
			Wall:      newClock(c.WallOffset, c.RatePPM),
			Monotonic: newClock(0, c.RatePPM),
			Boottime:  newClock(c.BoottimeOffset, c.RatePPM),
			True:      newClock(0, 0),
		},
	}
	for kind, clock := range p.clocks { // each by itself: the order cannot be seen
		clock.host = clockHost{
			world: w, event: Event{Process: p.Name, Detail: string(kind)},
			before: func() {}, stepped: func(time.Duration) {}, changed: func() {},
		}
	}
	p.clocks[Monotonic].host.changed = p.rearm
	return p
}

// OnEnd registers a function that is called in the bubble when the run is over. It
// must close what keeps goroutines of the process alive, such as clients and locks.
func (p *Process) OnEnd(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.onEnd = append(p.onEnd, f)
}

// busy reports whether the process has something left to do.
func (p *Process) busy() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.crashed && p.running > 0
}

// end makes every goroutine of the process return.
func (p *Process) end() {
	p.mu.Lock()
	p.over = true
	p.mu.Unlock()
	p.cancel()
	p.world.mu.Lock()
	defer p.world.mu.Unlock()
	for _, t := range slices.Clone(p.timers) { // a process that crashed may wait for one
		t.disarm()
		t.c <- time.Now()
	}
}

// remote is a message to something that is no node, and the answer to it.
type remote struct {
	there, back time.Duration
	arrive      func()
}

// Remote sends a message to something that is no node, such as a protected
// resource, and waits for the answer. arrive runs in controller context after
// `there`; the answer arrives `back` later. A message that is under way arrives
// even if the process is paused or crashes. The error is [ErrCrashed] when the
// run is over.
func (p *Process) Remote(there, back time.Duration, arrive func()) error {
	if err := p.pass("remote"); err != nil {
		return err
	}
	return p.await(pending{class: classRemote, remote: &remote{there, back, arrive}}, "remote")
}

func (r *remote) begin(p *Process, done chan struct{}) {
	w := p.world
	w.At(w.now+r.there, func() {
		r.arrive()
		w.At(w.now+r.back, func() { p.arrive(func() { close(done) }) })
	})
}
