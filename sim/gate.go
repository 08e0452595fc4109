package sim

import (
	"cmp"
	"slices"
	"time"
)

// waiter is a goroutine of a process that waits at the closed gate.
type waiter struct {
	key   string
	since time.Duration
	open  chan struct{}
}

// compare orders waiters by their keys, then by the instants at which they came. It never
// depends on the order of two goroutines within one instant.
func (w *waiter) compare(other *waiter) int {
	return cmp.Or(cmp.Compare(w.key, other.key), cmp.Compare(w.since, other.since))
}

// pass blocks while the gate is closed. The key names what the caller is about to
// do; it orders the goroutines that wait. The error is ErrCrashed once the run is over.
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

// await hands a request of the process to the controller, and waits until it is done and
// the gate is open. The error is ErrCrashed once the run is over.
func (p *Process) await(request pending, key string) error {
	request.process, request.at, request.done = p, p.world.Now(), make(chan struct{})
	p.world.enqueue(request)
	select {
	case <-request.done:
	case <-p.ctx.Done():
	}
	return p.pass(key)
}

// turn waits for an instant of its own, after a time limit of a driver has passed. Commands
// that were sent to several nodes at one instant run out of time at one instant, too, and
// the goroutines that wait for their answers would race. The key names what they wait for.
func (p *Process) turn(n *Node, key string) error {
	return p.await(pending{class: classTurn, node: n.index, order: key}, key)
}

// Pause stops the process: no read, write, dial or clock reading of it returns
// until Resume. Controller context only.
func (p *Process) Pause(fault string) {
	p.mu.Lock()
	begins := p.pauses.Add(fault) && !p.closed
	p.closed = true
	p.mu.Unlock()
	if begins {
		p.world.Emit(Event{Kind: Pause, Process: p.Name, Fault: fault})
	}
}

// Resume ends a pause. If several faults pause a process, it continues when the
// last of them ends. Controller context only.
//
// Arrivals during the pause are delivered first, in their order. So an answer
// that arrived during the pause is read, even if the driver's time limit has
// passed. A real Go process acts on the time limit first, because its runtime
// fires timers before it polls the network; other drivers read the socket first.
// Here a lock that only the driver's time limit would save is not safe (MX-4).
//
// Then the waiting goroutines continue, one instant apart, in the order of
// waiter.compare. Two goroutines that continue at one instant race: two senders
// whose reads ran out during a pause once dialled one node in either order.
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
	p.world.Emit(Event{Kind: Resume, Process: p.Name, Fault: fault})
	slices.SortStableFunc(waiters, (*waiter).compare)
	for _, arrival := range p.deferred {
		p.world.At(p.world.now, arrival)
	}
	p.deferred = nil
	// Waiters that compare equal cannot be told apart: they continue together.
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

// Crash ends the process. Nothing that it waits for ever returns, and its
// connections are cut. Controller context only.
func (p *Process) Crash(fault string) {
	p.mu.Lock()
	if p.crashed {
		p.mu.Unlock()
		return
	}
	p.closed, p.crashed = true, true
	p.mu.Unlock()
	p.world.Emit(Event{Kind: Crash, Process: p.Name, Detail: string(ProcessCrash), Fault: fault})
	p.deferred = nil
	for _, c := range p.conns {
		c.fail(ErrCrashed)
	}
}

// Crashed reports whether the process has crashed.
func (p *Process) Crashed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.crashed
}

// arrive calls f now, or when the gate opens. It delivers what arrives at the process.
func (p *Process) arrive(f func()) {
	p.atGate(func() {
		if len(p.notice) > 0 || p.noticed > p.world.now {
			p.later(f)
			return
		}
		f()
	}, func() { p.arrive(f) })
}

// atGate calls f if the gate is open, and otherwise leaves deferred to be called when it
// opens. A crashed process gets neither.
func (p *Process) atGate(f, deferred func()) {
	p.mu.Lock()
	closed, crashed := p.closed, p.crashed
	p.mu.Unlock()
	switch {
	case crashed:
	case closed:
		p.deferred = append(p.deferred, deferred)
	default:
		f()
	}
}

// later calls f when a slow process notices an arrival. The order of arrivals is kept.
func (p *Process) later(f func()) {
	at := p.world.now
	p.arrivals++
	for _, s := range p.notice {
		at += s.value(p.arrivals)
	}
	p.noticed = max(at, p.noticed+1)
	p.world.At(p.noticed, func() { p.atGate(f, f) })
}

// SetNotice makes a process slow on behalf of a fault, as if it had too little
// processor time. The process notices answers and timers late, by notice(n) for
// the n-th arrival, counted from 1. The delays of several faults add up. nil ends
// the fault's part. Controller context only.
func (p *Process) SetNotice(notice func(arrival int) time.Duration, fault string) {
	kind := p.notice.put(fault, notice, notice == nil)
	p.world.Emit(Event{Kind: kind, Process: p.Name, Detail: Slow, Fault: fault})
}

// Suspend suspends the host of the process, as closing a laptop or migrating a
// virtual machine does. The process is paused and its monotonic clock stands
// still; the wall and boottime clocks go on. Controller context only.
func (p *Process) Suspend(fault string) {
	if p.Crashed() {
		return
	}
	p.Pause(fault)
	p.clocks[Monotonic].SetRate(Frozen, fault)
}

// Wake ends a suspension. The monotonic clock continues from where it stood, at
// the rate that it had. Controller context only.
func (p *Process) Wake(fault string) {
	if p.Crashed() {
		return
	}
	p.clocks[Monotonic].EndRate(fault)
	p.Resume(fault)
}
