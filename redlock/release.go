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
// nodes are released in the background. Release ignores the end of ctx, so that
// "defer lease.Release(ctx)" works with a cancelled context.
//
// Release fails with [ErrLapsed] if the keys were gone already, and with [ErrNotHeld] if
// another holds the resource by now. Both mean that the lease had ended before the call;
// with [WithQuietRelease] Release returns nil instead. Redis 8.4 and later do not tell the
// two apart for a lease of one resource, and Release returns ErrLapsed. It fails with
// [ErrNoQuorum] if too few nodes confirmed; their keys expire after their time to live. It
// also fails with [ErrSameServer] and [ErrClosed].
//
// Release may be called again. After a success it returns nil; otherwise it repeats the
// releases that are not confirmed.
func (l *Lease) Release(ctx context.Context) error {
	l.conclude(ErrReleased)
	uncancelled := context.WithoutCancel(ctx)
	if err := l.locker.enter(uncancelled); err != nil {
		return err
	}
	defer l.locker.leave()
	settings := &l.locker.settings
	now := settings.clock.Now()
	lapsed := now >= l.Until()
	f := l.locker.releaseAll(l.tokenState, now, settings.timeoutFor(l.ttl))
	result := f.wait(uncancelled, f.timeout)
	err := l.releaseError(ctx, result, lapsed)
	f.reportRound(ctx, result, 0, err)
	return err
}

// releaseError returns the error of a release, or nil. lapsed means that the validity had
// ended when Release was called.
func (l *Lease) releaseError(ctx context.Context, result roundResult, lapsed bool) error {
	failed := &RoundError{Operation: OperationRelease, Resources: l.tokenState.keys, Nodes: result.reports}
	if result.state != round.Granted {
		failed.Reason = ErrNoQuorum
		if ctx.Err() != nil {
			failed.Context = contextError(ctx)
		}
		return failed
	}
	lapsed = lapsed && !l.released.Load() // a release that succeeded in time stays a success
	failed.Reason = classifyRelease(result.reports, l.tokenState.deletedNodes(), l.locker.Quorum(), lapsed)
	if failed.Reason == nil {
		l.released.Store(true)
		return nil
	}
	if l.settings.quietRelease {
		return nil
	}
	return failed
}

// classifyRelease returns nil if the lease was still held, ErrLapsed if it had lapsed, and
// ErrNotHeld if another holds the resource. A quorum has confirmed the release. A node that
// was not asked cannot carry the token: an earlier release deleted the key there
// (deletedBefore), or the key was never there or is gone. If the validity had ended at the
// call (lapsed), only deletions on a majority prove that the lease was still held.
func classifyRelease(reports []NodeReport, deletedBefore []bool, quorum int, lapsed bool) error {
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
			if deletedBefore[i] {
				deleted++
			} else {
				missing++
			}
		}
	}
	switch {
	case other >= quorum || (other > 0 && deleted == 0):
		return ErrNotHeld
	case missing+other >= quorum: // no majority can have carried the token
		return ErrLapsed
	case lapsed && deleted < quorum:
		return ErrLapsed
	default:
		return nil
	}
}

// releaseAll submits a release for every node that may carry the token and returns its
// fanout. From then on nothing that sets the token is sent. It does not depend on a
// caller's context (claim LV-11).
func (l *Locker) releaseAll(state *tokenState, now, timeout time.Duration) *fanout {
	state.stopSetting()
	return l.sendRelease(state, state.nodesToRelease(), now, timeout)
}

// repeatRelease submits the release for one node again. f is the fanout that waits for the
// answer, or nil if none does.
func (l *Locker) repeatRelease(state *tokenState, node int, f *fanout, now time.Duration) {
	if f == nil {
		chosen := make([]bool, len(l.queues))
		chosen[node] = true
		l.sendRelease(state, chosen, now, l.settings.closeTimeout())
		return
	}
	l.sendReleaseTo(f, &request{fanout: f, node: node}, now)
}

// sendRelease submits a release for the chosen nodes and returns its fanout. The other
// nodes cannot carry the token and count as confirmed.
func (l *Locker) sendRelease(state *tokenState, chosen []bool, now, timeout time.Duration) *fanout {
	f := l.newFanout(state, command{operation: OperationRelease, keys: state.keys, token: state.token}, now, round.NoLimit, timeout)
	for node, send := range chosen {
		if !send {
			f.recordAnswer(node, OutcomeNotAsked, nil, now)
		}
	}
	for node, send := range chosen {
		if send {
			l.sendReleaseTo(f, &f.requests[node], now)
		}
	}
	return f
}

// sendReleaseTo submits the release for one node.
func (l *Locker) sendReleaseTo(f *fanout, r *request, now time.Duration) {
	if !l.queues[r.node].submit(r, now, now+f.timeout) {
		f.tokenState.recordRelease(r.node, OutcomeTransport, f)
		f.recordAnswer(r.node, OutcomeTransport, errQueueFull, now)
	}
}
