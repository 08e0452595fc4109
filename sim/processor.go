package sim

import (
	"sync"
	"time"
)

// AfterProcessorTime calls f in its own goroutine once this process has used so
// much more processor time, on all of its threads; unlike real time, that does not
// pass while others have the machine. Where the system does not tell it, real time
// takes its place. stop ends the waiting and reports whether f was not called and
// never will be. Call it outside of bubbles.
func AfterProcessorTime(limit time.Duration, f func()) (stop func() bool) {
	w := &processorWait{limit: limit, from: processorTime(), f: f}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(limit, w.look)
	return w.stop
}

type processorWait struct {
	limit, from time.Duration
	f           func()

	mu    sync.Mutex
	timer *time.Timer
	over  bool // f was called, or never will be
}

// shortestLook bounds how often a busy process looks at what it has used.
const shortestLook = time.Millisecond

// look is called when the limit can have been reached at the earliest.
func (w *processorWait) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	left := w.limit - (processorTime() - w.from)
	switch {
	case w.over:
	case left > 0:
		w.timer.Reset(max(left, shortestLook))
	default:
		w.over = true
		go w.f()
	}
}

func (w *processorWait) stop() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	waiting := !w.over
	w.over = true
	w.timer.Stop()
	return waiting
}
