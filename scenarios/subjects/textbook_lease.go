package subjects

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/scenarios/lock"
)

// nextToken is the token of the next attempt.
func (t *textbook) nextToken() string {
	if t.env.Option("token", "unique") == "shared" {
		return sharedToken
	}
	if t.env.Token != "" {
		return t.env.Token
	}
	if t.reused != "" {
		return t.reused
	}
	token := randomToken(t.env.Random)
	if t.bug("token-per-client") {
		t.reused = token
	}
	return token
}

// TryLock implements Locker.
func (t *textbook) TryLock(ctx context.Context, resource string) (lock.Lease, error) {
	token, order := t.nextToken(), t.order()
	counts := make(chan int64, len(order))
	start := t.env.Now(t.clock)
	won, at := t.ask(ctx, order, func(ctx context.Context, c *redis.Client) ballot {
		vote := t.set(ctx, c, resource, token)
		if vote == voted && t.env.Option("fence", "none") == "maximum" {
			count, err := c.Incr(ctx, resource+":grants").Result()
			if err != nil {
				return silent // a lease without a fencing token is worth nothing
			}
			counts <- count
		}
		return vote
	})
	if t.bug("late-validity") {
		start = at
	}
	// The fencing token is the largest count of the nodes that answered before it won. It is
	// written back to no node, so nodes that did not answer keep their smaller counts (claim RS-4).
	fence := int64(0)
	for range len(counts) {
		fence = max(fence, <-counts)
	}
	until := start + t.env.Lock.TTL - t.allowance()
	lease := &textbookLease{t, tokened{token}, ending{until}, resource, uint64(fence)}
	if won && at < lease.until && ctx.Err() == nil {
		return lease, nil
	}
	if !t.bug("no-clean-up") {
		// Whatever this attempt's goroutines still do at this instant comes first, so
		// that they and the clean-up do not race for connections.
		t.env.Compute(time.Microsecond)
		blind := t.bug("blind-clean-up") || t.bug("blind-commands")
		_ = lease.deleteAll(ctx, blind) // the attempt has failed either way
	}
	switch {
	case ctx.Err() != nil:
		return nil, failedAttempt{tokened{token}, ctx.Err()}
	case won:
		return nil, failedAttempt{tokened{token}, lock.ErrLate}
	}
	return nil, failedAttempt{tokened{token}, lock.ErrContended}
}

// set asks one node for the key.
func (t *textbook) set(ctx context.Context, c *redis.Client, resource, token string) ballot {
	args := redis.SetArgs{Mode: "NX", TTL: t.env.Lock.TTL, Get: t.env.Option("set", "plain") == "get"}
	if t.bug("overwriting-set") {
		args.Mode = ""
	}
	if t.bug("short-keys") {
		args.TTL = t.env.Lock.TTL * 9 / 10
	}
	holder, err := c.SetArgs(ctx, resource, token, args).Result()
	none := errors.Is(err, redis.Nil)
	switch {
	case err != nil && !none && t.bug("errors-vote"):
		return voted
	case err != nil && !none:
		return silent
	case args.Get && (none || holder == token), !args.Get && !none:
		return voted
	}
	return refused
}

// failedAttempt is the error of an attempt, with the token that it may have left on nodes.
type failedAttempt struct {
	tokened
	error
}

// Unwrap returns the reason.
func (f failedAttempt) Unwrap() error { return f.error }

// Lock implements Locker.
func (t *textbook) Lock(ctx context.Context, resource string) (lock.Lease, error) {
	delay := t.env.RetryDelay
	if span := t.env.Lock.Retry.Delay; t.env.Option("retry", "random") == "fixed" {
		delay = func() time.Duration { return (span.Low + span.High) / 2 }
	}
	return t.env.RetryAfter(ctx, delay, func() (lock.Lease, error) { return t.TryLock(ctx, resource) })
}

type textbookLease struct {
	*textbook
	tokened
	ending
	resource string
	fence    uint64
}

// Fence implements Fenced; 0 without the option fence.
func (l *textbookLease) Fence() uint64 { return l.fence }

// Extend implements Extender: the page's extension, which counts only within the validity.
func (l *textbookLease) Extend(ctx context.Context) error {
	start := l.env.Now(l.clock)
	votes := atomic.Int64{}
	won, at := l.ask(ctx, l.order(), func(ctx context.Context, c *redis.Client) ballot {
		if l.bug("blind-commands") {
			return ballotOf(c.PExpire(ctx, l.resource, l.env.Lock.TTL).Val(), nil)
		}
		n, err := l.extend.Run(ctx, c, []string{l.resource}, l.token, l.env.Lock.TTL.Milliseconds()).Int()
		if err == nil && n == 1 {
			votes.Add(1)
		}
		return ballotOf(n == 1, err)
	})
	if l.bug("eager-extension") || l.bug("lone-extension") {
		won = votes.Load() > 0
	}
	if !won || at >= l.until && !l.bug("eager-extension") {
		if l.bug("failed-extension-lengthens") {
			l.until = max(l.until, start+l.env.Lock.TTL-l.allowance())
		}
		return lock.ErrNotHeld
	}
	switch {
	case l.bug("late-extension-validity"):
		start = at
	case l.bug("adding-extension"):
		start = l.until
	case l.bug("no-extension-allowance"):
		start += l.allowance()
	}
	l.until = max(l.until, start+l.env.Lock.TTL-l.allowance())
	return nil
}

// Release implements Lease. It asks every node, whatever that one voted.
func (l *textbookLease) Release(ctx context.Context) error {
	return l.deleteAll(ctx, l.bug("blind-commands") || l.bug("blind-release"))
}

// deleteAll deletes the resource's keys that carry the token; all of them when blind.
func (l *textbookLease) deleteAll(ctx context.Context, blind bool) error {
	won, _ := l.ask(ctx, l.order(), func(ctx context.Context, c *redis.Client) ballot {
		if !blind && l.bug("split-release") && c.Get(ctx, l.resource).Val() != l.token {
			return refused
		}
		if blind || l.bug("split-release") {
			return ballotOf(c.Del(ctx, l.resource).Val() == 1, nil)
		}
		return ballotOf(deleteOwned(ctx, c, l.resource, l.token))
	})
	if !won {
		return lock.ErrNotHeld
	}
	return nil
}
