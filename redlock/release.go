package redlock

import (
	"context"
	"time"

	"redlocklab/redlock/round"
)

// Release unlocks the resource. From the call on, the lease is not valid and the package
// sends nothing that sets its keys (claim MX-10).
//
// Release sends a release to every node that may carry the token. It returns when a quorum
// has confirmed that the key does not carry it, or after the per-node timeout. The other
// nodes are released in the background, again and again where that fails, until the keys
// have expired. Release ignores the end of ctx, so that "defer lease.Release(ctx)" works
// with a cancelled context.
//
// Release fails with [ErrLapsed] if the validity had ended before the call, or the keys
// were gone already, and with [ErrNotHeld] if another holds the resource by now. Both mean
// that the lease had ended before the call. It fails with [ErrNoQuorum] if too few nodes
// confirmed, and with [ErrClosed].
//
// Release may be called again. After a success it returns nil; otherwise it repeats the
// releases that are not confirmed.
func (l *Lease) Release(ctx context.Context) error {
	ctx = orBackground(ctx)
	now := l.locker.settings.clock.Now()
	if now >= l.Until() {
		l.conclude(ErrLapsed)
	}
	l.conclude(ErrReleased)
	if !l.locker.enter() {
		return ErrClosed
	}
	defer l.locker.leave()
	return l.release(ctx, now)
}

// release sends the releases of a lease that has ended and waits for a quorum.
func (l *Lease) release(ctx context.Context, now time.Duration) error {
	lapsed := now >= l.Until()
	f := l.locker.releaseAll(ctx, l.tokenState, now, l.locker.settings.timeoutFor(l.ttl))
	result := f.wait(context.WithoutCancel(ctx), f.timeout)
	err := l.releaseError(ctx, result, lapsed)
	f.reportRound(ctx, result, 0, err)
	return err
}

// releaseError returns the error of a release, or nil. lapsed means that the validity had
// ended when Release was called.
func (l *Lease) releaseError(ctx context.Context, result roundResult, lapsed bool) error {
	var reason, ended error
	switch {
	case result.state != round.Granted:
		reason = ErrNoQuorum
		if ctx.Err() != nil {
			ended = contextError(ctx)
		}
	case l.released.Load():
		return nil // a release that succeeded in time stays a success
	default:
		reason = classifyRelease(result.reports, l.tokenState.deletedNodes(), l.locker.Quorum(), lapsed)
		if reason == nil {
			l.released.Store(true)
			return nil
		}
	}
	return &RoundError{Operation: OperationRelease, Resources: l.tokenState.resources, Reason: reason, Context: ended, Nodes: result.reports}
}

// classifyRelease returns nil if the lease was still held, ErrLapsed if it had lapsed, and
// ErrNotHeld if another holds the resource. A quorum has confirmed the release. A node that
// was not asked cannot carry the token: an earlier release deleted the key there
// (bit i of deletedBefore), or the key was never there or is gone. lapsed means that the validity
// had ended at the call: the lease was not held then, whatever the nodes still carried.
func classifyRelease(reports []NodeReport, deletedBefore uint64, quorum int, lapsed bool) error {
	var deleted, missing, other int
	for i, node := range reports {
		switch node.Outcome {
		case OutcomeGranted:
			deleted++
		case OutcomeMissing:
			missing++
		case OutcomeHeldByOther:
			other++
		case OutcomeNotAsked:
			if deletedBefore&(1<<i) != 0 {
				deleted++
			} else {
				missing++
			}
		}
	}
	switch {
	case other >= quorum || (other > 0 && deleted == 0):
		return ErrNotHeld
	case lapsed || missing+other >= quorum: // no majority can have carried the token
		return ErrLapsed
	default:
		return nil
	}
}

// releaseAll submits a release for every node that may carry the token and returns its
// fanout. From then on nothing that sets the token is sent. It does not depend on the end
// of a caller's context (claim LV-11).
func (l *Locker) releaseAll(ctx context.Context, state *tokenState, now, timeout time.Duration) *fanout {
	state.stop(now)
	f := l.newReleaseFanout(ctx, state, now, timeout)
	send := state.nodesToRelease(f, now)
	for node := range l.queues {
		if send&(1<<node) != 0 {
			f.sendTo(node, now)
		}
	}
	return f
}

// newReleaseFanout prepares releases of a token.
func (l *Locker) newReleaseFanout(ctx context.Context, state *tokenState, now, timeout time.Duration) *fanout {
	return l.newFanout(ctx, state, command{operation: OperationRelease, keys: state.keys, token: state.token}, now, round.NoLimit, timeout)
}
