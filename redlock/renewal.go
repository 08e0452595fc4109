package redlock

import (
	"context"
	"errors"
	"time"
)

// WithRenewal extends the lease by its time to live, again and again, until it is released
// or lost, or has had its [WithMaximumExtensions]. Without that limit a holder that hangs
// keeps its lock for ever (claim LV-9). The default is no renewal; [Locker.Do] always renews.
func WithRenewal() LockOption {
	return lockOption(func(s *lockSettings) error {
		s.renewal = true
		return nil
	})
}

// Do locks a resource as [Locker.Lock] does, calls work, renews the lease while work runs,
// and releases it. The context of work is derived from ctx, is cancelled when the lease
// ends, with the reason as its cause, and carries the lease for [LeaseFrom].
//
// Do returns the error of Lock, or else the error of work. If the lease ended before work
// returned, that is joined with [ErrLapsed] or [ErrNotHeld]: others may have held the
// resource meanwhile. Do releases the lease even if work panics. It ignores an error of the
// release, because the keys expire after their time to live.
func (l *Locker) Do(
	ctx context.Context, resource string, ttl time.Duration, work func(context.Context) error, options ...LockOption,
) error {
	return l.DoAll(ctx, []string{resource}, ttl, work, options...)
}

// DoAll is [Locker.Do] for several resources, all or nothing; see [Locker.TryLockAll].
func (l *Locker) DoAll(
	ctx context.Context, resources []string, ttl time.Duration, work func(context.Context) error, options ...LockOption,
) error {
	if work == nil {
		return invalid("work is nil")
	}
	ctx = orBackground(ctx)
	if err := l.enter(context.Background()); err != nil {
		return err
	}
	defer l.leave() // Close waits for the release
	options = append(options[:len(options):len(options)], WithRenewal())
	lease, err := l.LockAll(ctx, resources, ttl, options...)
	if err != nil {
		return err
	}
	defer func() { _ = lease.release(ctx, lease.finish()) }()
	held := lease.Context()
	inside, cancel := context.WithCancelCause(context.WithValue(ctx, leaseKey{}, lease))
	defer cancel(nil)
	defer context.AfterFunc(held, func() { cancel(context.Cause(held)) })()
	err = work(inside)
	lease.lapsed(l.settings.clock.Now())
	if ended := lease.ended(); ended != nil && !errors.Is(ended, ErrReleased) && !errors.Is(ended, ErrHandedOver) {
		return errors.Join(err, ended)
	}
	return err
}

type leaseKey struct{}

// LeaseFrom returns the lease that [Locker.Do] holds for this context, or nil.
func LeaseFrom(ctx context.Context) *Lease {
	lease, _ := ctx.Value(leaseKey{}).(*Lease)
	return lease
}

// renew extends the lease until it ends: each time when a third of its validity has passed,
// and after a failure several times in the time that remains. It sends nothing after the
// lease has ended (claim MX-10).
func (l *Lease) renew(held context.Context) {
	clock := l.locker.settings.clock
	validity := l.ttl - l.locker.settings.allowance(l.ttl) // the whole validity, not what a slow acquisition left of it
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
		case errors.Is(err, ErrNoQuorum) || errors.Is(err, ErrLate) || errors.Is(err, ErrSameServer):
			timer.Reset(max(remaining/6, validity/60))
		default:
			// The lease is lost or released, the Locker is closed, or no more
			// extensions are allowed. watchExpiry ends the context in time.
			return
		}
	}
}
