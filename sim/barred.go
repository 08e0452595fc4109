package sim

import "time"

// clockWait is something that a node's clock is waited for with.
type clockWait struct {
	reading time.Duration
	f       func()
	done    bool
}

// WhenClockAdvanced calls f once the node's clock shows d more than it does now,
// whether time brings it there or a step: how somebody times a delayed restart
// by the server's own clock. Controller context only.
func (n *Node) WhenClockAdvanced(d time.Duration, f func()) {
	wait := &clockWait{reading: n.clock.Read(n.world.now) + d, f: f}
	n.waits = append(n.waits, wait)
	n.arm(wait)
}

// arm looks at the clock when it is due to show the reading. A look that a later
// step of the clock has made too early finds nothing: rewatch has armed another.
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
