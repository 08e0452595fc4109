package sim

import (
	"slices"
	"time"
)

// StepClock steps the node's clock on behalf of a fault. Redis keeps absolute
// deadlines: after a step forward keys expire earlier, after a step back later.
// Controller context only.
func (n *Node) StepClock(by time.Duration, fault string) {
	n.settle()
	n.clock.step(n.world.now, by)
	n.tick()
	if by < 0 {
		n.engine.FastForward(by) // the engine ignores a time that goes back
	}
	n.world.emit(Event{Kind: ClockStep, Node: n.Name, Duration: by, Detail: string(Wall), Fault: fault})
	n.rewatch()
}

// SetClockRate sets the rate error of the node's clock in ppm on behalf of a fault,
// as [Process.SetClockRate] does. Controller context only.
func (n *Node) SetClockRate(ppm int64, fault string) {
	n.tick()
	n.rateHolds(n.clock.setRate(n.world.now, ppm, fault), fault)
}

// EndClockRate removes the rate error that a fault has set, as
// [Process.EndClockRate] does. Controller context only.
func (n *Node) EndClockRate(fault string) {
	n.tick()
	n.rateHolds(n.clock.endRate(n.world.now, fault), fault)
}

func (n *Node) rateHolds(now int64, fault string) {
	n.world.emit(Event{Kind: ClockRate, Node: n.Name, PPM: now, Detail: string(Wall), Fault: fault})
	n.rewatch()
}

// rewatch recomputes, after the clock was changed, when keys expire and when the
// clock shows the readings that are waited for.
func (n *Node) rewatch() {
	n.world.mu.Lock()
	if n.expiry.index >= 0 {
		n.world.queue.remove(n.expiry.index)
	}
	n.world.mu.Unlock()
	n.watchExpiry()
	n.waits = slices.DeleteFunc(n.waits, func(wait *clockWait) bool { return wait.done })
	for _, wait := range n.waits {
		n.arm(wait)
	}
}

// clockWait is a function to be called when the clock shows a reading.
type clockWait struct {
	reading time.Duration
	f       func()
	done    bool
}

// WhenClockAdvanced calls f once the node's clock shows d more than now, whether
// because time has passed or because the clock was stepped. It models a delayed
// restart that is timed by the server's own clock. Controller context only.
func (n *Node) WhenClockAdvanced(d time.Duration, f func()) {
	wait := &clockWait{reading: n.clock.Read(n.world.now) + d, f: f}
	n.waits = append(n.waits, wait)
	n.arm(wait)
}

// arm schedules a check for when the clock is due to show the reading. If the clock
// was stepped back meanwhile, the check does nothing: rewatch has armed another.
func (n *Node) arm(wait *clockWait) {
	at, ok := n.clock.WhenReads(wait.reading, n.world.now)
	if !ok {
		return
	}
	n.world.At(at, func() {
		if !wait.done && n.clock.Read(n.world.now) >= wait.reading {
			wait.done = true
			wait.f()
		}
	})
}
