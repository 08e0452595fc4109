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
// validity as it was, and a lapsed lease never becomes valid again (claim MX-8). Nothing
// is sent after the current validity has ended, whoever wants to send it again. A node that
// has lost the key does not vote, and gets it back when the extension has succeeded.
//
// Extend fails with [ErrLapsed] or [ErrNotHeld] if the lease has ended, and with
// [ErrNoQuorum] if it is still valid: the caller can try again. It also fails with
// [ErrExtensionLimit], [ErrReleased], [ErrSameServer], [ErrClosed], [ErrInvalidArgument] or
// the context's error.
func (l *Lease) Extend(ctx context.Context, ttl time.Duration) error {
	ctx = orBackground(ctx)
	ttl, err := l.locker.checkTTL(ttl)
	if err != nil {
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
	remaining := l.Until() - start
	f := l.locker.newFanout(ctx, l.tokenState, command{
		operation: OperationExtend, keys: l.tokenState.keys, token: l.tokenState.token, ttl: ttl,
	}, start, min(limit, remaining), min(settings.timeoutFor(ttl), remaining))
	f.sendAll()
	result := f.wait(ctx, f.timeout)
	err = l.applyExtension(f, result, start+limit)
	if err == nil && l.lapsed(settings.clock.Now()) {
		err = l.ended()
	}
	f.reportRound(ctx, result, l.Until()-result.endedAt, err)
	return err
}

// beginExtension counts an extension. It fails if the lease has ended or may not be
// extended again.
func (l *Lease) beginExtension(now time.Duration) error {
	l.lapsed(now)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.endReason != nil {
		return l.endReason
	}
	if l.settings.maximumExtensions > 0 && l.extensions >= l.settings.maximumExtensions {
		return ErrExtensionLimit
	}
	l.extensions++
	l.unsettled = true
	return nil
}

func (l *Lease) applyExtension(f *fanout, result roundResult, until time.Duration) error {
	if result.state != round.Granted || result.endedAt >= l.Until() {
		l.startContext() // which releases at the end what the nodes may have extended
		f.abandoned.set(result.endedAt)
		return l.extensionError(f, result)
	}
	if err := l.prolong(until); err != nil {
		return err
	}
	l.locker.restoreKeys(f, f.restore(), result.endedAt)
	return nil
}

func (l *Lease) prolong(until time.Duration) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.endReason != nil {
		return l.endReason
	}
	l.unsettled = false
	if int64(until) > l.until.Load() {
		l.until.Store(int64(until))
		if l.leaseContext != nil {
			l.leaseContext.wake()
		}
	}
	return nil
}

// restoreKeys sets the key again on nodes that have lost it. It does so only after an
// extension that succeeded without them, and within the extended validity. An extension
// itself never sets a key: what a failed one left behind, or one that was sent twice,
// would look like a vote.
func (l *Locker) restoreKeys(extended *fanout, nodes []int, now time.Duration) {
	if len(nodes) == 0 {
		return
	}
	c := extended.command
	c.restore = true
	limit := extended.start + c.ttl - l.settings.allowance(c.ttl) - now
	f := l.newFanout(extended.context.values, extended.tokenState, c, now, limit, extended.timeout)
	for _, node := range nodes {
		// A node that does not take it stays without the key until the next extension.
		f.sendTo(node, now)
	}
}

// extensionError returns the error of a failed extension. It ends the lease if the
// validity is over or a quorum proved that the lease is lost.
func (l *Lease) extensionError(f *fanout, result roundResult) error {
	report := f.roundError(result)
	switch {
	case l.lapsed(result.endedAt):
		report.Reason = because(ErrLapsed, result.ended)
	case result.ended != nil:
	case result.refuted:
		report.Reason = ErrNotHeld
		l.conclude(ErrNotHeld)
	case !errors.Is(report.Reason, ErrSameServer):
		report.Reason = ErrNoQuorum
	}
	if errors.Is(l.ended(), ErrReleased) {
		return ErrReleased
	}
	return report
}
