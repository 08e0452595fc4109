package redlock

import (
	"context"
	"errors"
	"time"
)

// WithRenewal keeps a lease extended by its own time to live until it is
// released or lost. Do always renews. A holder that hangs is renewed for ever:
// consider WithMaximumExtensions (claim LV-9). Default: no renewal but in Do.
func WithRenewal() LockOption {
	return lockOption(func(s *lockSettings) error {
		s.renewal = true
		return nil
	})
}

// Do locks a resource as Lock does, runs work, and releases. While work runs the
// lease is renewed; work's context is derived from ctx and ends, with the cause,
// when the lease ends. LeaseFrom finds the lease in it.
//
// Do returns work's error, joined with ErrLapsed or ErrNotHeld when the lease
// ended before work returned: then others may have held the resource meanwhile.
// It releases in every case, after a panic too. A release that fails is not an
// error of Do: the keys lapse by their time to live.
func (l *Locker) Do(ctx context.Context, resource string, ttl time.Duration, work func(context.Context) error, options ...LockOption) error {
	return l.DoAll(ctx, []string{resource}, ttl, work, options...)
}

// DoAll is Do for several resources, all or nothing; see TryLockAll.
func (l *Locker) DoAll(ctx context.Context, resources []string, ttl time.Duration, work func(context.Context) error, options ...LockOption) error {
	if work == nil {
		return invalid("no work")
	}
	options = append(options[:len(options):len(options)], WithRenewal())
	lease, err := l.LockAll(ctx, resources, ttl, options...)
	if err != nil {
		return err
	}
	defer func() { _ = lease.Release(ctx) }()
	inside, cancel := lease.within(ctx)
	defer cancel(nil)
	err = work(inside)
	if ended := lease.lost(); ended != nil {
		return errors.Join(err, ended)
	}
	return err
}

// leaseKey is the context key of LeaseFrom.
type leaseKey struct{}

// LeaseFrom returns the lease that Do holds for this context, or nil.
func LeaseFrom(ctx context.Context) *Lease {
	lease, _ := ctx.Value(leaseKey{}).(*Lease)
	return lease
}

// within derives a context that carries the lease and ends with it.
func (l *Lease) within(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	inside, cancel := context.WithCancelCause(context.WithValue(ctx, leaseKey{}, l))
	held := l.Context()
	stop := context.AfterFunc(held, func() { cancel(context.Cause(held)) })
	return inside, func(cause error) {
		stop()
		cancel(cause)
	}
}

// lost is why the lease ended without being released, or nil.
func (l *Lease) lost() error {
	if ended := l.err(); ended != nil {
		if errors.Is(ended, ErrReleased) {
			return nil
		}
		return ended
	}
	if l.Remaining() == 0 {
		return ErrLapsed
	}
	return nil
}

// renew extends the lease again and again until it ends: when a third of its
// validity has passed, and after a failure several times more inside what is
// left. It never outlives the lease, and never sends after its end (claim MX-10).
func (l *Lease) renew(held context.Context) {
	clock := l.locker.settings.clock
	validity := l.ttl - l.locker.settings.allowance(l.ttl) // not what a slow acquisition left of it
	due := func() time.Duration { return max(1, l.Until()-clock.Now()-2*validity/3) }
	timer := clock.NewTimer(due())
	defer timer.Stop()
	for {
		select {
		case <-held.Done():
			return
		case <-timer.C():
		}
		err := l.Extend(held, l.ttl)
		remaining := l.Until() - clock.Now()
		switch {
		case err == nil:
			timer.Reset(due())
		case errors.Is(err, ErrNoQuorum) || errors.Is(err, ErrLate):
			timer.Reset(max(remaining/6, validity/60))
		default:
			// Lost, released, closed, or at its maximum of extensions: nothing
			// is left to renew. The watch ends the context in time.
			return
		}
	}
}
