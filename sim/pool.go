package sim

import "runtime"

// route is a process and a node, by their indexes.
type route struct{ process, node int }

// opened counts a connection that a process dials. One that the process closes is
// subtracted; one that it gave up stays, so that the count may be too high.
//
// Whoever waits for a turn in a full pool of go-redis holds back no connection of it: as
// many connections are open or being dialled as the pool has turns.
func (w *World) opened(p *Process, n *Node) {
	limit := w.options.Pool
	if limit == 0 {
		limit = poolSize
	}
	at := route{p.index, n.index}
	w.open[at]++
	w.crowded = w.crowded || w.open[at] >= limit
}

// forgetTimers empties the process-wide sync.Pool of timers that go-redis keeps for those
// who wait for a connection (internal/semaphore.go). A timer of one bubble that another
// one arms is a fatal error: "select on synctest channel from outside bubble". A sync.Pool
// gives its values up in two collections. It costs a few milliseconds, and only runs pay
// it that may have exhausted a pool.
//
// Runs that exhaust a pool must not be played at the same time in one program.
func forgetTimers() {
	runtime.GC()
	runtime.GC()
}
