package redlock

import "context"

// leaseContext cancels a lease's context when the lease ends. A timer cancels it at the
// confirmed end of the validity; it does not wait for a renewal to fail. A lease has one
// only after its context was asked for, or an extension has failed.
type leaseContext struct {
	ctx     context.Context
	cancel  context.CancelCauseFunc
	changed chan struct{} // capacity 1: the validity was extended, or the lease ended
}

// cancelContext cancels the context. The first cause stays.
func (c *leaseContext) cancelContext(cause error) {
	c.cancel(cause)
	c.wake()
}

// wake makes watchExpiry look again.
func (c *leaseContext) wake() {
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// Context returns a context that is cancelled when the lease ends. context.Cause returns
// the reason: [ErrLapsed] at the confirmed end of the validity, [ErrReleased],
// [ErrNotHeld] when too few nodes have its keys, or [ErrClosed]. After the machine was
// suspended the context can end late: ask [Lease.Valid] before an effect that matters.
func (l *Lease) Context() context.Context { return l.startContext().ctx }

func (l *Lease) startContext() *leaseContext {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.leaseContext == nil {
		c := &leaseContext{changed: make(chan struct{}, 1)}
		c.ctx, c.cancel = context.WithCancelCause(context.Background())
		l.leaseContext = c
		if l.endReason != nil {
			c.cancelContext(l.endReason)
		} else {
			go l.watchExpiry(c)
		}
	}
	return l.leaseContext
}

func (l *Lease) watchExpiry(c *leaseContext) {
	clock := l.locker.settings.clock
	timer := clock.NewTimer(l.Until() - clock.Now())
	defer timer.Stop()
	for c.ctx.Err() == nil {
		select {
		case <-timer.C():
		case <-c.changed:
		case <-l.locker.closing:
			c.cancelContext(ErrClosed)
			return
		}
		now := clock.Now()
		if l.lapsed(now) {
			return
		}
		timer.Reset(l.Until() - now)
	}
}
