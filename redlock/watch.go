package redlock

import (
	"context"
	"sync"
)

// watch ends a lease's context when the lease ends: at the last confirmed end of
// its validity, by a timer, not when some later renewal fails. It exists only
// for leases that were asked for their context.
type watch struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	change chan struct{} // holds one token: the end moved, or the lease ended
	once   sync.Once
}

// end cancels with a cause. The first cause stays.
func (w *watch) end(cause error) {
	w.once.Do(func() { w.cancel(cause) })
	w.moved()
}

// moved wakes the watching goroutine.
func (w *watch) moved() {
	select {
	case w.change <- struct{}{}:
	default:
	}
}

// Context returns a context that is cancelled when the lease ends. context.Cause
// says why: ErrLapsed at the last confirmed end of the validity, ErrReleased,
// ErrNotHeld when a quorum proved the loss, ErrClosed. A timer may fire late
// after the machine was suspended: before an effect that matters, ask Valid.
func (l *Lease) Context() context.Context { return l.watching().ctx }

// Done is Context().Done().
func (l *Lease) Done() <-chan struct{} { return l.watching().ctx.Done() }

// watching starts the watch at the first call.
func (l *Lease) watching() *watch {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.watch == nil {
		w := &watch{change: make(chan struct{}, 1)}
		w.ctx, w.cancel = context.WithCancelCause(context.Background())
		l.watch = w
		if l.ended != nil {
			w.end(l.ended)
		} else {
			go l.observe(w)
		}
	}
	return l.watch
}

// observe sleeps until the validity ends, on the Clock.
func (l *Lease) observe(w *watch) {
	clock := l.locker.settings.clock
	timer := clock.NewTimer(l.Until() - clock.Now())
	defer timer.Stop()
	for w.ctx.Err() == nil {
		select {
		case <-timer.C():
		case <-w.change:
		case <-l.locker.closing:
			w.end(ErrClosed)
			return
		}
		remaining := l.Until() - clock.Now()
		if remaining <= 0 {
			l.finish(ErrLapsed)
			return
		}
		timer.Reset(remaining)
	}
}
