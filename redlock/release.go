package redlock

import (
	"context"
	"errors"
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
// confirmed, and with [ErrClosed] after [Locker.Close]: then the keys stay until they expire.
//
// After [Lease.HandOver] it sends nothing and fails with [ErrHandedOver].
//
// Release may be called again, until the Locker is closed. After a success it returns nil;
// otherwise it repeats the releases that are not confirmed.
func (l *Lease) Release(ctx context.Context) error {
	ctx = orBackground(ctx)
	now := l.finish()
	if err := l.locker.enter(context.Background()); err != nil {
		return err
	}
	defer l.locker.leave()
	return l.release(ctx, now)
}

// finish ends the lease at the call of Release, and returns when that was.
func (l *Lease) finish() time.Duration {
	now := l.locker.settings.clock.Now()
	l.lapsed(now)
	l.conclude(ErrReleased)
	return now
}

func (l *Lease) release(ctx context.Context, now time.Duration) error {
	if errors.Is(l.ended(), ErrHandedOver) {
		return ErrHandedOver
	}
	lapsed := now >= l.Until()
	f := l.locker.releaseAll(ctx, l.tokenState, now, l.locker.settings.timeoutFor(l.ttl))
	result := f.wait(context.WithoutCancel(ctx), f.timeout)
	if result.state == round.Granted {
		l.locker.lines.free(lineOf(l.tokenState.keys))
	}
	err := l.releaseError(ctx, f, result, lapsed)
	f.reportRound(ctx, result, 0, err)
	return err
}

// releaseError returns the error of a release, or nil. lapsed means that the validity had
// ended when Release was called.
func (l *Lease) releaseError(ctx context.Context, f *fanout, result roundResult, lapsed bool) error {
	if l.released.Load() {
		return nil // a release that succeeded in time stays a success
	}
	if result.state != round.Granted {
		return f.failed(because(ErrNoQuorum, contextError(ctx)), result)
	}
	if reason := classifyRelease(result.reports, l.locker.Quorum(), lapsed); reason != nil {
		return f.failed(reason, result)
	}
	l.released.Store(true)
	return nil
}

// classifyRelease returns nil if the lease was still held, ErrLapsed if it had lapsed, and
// ErrNotHeld if another holds the resource. A quorum has confirmed the release. A node that
// was not asked cannot carry the token. lapsed means that the validity had ended at the
// call: the lease was not held then, whatever the nodes still carried.
func classifyRelease(reports []NodeReport, quorum int, lapsed bool) error {
	var deleted, missing, other int
	for _, node := range reports {
		switch node.Outcome {
		case OutcomeGranted:
			deleted++
		case OutcomeMissing, OutcomeNotAsked:
			missing++
		case OutcomeHeldByOther:
			other++
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

func (l *Locker) newReleaseFanout(ctx context.Context, state *tokenState, now, timeout time.Duration) *fanout {
	c := command{operation: OperationRelease, keys: state.keys, token: state.token}
	return l.newFanout(ctx, state, c, now, round.NoLimit, timeout)
}
