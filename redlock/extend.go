package redlock

import (
	"context"
	"errors"
	"time"

	"redlocklab/redlock/round"
)

// Extend prolongs the lease to ttl from now, minus the allowance. It never
// shortens it: an extension by less than what remains leaves the end where it
// is.
//
// It counts only when a majority still had the key and the deciding answer was
// read before the current end of the validity; a failed or partial extension
// leaves the validity as it was, and a lapsed lease is never revived (claim
// MX-8). A minority that lost the key, say in a restart, gets it back without
// counting as votes. A node to which the extension was sent twice, because the
// answer to the first sending was lost with its connection, does not count
// either: the first sending may have put the key back. A later extension cannot
// tell such a key from one that was never lost, and counts it.
//
// Errors: ErrLapsed, ErrNotHeld (the lease is lost), ErrNoQuorum (it is still
// valid until its end: try again), ErrExtensionLimit, ErrReleased, ErrSameServer,
// ErrClosed, ErrInvalidArgument, or the context's.
func (l *Lease) Extend(ctx context.Context, ttl time.Duration) error {
	if err := l.locker.checkTTL(ttl); err != nil {
		return err
	}
	if err := l.locker.begin(ctx); err != nil {
		return err
	}
	defer l.locker.finish()
	settings := &l.locker.settings
	start := settings.clock.Now()
	if err := l.mayExtend(start); err != nil {
		return err
	}
	limit := ttl - settings.allowance(ttl)
	f := l.locker.newFlight(l.tenure, command{
		operation: OperationExtend, keys: l.tenure.keys, token: l.tenure.token, giver: l.tenure.giver, ttl: ttl,
	}, start, min(limit, l.Until()-start), min(settings.timeoutFor(ttl), max(l.Until()-start, 1)))
	if !f.launch() {
		return ErrReleased
	}
	end := f.wait(ctx, f.timeout)
	err := l.extended(f, end, start+limit)
	f.report(ctx, end, l.Until()-end.end, err)
	return err
}

// mayExtend checks what can be known without asking the nodes, and counts.
func (l *Lease) mayExtend(now time.Duration) error {
	if now >= l.Until() {
		l.finish(ErrLapsed)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended != nil {
		return l.ended
	}
	if l.limits.maximumExtensions > 0 && l.extensions >= l.limits.maximumExtensions {
		return ErrExtensionLimit
	}
	l.extensions++
	return nil
}

// extended takes the result of an extension's round.
func (l *Lease) extended(f *flight, end result, until time.Duration) error {
	if end.state != round.Granted || end.end >= l.Until() {
		f.abandoned.Store(true)
		return l.notExtended(f, end)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended != nil {
		return l.ended
	}
	l.tenure.confirmTopUps()
	l.outcomes = end.outcomes
	if int64(until) > l.until.Load() {
		l.until.Store(int64(until))
		if l.watch != nil {
			l.watch.moved()
		}
	}
	return nil
}

// notExtended makes the error of an extension that failed, and ends the lease
// where a quorum proved that it is lost or its time is over.
func (l *Lease) notExtended(f *flight, end result) error {
	report := f.failure(end)
	switch {
	case end.end >= l.Until():
		report.Reason = errors.Join(ErrLapsed, end.context)
		l.finish(ErrLapsed)
	case end.context != nil || end.closed:
	case end.refuted:
		report.Reason = ErrNotHeld
		l.finish(ErrNotHeld)
	default:
		report.Reason = ErrNoQuorum
	}
	if errors.Is(l.err(), ErrReleased) {
		return ErrReleased
	}
	return report
}
