package play

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// client plays the steps of one client in its process, and keeps the notes that
// the history is made of. Its goroutine is the only one that writes them.
type client struct {
	whole   *plan.Plan
	plan    plan.Client
	process Process
	clock   sim.ClockKind // that the subject reads; empty is none
	locker  lock.Locker
	classes []lock.ErrorClass // of the lock's own errors
	// whenReads is when the clock of this client shows a reading, in true time.
	whenReads func(reading, after time.Duration) (at time.Duration, ok bool)
	// turn says whether the client that this one follows has crashed; nil follows none.
	turn chan bool

	draws      uint64
	attempts   *lock.Attempts
	operations []operation
	leases     []*lease
	held       map[string]*lease // by resource
}

// operation is one call of the client, as it saw it.
type operation struct {
	name     string // acquire, extend, release
	resource string
	lease    string
	call     time.Duration
	returned time.Duration // -1: it never returned
	failure  string        // class of the error; empty is none
	token    string        // of a failed acquisition that tells it, as the trace names it
}

// lease is one successful acquisition.
type lease struct {
	id, resource string
	lease        lock.Lease
	token        string // as the trace names it
	fence        uint64
	operation    int
	reported     bool

	mu         sync.Mutex // a watchdog prolongs beside the client
	validity   []validity
	releasedAt time.Duration // call of release; -1: never
}

// prolong notes a new end of the validity from now on, unless the lease was given
// back meanwhile. It reads the time under the lock: of two watchdogs the one that
// is noted later must be the later one. Of two notes of one instant the later counts.
func (l *lease) prolong(now func() time.Duration, reading time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.releasedAt >= 0 {
		return
	}
	at := now()
	if last := len(l.validity) - 1; last >= 0 && l.validity[last].at == at {
		l.validity = l.validity[:last]
	}
	l.validity = append(l.validity, validity{at: at, reading: reading})
}

// end is the end of the validity that the client knows.
func (l *lease) end() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.validity[len(l.validity)-1].reading
}

// giveBack notes the call of release.
func (l *lease) giveBack(at time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.releasedAt = at
}

// validity says what end the client knew from `at` on.
type validity struct {
	at      time.Duration
	reading time.Duration // on the client's clock
}

// play is the client's main function.
func (c *client) play(ctx context.Context) {
	if c.turn != nil {
		select {
		case comes := <-c.turn:
			if !comes {
				return
			}
		case <-ctx.Done():
			return
		}
	}
	if c.process.Sleep(ctx, c.between(c.plan.Start)) != nil {
		return
	}
	if c.steps(ctx, c.plan.Steps) {
		c.record(sim.Event{Kind: sim.Done})
	}
}

// between draws from a range by identity.
func (c *client) between(s plan.Span) time.Duration {
	c.draws++
	return sim.Between(sim.Random(c.process.Seed(), "client/"+c.plan.Name, c.draws), s.Low, s.High)
}

func (c *client) record(e sim.Event) Numbers { return c.process.Record(e) }

// steps plays a list; false when the run is over.
func (c *client) steps(ctx context.Context, steps []plan.Step) bool {
	for i := range steps {
		if ctx.Err() != nil || !c.step(ctx, &steps[i]) {
			return false
		}
	}
	return true
}

func (c *client) step(ctx context.Context, s *plan.Step) bool {
	switch s.Kind {
	case plan.StepLock:
		c.acquire(ctx, s, c.locker.Lock)
	case plan.StepTryLock:
		c.acquire(ctx, s, c.locker.TryLock)
	case plan.StepHold:
		d := c.between(s.Duration)
		if len(c.held) > 0 {
			return c.process.Sleep(ctx, d) == nil
		}
	case plan.StepWait:
		return c.process.Sleep(ctx, c.between(s.Duration)) == nil
	case plan.StepExtend:
		if l := c.held[s.Resource]; l != nil {
			c.extend(ctx, l)
		}
	case plan.StepRelease:
		if l := c.held[s.Resource]; l != nil {
			c.release(ctx, l)
		}
	case plan.StepRead, plan.StepWrite, plan.StepDecrement:
		return c.access(ctx, s)
	case plan.StepCrash:
		c.record(sim.Event{Kind: crashCall})
		return false
	case plan.StepRepeat:
		return c.repeat(ctx, s)
	default:
		panic(fmt.Sprintf("scenarios: unknown step %q", s.Kind)) // the loader checked it
	}
	return true
}

func (c *client) repeat(ctx context.Context, s *plan.Step) bool {
	end := c.process.TrueTime() + s.For
	for n := 0; (s.For == 0 && n < s.Times) || (s.For > 0 && c.process.TrueTime() < end); n++ {
		if !c.steps(ctx, s.Steps) {
			return false
		}
	}
	return true
}

// begin notes the call of an operation.
func (c *client) begin(name, resource, leaseID string) int {
	c.record(sim.Event{Kind: sim.Call, Resource: resource, Lease: leaseID, Detail: name})
	c.operations = append(c.operations, operation{name: name, resource: resource, lease: leaseID, call: c.process.TrueTime(), returned: -1})
	c.process.Noted(c.notes)
	return len(c.operations) - 1
}

// end notes the return of an operation, at the instant at which the trace has it.
func (c *client) end(n int, err error, e sim.Event) Numbers {
	op := &c.operations[n]
	if err != nil {
		op.failure = lock.ClassOf(err, c.classes)
		e = sim.Event{Kind: sim.Failed, Value: e.Value, Detail: op.name + ": " + op.failure}
	}
	e.Resource, e.Lease = op.resource, op.lease
	numbers := c.record(e)
	if !c.process.Crashed() && !errors.Is(err, sim.ErrCrashed) { // the trace has no end of what a crash ended
		op.returned = c.process.TrueTime()
		if err != nil {
			op.token = numbers.Token
		}
	}
	c.process.Noted(c.notes)
	return numbers
}

// cancelled returns a context that the caller cancels when the step says so.
func (c *client) cancelled(ctx context.Context, s *plan.Step) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if s.Cancel != (plan.Span{}) {
		after := c.between(s.Cancel)
		go func() {
			if c.process.Sleep(ctx, after) == nil {
				cancel()
			}
		}()
	}
	return ctx, cancel
}

func (c *client) acquire(ctx context.Context, s *plan.Step, f func(context.Context, string) (lock.Lease, error)) {
	resource := s.Resource
	c.attempts.Begin()
	n := c.begin("acquire", resource, "")
	ctx, cancel := c.cancelled(ctx, s)
	defer cancel()
	got, err := f(ctx, resource)
	c.attempts.Failed(err)
	if err != nil {
		var failed sim.Event
		if t := lock.Tokened(nil); errors.As(err, &t) {
			failed.Value = t.Token()
		}
		c.end(n, err, failed)
		return
	}
	l := &lease{
		id: fmt.Sprintf("%s#%d", c.plan.Name, len(c.leases)+1), resource: resource, lease: got, operation: n, releasedAt: -1,
	}
	var token string
	if t, ok := got.(lock.Tokened); ok {
		token = t.Token()
	}
	if f, ok := got.(lock.Fenced); ok {
		l.fence = f.Fence()
	}
	until := c.attempts.Start() + c.whole.Lock.TTL
	switch r := got.(type) {
	case lock.Reporter:
		l.reported, until = true, r.Until()
	case lock.Started:
		until = r.Started() + c.whole.Lock.TTL
	}
	c.operations[n].lease = l.id
	event := sim.Event{Kind: sim.Acquired, Value: token, Duration: max(until-c.read(), 0)}
	numbers := c.end(n, nil, event)
	l.token = numbers.Token
	if c.whole.Lock.Fencing == plan.FencingIdeal {
		l.fence = numbers.Fence
	}
	l.prolong(c.process.TrueTime, until)
	c.leases = append(c.leases, l)
	c.held[resource] = l
	c.process.Noted(c.notes)
	if r, ok := got.(lock.Renewing); ok {
		r.OnRenewal(func(until time.Duration) { c.renewed(l, until) })
	}
}

// renewed notes that the subject's watchdog has prolonged a lease, in the
// watchdog's goroutine.
func (c *client) renewed(l *lease, until time.Duration) {
	c.record(sim.Event{Kind: sim.Extended, Resource: l.resource, Lease: l.id, Detail: "by the watchdog", Duration: max(until-c.read(), 0)})
	if !c.process.Crashed() {
		l.prolong(c.process.TrueTime, until)
		c.process.Noted(func() Notes { return Notes{Leases: []LeaseNote{l.note()}} })
	}
}

// read reads the clock that matters for this client, without its noticing: the
// laboratory's reading of a lease that reports none.
func (c *client) read() time.Duration {
	return c.process.Read(c.clockKind())
}

func (c *client) clockKind() sim.ClockKind {
	if c.clock == "" {
		return sim.Boottime
	}
	return c.clock
}

func (c *client) extend(ctx context.Context, l *lease) {
	before := c.read()
	n := c.begin("extend", l.resource, l.id)
	err := lock.ErrNoExtension
	if e, ok := l.lease.(lock.Extender); ok {
		err = e.Extend(ctx)
	}
	until, lengthened := before+c.whole.Lock.TTL, err == nil
	if r, ok := l.lease.(lock.Reporter); ok {
		until = r.Until()
		lengthened = lengthened || until > l.end() // it says that it failed, and is believed for longer all the same
	}
	c.end(n, err, sim.Event{Kind: sim.Extended, Duration: max(until-c.read(), 0)})
	if lengthened && c.operations[n].returned >= 0 {
		l.prolong(c.process.TrueTime, until)
		c.process.Noted(c.notes)
	}
}

func (c *client) release(ctx context.Context, l *lease) {
	delete(c.held, l.resource)
	n := c.begin("release", l.resource, l.id)
	l.giveBack(c.operations[n].call)
	c.process.Noted(c.notes)
	err := l.lease.Release(ctx)
	c.end(n, err, sim.Event{Kind: sim.Released})
}

// valid is what a careful client asks before it touches the resource.
func (c *client) valid(l *lease) bool {
	return c.process.Now(c.clockKind()) < l.end()
}
