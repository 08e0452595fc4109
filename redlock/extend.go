package redlock

import (
	"context"
	"errors"
	"time"

	"redlocklab/redlock/round"
)

// Extend makes the lease valid for ttl from now, minus the allowance. It never shortens
// the validity. ttl has the bounds of [Locker.TryLock].
//
// An extension succeeds only if a majority of nodes still had the key and the deciding
// answer was read before the current validity ended. A failed extension leaves the
// validity as it was, and a lapsed lease never becomes valid again (claim MX-8).
//
// Extend restores the key on nodes that have lost it, for example in a restart, but such a
// node is not a vote. A node whose first answer was lost with its connection is not a vote
// either: the first sending may have restored the key there. A later extension cannot tell
// that key from one that was never lost, and counts it.
//
// Extend fails with [ErrLapsed] or [ErrNotHeld] if the lease has ended, and with
// [ErrNoQuorum] if it is still valid: the caller can try again. It also fails with
// [ErrExtensionLimit], [ErrReleased], [ErrSameServer], [ErrClosed], [ErrInvalidArgument] or
// the context's error.
func (l *Lease) Extend(ctx context.Context, ttl time.Duration) error {
	if err := l.locker.checkTTL(ttl); err != nil {
		return err
	}
	if err := l.locker.enter(ctx); err != nil {
		return err
	}
	defer l.locker.leave()
	settings := &l.locker.settings
	start := settings.clock.Now()
	if err := l.beginExtension(start); err != nil {
		return err
	}
	limit := ttl - settings.allowance(ttl)
	f := l.locker.newFanout(l.tokenState, command{
		operation: OperationExtend, keys: l.tokenState.keys, token: l.tokenState.token, ttl: ttl,
	}, start, min(limit, l.Until()-start), min(settings.timeoutFor(ttl), max(l.Until()-start, 1)))
	if !f.sendAll() {
		return ErrReleased
	}
	result := f.wait(ctx, f.timeout)
	err := l.applyExtension(f, result, start+limit)
	f.reportRound(ctx, result, l.Until()-result.endedAt, err)
	return err
}

// beginExtension counts an extension. It fails if the lease has ended or may not be
// extended again.
func (l *Lease) beginExtension(now time.Duration) error {
	if now >= l.Until() {
		l.conclude(ErrLapsed)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.endReason != nil {
		return l.endReason
	}
	if l.settings.maximumExtensions > 0 && l.extensions >= l.settings.maximumExtensions {
		return ErrExtensionLimit
	}
	l.extensions++
	return nil
}

// applyExtension moves the end of the validity to until if the round succeeded in time.
func (l *Lease) applyExtension(f *fanout, result roundResult, until time.Duration) error {
	if result.state != round.Granted || result.endedAt >= l.Until() {
		f.abandoned.Store(true)
		return l.extensionError(f, result)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.endReason != nil {
		return l.endReason
	}
	l.tokenState.confirmRestored()
	l.reports = result.reports
	if int64(until) > l.until.Load() {
		l.until.Store(int64(until))
		if l.leaseContext != nil {
			l.leaseContext.wake()
		}
	}
	return nil
}

// extensionError returns the error of a failed extension. It ends the lease if the
// validity is over or a quorum proved that the lease is lost.
func (l *Lease) extensionError(f *fanout, result roundResult) error {
	report := f.roundError(result)
	switch {
	case result.endedAt >= l.Until():
		report.Reason = errors.Join(ErrLapsed, result.context)
		l.conclude(ErrLapsed)
	case result.context != nil || result.closed:
	case result.refuted:
		report.Reason = ErrNotHeld
		l.conclude(ErrNotHeld)
	default:
		report.Reason = ErrNoQuorum
	}
	if errors.Is(l.ended(), ErrReleased) {
		return ErrReleased
	}
	return report
}
