// Package processor limits how much processor time this program uses.
package processor

import (
	"sync"
	"time"
)

// After calls f in its own goroutine once this program has used this
// much more processor time on all of its threads. Unlike real time, processor time
// does not pass while other programs use the machine. On systems that do not
// report it, real time is used. stop cancels the call and reports whether it did so
// in time. After must not be called in a bubble.
func After(limit time.Duration, f func()) (stop func() bool) {
	w := &wait{limit: limit, from: used(), f: f}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(limit, w.look)
	return w.stop
}

type wait struct {
	limit, from time.Duration
	f           func()

	mu    sync.Mutex
	timer *time.Timer
	over  bool // f was called, or never will be
}

// shortestLook is the least time between two checks.
const shortestLook = time.Millisecond

// look checks the limit, at the earliest time at which it can be reached.
func (w *wait) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	left := w.limit - (used() - w.from)
	switch {
	case w.over:
	case left > 0:
		w.timer.Reset(max(left, shortestLook))
	default:
		w.over = true
		go w.f()
	}
}

func (w *wait) stop() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	waiting := !w.over
	w.over = true
	w.timer.Stop()
	return waiting
}
