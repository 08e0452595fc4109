package play

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
	"redlocklab/sim/random"
)

// client plays the steps of one client in its process, and keeps the notes that its
// part of the history is made of. Only its own goroutine writes them.
type client struct {
	plan    *plan.Plan
	own     plan.Client // its part of the plan
	process Process
	clock   sim.ClockKind     // that the subject reads; empty: none
	open    func() error      // makes the lockers that are missing
	lockers []lock.Locker     // used in turn
	turn    int               // acquisitions so far
	broken  error             // why a locker is missing; read when the run is over
	classes []lock.ErrorClass // of the lock's own errors
	// whenReads returns the true time at which the client's clock shows a reading.
	whenReads func(reading, after time.Duration) (at time.Duration, ok bool)
	// predecessor receives whether the client that this one follows has crashed. It is
	// nil for a client that follows none.
	predecessor chan bool

	draws      uint64
	attempts   *lock.Attempts
	operations []OperationNote
	leases     []*lease
	held       map[string]*lease // by resource
}

// play is the client's main function.
func (c *client) play(ctx context.Context) {
	if !c.opened(ctx) {
		return
	}
	if c.predecessor != nil {
		crashed := false
		select {
		case crashed = <-c.predecessor:
		case <-ctx.Done():
		}
		if !crashed {
			return
		}
	}
	if c.process.Sleep(ctx, c.between(c.own.Start)) != nil {
		return
	}
	if c.steps(ctx, c.own.Steps) {
		c.record(sim.Event{Kind: sim.Done})
	}
}

// between draws the client's next duration from a range.
func (c *client) between(s plan.Span) time.Duration {
	c.draws++
	return random.Between(random.Value(c.process.Seed(), "client/"+c.own.Name, c.draws), s.Low, s.High)
}

func (c *client) record(e sim.Event) Receipt { return c.process.Record(e) }

// steps plays a list of steps. It returns false when the client ends.
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
		c.acquire(ctx, s, c.next().Lock)
	case plan.StepTryLock:
		c.acquire(ctx, s, c.next().TryLock)
	case plan.StepHold:
		d := c.between(s.Duration)
		if len(c.held) > 0 {
			return c.process.Sleep(ctx, d) == nil
		}
	case plan.StepWait:
		return c.process.Sleep(ctx, c.between(s.Duration)) == nil
	case plan.StepExtend:
		l := c.held[s.Resource]
		if l == nil && s.Released {
			l = c.last(s.Resource)
		}
		if l != nil {
			c.extend(ctx, l)
		}
	case plan.StepRelease:
		if l := c.held[s.Resource]; l != nil {
			c.release(ctx, l)
		}
	case plan.StepRead, plan.StepWrite, plan.StepDecrement:
		return c.access(ctx, s)
	case plan.StepCrash:
		c.record(sim.Event{Kind: sim.Crash}) // the laboratory then crashes the process
		return false
	case plan.StepRepeat:
		return c.repeat(ctx, s)
	default:
		panic(fmt.Sprintf("scenarios: unknown step %q", s.Kind)) // plans are checked
	}
	return true
}

// next is the locker whose turn it is.
func (c *client) next() lock.Locker {
	l := c.lockers[c.turn%len(c.lockers)]
	c.turn++
	return l
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
	call := c.record(sim.Event{Kind: sim.Call, Resource: resource, Lease: leaseID, Detail: name})
	c.operations = append(c.operations, OperationNote{Operation: checker.Operation{
		ID: fmt.Sprintf("%s.%d", c.own.Name, len(c.operations)+1), Client: c.own.Name, Action: checker.Action(name),
		Resource: resource, Lease: leaseID, CallNS: int64(call.At), Outcome: checker.OutcomeUnknown,
	}})
	c.process.Noted(c.notes)
	return len(c.operations) - 1
}

// end notes the return of an operation, at the instant of its event in the trace.
func (c *client) end(n int, err error, e sim.Event) Receipt {
	op, outcome, class := &c.operations[n], checker.OutcomeOK, ""
	if err != nil {
		outcome, class = checker.OutcomeFail, lock.ClassOf(err, c.classes)
		e = sim.Event{Kind: sim.Failed, Value: e.Value, Detail: string(op.Action) + ": " + class}
	}
	e.Resource, e.Lease = op.Resource, cmp.Or(e.Lease, op.Lease)
	receipt := c.record(e)
	if !c.process.Crashed() && !errors.Is(err, sim.ErrCrashed) { // a call that a crash ended has not returned
		op.ReturnNS, op.Outcome, op.Class, op.Lease = checker.At(int64(receipt.At)), outcome, class, e.Lease
		if err != nil || op.Action == checker.ActionAcquire {
			op.Token = receipt.Token
		}
	}
	c.process.Noted(c.notes)
	return receipt
}

// cancelled returns a context that the caller cancels if the step says so.
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
	if c.operations[n].Tries = c.plan.Lock.Retry.Tries; s.Kind == plan.StepTryLock {
		c.operations[n].Tries = 1
	}
	call, cancel := c.cancelled(ctx, s)
	defer cancel()
	got, err := f(call, resource)
	c.attempts.End(err)
	if err != nil {
		var failed sim.Event
		if t := lock.Tokened(nil); errors.As(err, &t) {
			failed.Value = t.Token()
		}
		c.end(n, err, failed)
		return
	}
	l := &lease{handle: got, LeaseNote: LeaseNote{
		ID: fmt.Sprintf("%s#%d", c.own.Name, len(c.leases)+1), Resource: resource, Operation: n, ReleasedAt: -1,
	}}
	var token string
	if t, ok := got.(lock.Tokened); ok {
		token = t.Token()
	}
	if f, ok := got.(lock.Fenced); ok {
		l.Fence = f.Fence()
	}
	until := c.attempts.Start() + c.plan.Lock.TTL
	var ending context.Context
	switch r := got.(type) {
	case lock.Reporter:
		l.Reported, until = true, r.Until()
	case lock.Started:
		until = r.Started() + c.plan.Lock.TTL
	case lock.Contexted:
		l.Reported, until, ending = true, c.read()+UnknownEnd, r.Context()
	}
	event := sim.Event{Kind: sim.Acquired, Lease: l.ID, Value: token, Duration: max(until-c.read(), 0)}
	receipt := c.end(n, nil, event)
	l.Token = receipt.Token
	if c.plan.Lock.Fencing == plan.FencingIdeal {
		l.Fence = receipt.Fence
	}
	l.Contexted = ending != nil
	l.prolong(c.process.TrueTime, until, false)
	c.leases = append(c.leases, l)
	c.held[resource] = l
	c.process.Noted(c.notes)
	if r, ok := got.(lock.Renewing); ok {
		r.OnRenewal(func(until time.Duration) { c.renewed(l, until) })
	}
	if ending != nil {
		go c.endWith(ctx, ending, l)
	}
}

// UnknownEnd is the validity of a lease that ends with a context, until it ends.
const UnknownEnd = 1000 * time.Hour

// endWith ends the belief in a lease when its context ends, or the run is over. A crash of the
// process ends it, too: see clientRecords.
func (c *client) endWith(process, of context.Context, l *lease) {
	select {
	case <-of.Done():
	case <-process.Done():
	}
	c.prolong(l, c.read(), false)
}

// prolong notes a new end of a lease's validity beside the client's own goroutine.
func (c *client) prolong(l *lease, until time.Duration, renewed bool) {
	l.prolong(c.process.TrueTime, until, renewed)
	c.process.Noted(func() Notes { return Notes{Leases: []LeaseNote{l.note()}} })
}

// renewed notes that the subject's watchdog has renewed a lease. The watchdog's goroutine
// calls it.
func (c *client) renewed(l *lease, until time.Duration) {
	c.record(sim.Event{
		Kind: sim.Extended, Resource: l.Resource, Lease: l.ID, Detail: "by the watchdog", Duration: max(until-c.read(), 0),
	})
	if !c.process.Crashed() {
		c.prolong(l, until, true)
	}
}

// read reads the client's clock. Unlike a reading by the client, it does not wait for the
// end of a pause.
func (c *client) read() time.Duration { return c.process.Read(c.clockKind()) }

// clockKind is the clock that the client's validity runs on.
func (c *client) clockKind() sim.ClockKind { return cmp.Or(c.clock, sim.Boottime) }

func (c *client) extend(ctx context.Context, l *lease) {
	before := c.read()
	n := c.begin("extend", l.Resource, l.ID)
	err := lock.ErrNoExtension
	if e, ok := l.handle.(lock.Extender); ok {
		err = e.Extend(ctx)
	}
	until, lengthened := before+c.plan.Lock.TTL, err == nil
	if r, ok := l.handle.(lock.Reporter); ok {
		until = r.Until()
		lengthened = lengthened || until > l.end() // an extension that failed but moved the end of the validity
	}
	c.end(n, err, sim.Event{Kind: sim.Extended, Duration: max(until-c.read(), 0)})
	if err != nil && !lengthened && lock.ClassOf(err, c.classes) == lock.ClassNotHeld {
		l.lost(c.process.TrueTime)
	}
	if op := &c.operations[n]; lengthened && op.ReturnNS != nil {
		if err != nil {
			op.Outcome = checker.OutcomeUnknown
		}
		l.prolong(func() time.Duration { return time.Duration(*op.ReturnNS) }, until, false)
		c.process.Noted(c.notes)
	}
}

func (c *client) release(ctx context.Context, l *lease) {
	delete(c.held, l.Resource)
	n := c.begin("release", l.Resource, l.ID)
	l.released(time.Duration(c.operations[n].CallNS))
	c.process.Noted(c.notes)
	err := l.handle.Release(ctx)
	c.end(n, err, sim.Event{Kind: sim.Released})
}

// last is the client's last lease in a resource; nil: it has had none.
func (c *client) last(resource string) *lease {
	for _, l := range slices.Backward(c.leases) {
		if l.Resource == resource {
			return l
		}
	}
	return nil
}

// valid is what a guarded access checks first.
func (c *client) valid(l *lease) bool {
	return c.process.Now(c.clockKind()) < l.end()
}
