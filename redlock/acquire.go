package redlock

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"redlocklab/redlock/round"
)

// TryLock makes one attempt to lock a resource for ttl and returns its Lease.
//
// ttl is how long the nodes keep the key when nobody extends or releases it:
// whole milliseconds, MinimumTTL to MaximumTTL. The lease is valid for less:
// from before the first send, minus the allowance for clock errors.
//
// Errors: ErrContended, ErrNoQuorum, ErrLate, ErrSameServer, ErrClosed or the
// context's, inside a *RoundError when they ended a round that was under way and
// bare when none was begun, or ErrInvalidArgument. After any of them whatever the
// attempt left behind is being released, also when the context ended (claims
// MX-3, LV-11).
func (l *Locker) TryLock(ctx context.Context, resource string, ttl time.Duration, options ...LockOption) (*Lease, error) {
	return l.TryLockAll(ctx, []string{resource}, ttl, options...)
}

// TryLockAll is TryLock for several resources, all or nothing: one token, one
// round, one validity. Each node sets all keys or none, in one script. Duplicate
// names are locked once. On a Cluster-backed node all names must be in one hash
// slot (give them a common {tag}).
func (l *Locker) TryLockAll(ctx context.Context, resources []string, ttl time.Duration, options ...LockOption) (*Lease, error) {
	keys, limits, err := l.check(resources, ttl, options)
	if err != nil {
		return nil, err
	}
	return l.attempt(ctx, keys, ttl, limits)
}

// Lock makes attempts until one succeeds, the context ends or the wait limit is
// reached. It pauses between attempts as the Backoff says; each attempt has a
// fresh token. Contention, an unreachable quorum and late votes are retried.
//
// Errors: ErrWaitLimit, ErrClosed or the context's, together with the last
// attempt's if there was one, ErrSameServer, or ErrInvalidArgument. There is no
// queue: who waits longest is not served first.
func (l *Locker) Lock(ctx context.Context, resource string, ttl time.Duration, options ...LockOption) (*Lease, error) {
	return l.LockAll(ctx, []string{resource}, ttl, options...)
}

// LockAll is Lock for several resources, all or nothing; see TryLockAll. Because
// no attempt ever holds a part while it waits, callers that lock overlapping sets
// cannot deadlock.
func (l *Locker) LockAll(ctx context.Context, resources []string, ttl time.Duration, options ...LockOption) (*Lease, error) {
	keys, limits, err := l.check(resources, ttl, options)
	if err != nil {
		return nil, err
	}
	first := l.settings.clock.Now()
	for retry := 1; ; retry++ {
		lease, err := l.attempt(ctx, keys, ttl, limits)
		if err == nil || !retryable(err) {
			return lease, err
		}
		chance, randomErr := uniform(l.settings.random)
		if randomErr != nil {
			return nil, errors.Join(randomErr, err)
		}
		pause := max(0, limits.backoff(retry, chance))
		if limits.waitLimit > 0 && l.settings.clock.Now()-first+pause >= limits.waitLimit {
			return nil, fmt.Errorf("%w after %d attempts: %w", ErrWaitLimit, retry, err)
		}
		if pauseErr := l.pause(ctx, pause); pauseErr != nil {
			return nil, fmt.Errorf("%w: %w", pauseErr, err)
		}
	}
}

// retryable reports whether another attempt may succeed.
func retryable(err error) bool {
	return errors.Is(err, ErrContended) || errors.Is(err, ErrNoQuorum) || errors.Is(err, ErrLate)
}

// pause waits on the Clock.
func (l *Locker) pause(ctx context.Context, d time.Duration) error {
	timer := l.settings.clock.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C():
		return nil
	case <-ctx.Done():
		return contextError(ctx)
	case <-l.closing:
		return ErrClosed
	}
}

// attempt is one acquisition with a fresh token.
func (l *Locker) attempt(ctx context.Context, keys []string, ttl time.Duration, limits lockSettings) (*Lease, error) {
	if err := l.begin(ctx); err != nil {
		return nil, err
	}
	defer l.finish()
	token, err := newToken(l.settings.random)
	if err != nil {
		return nil, err
	}
	t := newTenure(keys, token, len(l.lanes))
	c := command{operation: OperationAcquire, keys: keys, token: token, ttl: ttl}
	return l.win(ctx, t, c, limits)
}

// win runs the round that may make a lease: an acquisition or an adoption. The
// validity counts from before the first send and is judged at the deciding reply
// and once more here, after any pause of this goroutine (claims MX-3, MX-4).
func (l *Locker) win(ctx context.Context, t *tenure, c command, limits lockSettings) (*Lease, error) {
	if limits.fencing {
		c.counters = fenceKeys(c.keys)
	}
	limit := c.ttl - l.settings.allowance(c.ttl)
	start := l.settings.clock.Now()
	until := start + limit
	f := l.newFlight(t, c, start, limit, l.settings.timeoutFor(c.ttl))
	f.launch()
	end := f.wait(ctx, f.timeout)
	switch {
	case end.state == round.Granted && end.end >= until:
		end.state, end.loss = round.Lost, round.Late
	case end.state == round.Granted && l.clashed.Load():
		end.state, end.loss = round.Lost, round.NoQuorum
	}
	if end.state != round.Granted {
		return nil, f.giveUp(ctx, end)
	}
	f.report(ctx, end, until-end.end, nil)
	var fence int64
	if limits.fencing {
		raised, write := l.raiseFence(ctx, f, until)
		if raised.state != round.Granted {
			return nil, write.giveUp(ctx, raised)
		}
		write.report(ctx, raised, until-raised.end, nil)
		fence = write.command.fence
	}
	if c.giver != "" {
		t.inherit(c.giver)
	}
	lease := newLease(l, t, c.ttl, until, limits, end.outcomes)
	lease.fence = uint64(fence)
	if limits.renewal {
		go lease.renew(lease.Context())
	}
	return lease, nil
}

// giveUp releases what a lost round left behind and makes its error.
func (f *flight) giveUp(ctx context.Context, end result) error {
	f.locker.releaseAll(f.tenure, end.end, f.timeout)
	err := f.failure(end)
	f.report(ctx, end, 0, err)
	return err
}

// failure makes the error of a lost round.
func (f *flight) failure(end result) *RoundError {
	reason := ErrNoQuorum
	switch {
	case f.locker.clashed.Load():
		reason = f.locker.registry.verdict()
	case end.closed:
		reason = ErrClosed
	case end.context != nil:
		reason = end.context
	case end.loss == round.Late:
		reason = ErrLate
	case end.loss == round.Contended:
		reason = ErrContended
	}
	return &RoundError{
		Operation: f.command.operation,
		Resources: f.command.keys,
		Reason:    reason,
		Context:   end.context,
		Nodes:     end.outcomes,
	}
}

// check validates arguments and applies options; keys come back sorted.
func (l *Locker) check(resources []string, ttl time.Duration, options []LockOption) ([]string, lockSettings, error) {
	limits := l.settings.lock
	for _, option := range options {
		if option == nil {
			return nil, limits, invalid("option is nil")
		}
		if err := option.applyToLock(&limits); err != nil {
			return nil, limits, err
		}
	}
	if err := l.checkTTL(ttl); err != nil {
		return nil, limits, err
	}
	keys, err := checkResources(resources)
	return keys, limits, err
}

// checkTTL refuses a time to live that is out of bounds, not whole milliseconds,
// or eaten up by the allowance.
func (l *Locker) checkTTL(ttl time.Duration) error {
	switch {
	case ttl < MinimumTTL || ttl > MaximumTTL:
		return invalid("time to live %v is outside %v to %v", ttl, MinimumTTL, MaximumTTL)
	case ttl%time.Millisecond != 0:
		return invalid("time to live %v is not whole milliseconds", ttl)
	case l.settings.allowance(ttl) >= ttl:
		return invalid("time to live %v is not longer than its allowance", ttl)
	case l.settings.guardTTL > 0 && ttl > l.settings.guardTTL:
		return invalid("time to live %v is longer than the restart guard's %v", ttl, l.settings.guardTTL)
	default:
		return nil
	}
}

// checkResources sorts the names and removes duplicates.
func checkResources(resources []string) ([]string, error) {
	if len(resources) == 0 {
		return nil, invalid("no resource")
	}
	for _, resource := range resources {
		if resource == "" || len(resource) > MaximumResourceBytes {
			return nil, invalid("resource name of %d bytes; want 1 to %d", len(resource), MaximumResourceBytes)
		}
	}
	keys := slices.Clone(resources)
	slices.Sort(keys)
	return slices.Compact(keys), nil
}

// contextError returns the context's cause in a form in which errors.Is finds
// the context's error too.
func contextError(ctx context.Context) error {
	cause, err := context.Cause(ctx), ctx.Err()
	if errors.Is(cause, err) {
		return cause
	}
	return errors.Join(err, cause)
}
