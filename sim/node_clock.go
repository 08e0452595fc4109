package sim

import (
	"slices"
	"time"
)

// stepEngine makes the engine follow a step of the clock.
func (n *Node) stepEngine(by time.Duration) {
	n.tick()
	if by < 0 {
		n.engine.FastForward(by) // the engine ignores a time that goes back
	}
}

// rewatch recomputes, after the clock was changed, when keys expire and when the
// clock shows the readings that are waited for.
func (n *Node) rewatch() {
	n.world.mu.Lock()
	n.world.queue.drop(&n.expiry)
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
