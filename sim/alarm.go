package sim

import (
	"cmp"
	"slices"
	"time"
)

// Alarm is a timer of a process: it runs on the process's monotonic clock and
// fires only while the gate is open.
type Alarm struct {
	process *Process
	number  int
	due     time.Duration // reading of the monotonic clock
	since   time.Duration // true time at which it was armed
	c       chan time.Time
	action  action
	armed   bool
	fired   bool // it fired while the gate was closed, and waits for the gate
}

// NewTimer returns a timer that sends on C once, after d on the process'
// monotonic clock.
func (p *Process) NewTimer(d time.Duration) *Alarm {
	_ = p.pass("timer")
	t := &Alarm{process: p, c: make(chan time.Time, 1)}
	t.action.index = -1
	p.mu.Lock()
	p.number++
	t.number = p.number
	p.mu.Unlock()
	t.arm(d)
	return t
}

// C delivers the instant at which the timer fired.
func (t *Alarm) C() <-chan time.Time { return t.c }

// Stop disarms the timer and reports whether it was armed. As with time.Timer,
// C delivers nothing after Stop has returned.
func (t *Alarm) Stop() bool {
	w := t.process.world
	w.mu.Lock()
	defer w.mu.Unlock()
	was := t.armed
	t.disarm()
	select {
	case <-t.c:
	default:
	}
	return was
}

// Reset arms the timer again and reports whether it was armed before.
func (t *Alarm) Reset(d time.Duration) bool {
	_ = t.process.pass("timer")
	was := t.Stop()
	t.arm(d)
	return was
}

func (t *Alarm) arm(d time.Duration) {
	p, w := t.process, t.process.world
	now := w.Now()
	t.since = now
	t.due = p.clocks[Monotonic].Read(now) + max(d, 0)
	w.mu.Lock()
	t.armed = true
	p.timers = append(p.timers, t)
	w.queue.push(t.place(now))
	w.mu.Unlock()
	w.nudge()
}

// place computes when the timer is due in true time.
func (t *Alarm) place(now time.Duration) *action {
	at, ok := t.process.clocks[Monotonic].WhenReads(t.due, now)
	if !ok {
		at = Forever
	}
	t.action.at = max(at, now+1)
	if ok {
		for _, s := range t.process.tardy {
			t.action.at += s.value(t.due)
		}
	}
	t.action.rank = rankOf(rankTimer, t.process.index, t.number)
	t.action.do = t.fire
	return &t.action
}

// order compares timers that are due at one instant: by their due reading, for a clock that
// stood still or jumped makes several due at once, then by when they were armed.
func (t *Alarm) order(other *Alarm) int {
	return cmp.Or(cmp.Compare(t.due, other.due), cmp.Compare(t.since, other.since))
}

// fire fires the first of the timers of the process that are due now. The next one fires
// an instant later: a lease's end and the end of its last extension are due at one reading,
// and the goroutines that wait for them would race. Timers that were armed at one instant for one
// reading fire together: goroutines of a process race to create timers, and if each timer
// had an instant of its own, the trace would show which goroutine won.
func (t *Alarm) fire() {
	p, w := t.process, t.process.world
	w.mu.Lock()
	first := t
	for _, other := range p.timers {
		if other.action.index >= 0 && other.action.at <= t.action.at && other.order(first) < 0 {
			first = other
		}
	}
	var due []*Alarm
	for _, other := range p.timers {
		if other.order(first) != 0 || other != t && (other.action.index < 0 || other.action.at > t.action.at) {
			continue
		}
		if other != t {
			w.queue.remove(other.action.index)
		}
		other.fired = true
		due = append(due, other)
	}
	if t.order(first) != 0 {
		w.queue.push(&t.action)
	}
	w.mu.Unlock()
	for range due {
		w.Emit(Event{Kind: Timer, Process: p.Name})
	}
	p.arrive(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, each := range due {
			if each.fired { // it may have been stopped or armed again while the gate was closed
				each.disarm()
				each.c <- time.Now()
			}
		}
	})
}

// disarm removes the timer from the queue and from the process's list. World lock held.
func (t *Alarm) disarm() {
	if !t.armed {
		return
	}
	t.armed, t.fired = false, false
	t.process.world.queue.drop(&t.action)
	t.process.timers = slices.DeleteFunc(t.process.timers, func(other *Alarm) bool { return other == t })
}

// Tardy is the Detail of an [Impair] event: a process's timers fire late.
const Tardy = "late to wake"

// SetTimerDelay makes the timers of a process that are armed from now on fire late, on
// behalf of a fault: by delay(due) of true time, where due is the reading of the monotonic
// clock at which a timer should fire. The delays of several faults add up. nil ends the
// fault's part. Controller context only.
func (p *Process) SetTimerDelay(delay func(due time.Duration) time.Duration, fault string) {
	p.world.mu.Lock() // processes arm timers
	kind := p.tardy.put(fault, delay, delay == nil)
	p.world.mu.Unlock()
	p.world.Emit(Event{Kind: kind, Process: p.Name, Detail: Tardy, Fault: fault})
}

// rearm recomputes when the process's timers are due. It is called after the
// rate of the monotonic clock has changed.
func (p *Process) rearm() {
	w := p.world
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range p.timers {
		if t.action.index >= 0 {
			w.queue.remove(t.action.index)
			w.queue.push(t.place(w.now))
		}
	}
}
