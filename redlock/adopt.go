package redlock

import (
	"context"
	"errors"
	"time"

	"redlocklab/redlock/round"
)

// HandOver ends the lease in this process and leaves its keys on the nodes, so that another
// process can go on with it by [Locker.Adopt]. It returns the token. From then on the lease is
// not valid here, its context has ended with [ErrHandedOver], and the package sends nothing of
// it that sets, extends or releases a key.
//
// HandOver fails with the reason if the lease has ended before.
func (l *Lease) HandOver() (token string, err error) {
	l.lapsed(l.locker.settings.clock.Now())
	l.conclude(ErrHandedOver)
	if ended := l.ended(); !errors.Is(ended, ErrHandedOver) {
		return "", ended
	}
	return l.Token(), nil
}

// Adopt makes a lease of a token that another process handed over, valid for ttl from now, minus
// the allowance. The resources are those of that lease. Options and bounds are those of
// [Locker.TryLock]; [Lease.Fence] is 0, because the number goes with the token.
//
// Adopt asks each node to extend the key that carries the token. So it succeeds only if a
// majority carries it still. A lease whose validity ended meanwhile can be adopted until its keys
// expire. Nobody else can have held the resource since those keys were set (assumptions A-VOTE,
// A-OWNER).
//
// Two processes that use one token are one holder to the nodes (assumption A-TOKEN). So adopt
// only what was handed over, or what a process held that has ended. A release of that process
// that is still under way removes the adopter's keys, and lets another in.
//
// Adopt fails with [ErrNotHeld] if too few nodes carry the token, and otherwise as TryLock does.
// It releases nothing when it fails.
func (l *Locker) Adopt(
	ctx context.Context, resources []string, token string, ttl time.Duration, options ...LockOption,
) (*Lease, error) {
	if len(token) == 0 || len(token) > MaximumResourceBytes {
		return nil, invalid("token of %d bytes; want 1 to %d", len(token), MaximumResourceBytes)
	}
	adopt := func(a *acquisition, ctx context.Context) (*Lease, error) { return a.adopt(ctx, token) }
	return l.call(ctx, adopt, resources, ttl, options)
}

func (a *acquisition) adopt(ctx context.Context, token string) (*Lease, error) {
	l := a.locker
	if err := l.enter(ctx); err != nil {
		return nil, err
	}
	defer l.leave()
	state := newTokenState(a.resources, a.keys, token, len(l.queues))
	state.mayCarry()
	c := command{operation: OperationExtend, keys: a.keys, token: token, ttl: a.ttl}
	f, result, until := a.round(ctx, state, c)
	if result.state != round.Granted {
		state.stop(result.endedAt)
		err := f.roundError(result)
		if result.refuted && result.ended == nil {
			err.Reason = ErrNotHeld
		}
		f.reportRound(ctx, result, 0, err)
		return nil, err
	}
	f.reportRound(ctx, result, until-result.endedAt, nil)
	l.restoreKeys(f, f.restore(), result.endedAt)
	return a.newLease(f, until, 0), nil
}
