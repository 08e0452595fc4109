package redlock

import (
	"context"
	"errors"
	"fmt"
	"time"

	"redlocklab/redlock/round"
)

// Release gives the lock back. From the moment of the call the lease is not
// valid and nothing that sets its keys is sent any more (claim MX-10).
//
// A release goes to every node that may carry the token. Release returns when a
// quorum confirmed that the key does not carry it, or after the per-node
// timeout; the other nodes are looked after in the background. It does not stop
// early when ctx is done, so that `defer lease.Release(ctx)` works with a context
// that was cancelled; the bound is the per-node timeout.
//
// Errors: ErrLapsed when the keys were gone already, ErrNotHeld when another
// holds the resource by now (both mean that the lease had ended before, and
// both become nil with WithQuietRelease; servers from Redis 8.4 on do not tell
// the two apart for a lease of one resource: ErrLapsed), ErrNoQuorum when too few
// nodes confirmed (the keys lapse by their time to live). It is idempotent: after a
// success it returns nil, otherwise it tries again what is not confirmed. A lease
// that was handed over returns ErrReleased.
func (l *Lease) Release(ctx context.Context) error {
	if !l.finish(ErrReleased) && errors.Is(l.err(), errHandedOver) {
		return ErrReleased
	}
	uncancelled := context.WithoutCancel(ctx)
	if err := l.locker.begin(uncancelled); err != nil {
		return err
	}
	defer l.locker.finish()
	settings := &l.locker.settings
	now := settings.clock.Now()
	lapsed := now >= l.Until()
	f := l.locker.releaseAll(l.tenure, now, settings.timeoutFor(l.ttl))
	end := f.wait(uncancelled, f.timeout)
	err := l.releaseError(ctx, end, lapsed)
	f.report(ctx, end, 0, err)
	return err
}

// releaseError says what became of a release.
func (l *Lease) releaseError(ctx context.Context, end result, lapsed bool) error {
	failed := &RoundError{Operation: OperationRelease, Resources: l.tenure.keys, Nodes: end.outcomes}
	if end.state != round.Granted {
		failed.Reason = ErrNoQuorum
		if ctx.Err() != nil {
			failed.Context = contextError(ctx)
		}
		return failed
	}
	lapsed = lapsed && !l.released.Load() // what was given back in time stays given back
	failed.Reason = releaseVerdict(end.outcomes, l.tenure.deletedOn(), l.locker.Quorum(), lapsed)
	if failed.Reason == nil {
		l.released.Store(true)
		return nil
	}
	if l.limits.quietRelease {
		return nil
	}
	return failed
}

// errHandedOver ends the giver's handle of a handover.
var errHandedOver = fmt.Errorf("%w: it was handed over", ErrReleased)

// releaseVerdict tells a lease that was held from one that had lapsed and from
// one whose resource another holds. A quorum has confirmed. A node that was not
// asked cannot carry the token: either a release of this lease deleted it there
// before, or the key was never there, or gone. Of a lease that had lapsed by the
// Clock at the call, only deletions on a majority prove that it was still held.
func releaseVerdict(outcomes []NodeOutcome, deletedBefore []bool, quorum int, lapsed bool) error {
	var deleted, missing, other int
	for i, node := range outcomes {
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

// sendRelease sends the release to the chosen nodes and returns its flight. The
// others count as confirmed: they cannot carry the token.
func (l *Locker) sendRelease(t *tenure, chosen []bool, now, timeout time.Duration) *flight {
	f := l.newFlight(t, command{operation: OperationRelease, keys: t.keys, token: t.token, giver: t.giver}, now, round.NoLimit, timeout)
	for node, send := range chosen {
		if !send {
			f.answer(node, OutcomeNotAsked, nil, now)
		}
	}
	for node, send := range chosen {
		if send {
			l.sendReleaseTo(f, &f.calls[node], now)
		}
	}
	return f
}

// sendReleaseTo sends one node its release.
func (l *Locker) sendReleaseTo(f *flight, c *call, now time.Duration) {
	if !l.lanes[c.node].send(c, now, now+f.timeout) {
		f.tenure.released(c.node, OutcomeTransport, f)
		f.answer(c.node, OutcomeTransport, errQueueFull, now)
	}
}
