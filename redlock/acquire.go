package redlock

import (
	"context"
	"errors"
	"slices"
	"time"

	"redlocklab/redlock/round"
)

// TryLock makes one attempt to lock a resource for ttl and returns its [Lease].
//
// ttl is how long the nodes keep the key if nobody extends or releases it, in whole
// milliseconds from [MinimumTTL] to [MaximumTTL], or 0 for the time of [WithDefaultTTL].
// The lease is valid for a shorter time: validity starts just before the first send and is
// reduced by the allowance for clock errors.
//
// TryLock fails with [ErrContended], [ErrNoQuorum], [ErrLate], [ErrSameServer],
// [ErrClosed], [ErrInvalidArgument] or the context's error. An error that ended a round is
// in a [*RoundError]. After a failed round the package releases whatever the attempt left
// behind, even when the context has ended (claims MX-3, LV-11).
func (l *Locker) TryLock(
	ctx context.Context, resource string, ttl time.Duration, options ...LockOption,
) (*Lease, error) {
	return l.TryLockAll(ctx, []string{resource}, ttl, options...)
}

// TryLockAll is [Locker.TryLock] for several resources, all or nothing. They share one
// token, one round and one validity; each node sets all keys or none. Duplicate names are
// locked once. There may be up to [MaximumResources]. If a node is backed by Cluster, all
// names must have the same {tag}.
func (l *Locker) TryLockAll(
	ctx context.Context, resources []string, ttl time.Duration, options ...LockOption,
) (*Lease, error) {
	return l.call(ctx, (*acquisition).attempt, resources, ttl, options)
}

// Lock makes attempts until one succeeds or the context ends. Each attempt has a fresh
// token. Lock retries after [ErrContended], [ErrNoQuorum] and [ErrLate], and waits between
// attempts as [WithBackoff] says. Let the context end: a number of attempts would say nothing of
// the time that they take, so there is no such limit (assumption A-TRIES).
//
// Calls of one Locker for the same resources wait in line: only the first makes attempts, and
// it makes the next one as soon as the Locker has released such a lease. Between Lockers there
// is no line, and the longest waiter is not served first. After 16 leases that the calls of one
// Locker passed on to each other, the next pauses, so that others have a chance.
//
// Lock fails with [ErrClosed] or the context's error, mostly joined with the error of
// the last attempt in the line if there was one, or with [ErrSameServer] or
// [ErrInvalidArgument]. It fails
// with ErrNoQuorum, and waits no longer, when so many nodes refuse for good that no quorum is left:
// with NOPERM, NOAUTH, WRONGPASS or WRONGTYPE.
func (l *Locker) Lock(ctx context.Context, resource string, ttl time.Duration, options ...LockOption) (*Lease, error) {
	return l.LockAll(ctx, []string{resource}, ttl, options...)
}

// LockAll is [Locker.Lock] for several resources, all or nothing; see
// [Locker.TryLockAll]. Callers that lock overlapping sets cannot deadlock, because none
// holds a part while it waits.
func (l *Locker) LockAll(
	ctx context.Context, resources []string, ttl time.Duration, options ...LockOption,
) (*Lease, error) {
	return l.call(ctx, (*acquisition).repeat, resources, ttl, options)
}

// call makes an acquisition and tells the observer how long it took.
func (l *Locker) call(
	ctx context.Context, acquire func(*acquisition, context.Context) (*Lease, error),
	resources []string, ttl time.Duration, options []LockOption,
) (*Lease, error) {
	a, err := l.newAcquisition(resources, ttl, options)
	if err != nil {
		return nil, err
	}
	ctx = orBackground(ctx)
	lease, err := acquire(a, ctx)
	if l.settings.observer != nil {
		took := l.settings.clock.Now() - a.begin
		l.emit(ctx, Event{Kind: EventAcquired, Resources: a.resources, Elapsed: took, Err: err})
	}
	return lease, err
}

type acquisition struct {
	locker          *Locker
	resources, keys []string
	ttl             time.Duration
	settings        lockSettings
	begin           time.Duration // when the call began, on the Clock
}

// repeat makes attempts until one succeeds or no other may follow, when its turn has come.
func (a *acquisition) repeat(ctx context.Context) (lease *Lease, err error) {
	l, name := a.locker, lineOf(a.keys)
	p := l.lines.join(name)
	defer func() { l.lines.leave(name, p, err == nil) }()
	retry := 1
	if err = l.waitForTurn(ctx, p); err == nil && p.behind {
		retry, err = a.pause(ctx, p, retry)
	}
	for err == nil {
		lease, err = a.attempt(ctx)
		if err == nil || !retryable(err) || l.refused(err) {
			return lease, err
		}
		l.lines.fail(name, err)
		retry, err = a.pause(ctx, p, retry)
	}
	return nil, l.lines.because(name, err)
}

// pause waits before an attempt, as the [Backoff] says, or until a lease of the same Locker is
// released. It returns the number of the next retry.
func (a *acquisition) pause(ctx context.Context, p *place, retry int) (next int, err error) {
	fraction, err := randomFraction(a.locker.settings.random)
	if err != nil {
		return 0, err
	}
	freed, err := a.locker.pause(ctx, max(0, a.settings.backoff(retry, fraction)), p.freed)
	if freed {
		return 1, nil
	}
	return retry + 1, err
}

func retryable(err error) bool {
	return errors.Is(err, ErrContended) || errors.Is(err, ErrNoQuorum) || errors.Is(err, ErrLate)
}

// refused reports whether so many nodes refused a round for good that the others are no quorum.
func (l *Locker) refused(err error) bool {
	failed, ok := errors.AsType[*RoundError](err)
	if !ok {
		return false
	}
	left := len(failed.Nodes)
	for _, node := range failed.Nodes {
		if lasts(node.Cause) {
			left--
		}
	}
	return left < l.Quorum()
}

// attempt runs the round of an acquisition, and with fencing a second one for the fencing
// token.
func (a *acquisition) attempt(ctx context.Context) (*Lease, error) {
	l := a.locker
	if err := l.enter(ctx); err != nil {
		return nil, err
	}
	defer l.leave()
	token, err := newToken(l.settings.random)
	if err != nil {
		return nil, err
	}
	token = signed(token, a.settings.owner)
	state := newTokenState(a.resources, a.keys, token, len(l.queues))
	c := command{
		operation: OperationAcquire, keys: a.keys, token: token, ttl: a.ttl, retention: a.settings.fenceRetention,
	}
	if a.settings.fencing {
		c.counters = mapped(c.keys, FenceKey)
	}
	f, result, until := a.round(ctx, state, c)
	if result.state != round.Granted {
		return nil, f.giveUp(ctx, result)
	}
	f.reportRound(ctx, result, until-result.endedAt, nil)
	var fence int64
	if a.settings.fencing {
		fenceResult, fenceRound := l.raiseFence(ctx, f, result.counter, until)
		if fenceResult.state != round.Granted {
			return nil, fenceRound.giveUp(ctx, fenceResult)
		}
		fenceRound.reportRound(ctx, fenceResult, until-fenceResult.endedAt, nil)
		fence = fenceRound.command.fence
	}
	return a.newLease(f, until, fence), nil
}

// round asks all nodes, and returns when the validity ends. Validity starts before the first
// send. The fanout checks it at the deciding reply; round checks it again afterwards, because
// this goroutine may have been paused in between (claims MX-3, MX-4).
func (a *acquisition) round(
	ctx context.Context, state *tokenState, c command,
) (*fanout, roundResult, time.Duration) {
	l := a.locker
	limit := c.ttl - l.settings.allowance(c.ttl)
	start := l.settings.clock.Now()
	until := start + limit
	f := l.newFanout(ctx, state, c, start, limit, l.settings.timeoutFor(c.ttl))
	f.sendAll()
	result := f.wait(ctx, f.timeout)
	switch {
	case result.state == round.Granted && result.endedAt >= until:
		result.state, result.loss = round.Lost, round.Late
	case result.state == round.Granted && l.servers.clashError() != nil:
		result.state, result.loss = round.Lost, round.NoQuorum
	}
	return f, result, until
}

// giveUp releases what a lost round left behind and returns the round's error.
func (f *fanout) giveUp(ctx context.Context, result roundResult) error {
	f.locker.releaseAll(context.WithoutCancel(ctx), f.tokenState, result.endedAt, f.timeout)
	err := f.roundError(result)
	f.reportRound(ctx, result, 0, err)
	return err
}

func (f *fanout) roundError(result roundResult) *RoundError {
	return f.failed(f.locker.reasonOf(result), result)
}

// reasonOf returns why a round was lost.
func (l *Locker) reasonOf(result roundResult) error {
	clash := l.servers.clashError()
	switch {
	case clash != nil:
		return because(clash, result.ended)
	case result.ended != nil:
		return result.ended
	case result.loss == round.Late:
		return ErrLate
	case result.loss == round.Contended:
		return ErrContended
	default:
		return ErrNoQuorum
	}
}

func (f *fanout) failed(reason error, result roundResult) *RoundError {
	return &RoundError{
		Operation: f.command.operation, Resources: f.tokenState.resources, Reason: reason, Nodes: result.reports,
	}
}

func (l *Locker) newAcquisition(resources []string, ttl time.Duration, options []LockOption) (*acquisition, error) {
	a := &acquisition{locker: l, settings: l.settings.lockDefaults}
	err := applyAll(options, func(o LockOption) error { return o.applyToLock(&a.settings) })
	if err != nil {
		return nil, err
	}
	if a.ttl, err = l.checkTTL(ttl); err != nil {
		return nil, err
	}
	if retention := a.settings.fenceRetention; a.settings.fencing && retention > 0 && retention <= a.ttl {
		return nil, invalid("time to live %v; want less than the %v of WithFenceRetention", a.ttl, retention)
	}
	if a.resources, err = checkResources(resources); err != nil {
		return nil, err
	}
	a.keys = a.resources
	if prefix := l.settings.keyPrefix; prefix != "" {
		a.keys = mapped(a.resources, func(resource string) string { return prefix + resource })
	}
	for i, key := range a.keys {
		if owner, ok := counterOf(key); ok {
			return nil, invalid("resource %q: its key is the fencing counter of %q; want another name", a.resources[i], owner)
		}
	}
	if err := l.checkSlots(a.keys, a.settings.fencing); err != nil {
		return nil, err
	}
	if l.settings.observer != nil {
		a.begin = l.settings.clock.Now()
	}
	return a, nil
}

func mapped(names []string, key func(string) string) []string {
	keys := make([]string, len(names))
	for i, name := range names {
		keys[i] = key(name)
	}
	return keys
}

// checkTTL returns the time to live, or the default in place of 0. It refuses one that is
// out of bounds, not in whole milliseconds, or not longer than its allowance.
func (l *Locker) checkTTL(ttl time.Duration) (time.Duration, error) {
	if ttl == 0 {
		ttl = l.settings.defaultTTL
	}
	switch {
	case ttl < MinimumTTL || ttl > MaximumTTL:
		return 0, invalid("time to live %v; want %v to %v", ttl, MinimumTTL, MaximumTTL)
	case ttl%time.Millisecond != 0:
		return 0, invalid("time to live %v; want whole milliseconds", ttl)
	case l.settings.allowance(ttl) >= ttl:
		return 0, invalid("time to live %v; want more than its allowance of %v", ttl, l.settings.allowance(ttl))
	case l.settings.guardTTL > 0 && ttl > l.settings.guardTTL:
		return 0, invalid("time to live %v; want at most the %v of WithRestartGuard", ttl, l.settings.guardTTL)
	default:
		return ttl, nil
	}
}

func checkResources(resources []string) ([]string, error) {
	if len(resources) == 0 || len(resources) > MaximumResources {
		return nil, invalid("%d resources; want 1 to %d", len(resources), MaximumResources)
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

// contextError returns the cause of a context that has ended, or nil. errors.Is finds the
// context's error in it too.
func contextError(ctx context.Context) error {
	cause, err := context.Cause(ctx), ctx.Err()
	if errors.Is(cause, err) {
		return cause
	}
	return errors.Join(err, cause)
}
