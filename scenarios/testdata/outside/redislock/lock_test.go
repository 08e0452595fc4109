// bsm/redislock with tokens of the caller's choice, worker-1, worker-12, worker-123, and with
// metadata behind them in the value.
package mylock

import (
	"context"
	"testing"
	"time"

	"github.com/bsm/redislock"

	"redlocklab/scenarios"
	"redlocklab/sim"
)

func TestLock(t *testing.T) {
	scenarios.Test(t, scenarios.Candidate{
		Name: "redislock", Clock: sim.True,
		Abilities: scenarios.Abilities{OneNode: true, Extends: true, Tokens: true},
		New: func(e scenarios.Environment) (scenarios.Locker, error) {
			return lock{e, redislock.New(e.Redis[0])}, nil
		},
	})
}

type lock struct {
	e      scenarios.Environment
	client *redislock.Client
}

func (l lock) token() string {
	if l.e.Token != "" {
		return l.e.Token
	}
	return "worker-123456789"[:8+int(l.e.Client[0]-'A')%7] // A is worker-1, B is worker-12, …
}

func (l lock) TryLock(ctx context.Context, resource string) (scenarios.Lease, error) {
	until := l.end()
	got, err := l.client.Obtain(ctx, resource, l.e.Lock.TTL,
		&redislock.Options{Token: l.token(), Metadata: "/" + l.e.Client})
	if err != nil {
		return nil, err
	}
	return &lease{l, got, until}, nil
}

func (l lock) Lock(ctx context.Context, resource string) (scenarios.Lease, error) {
	return l.e.Retry(ctx, func() (scenarios.Lease, error) { return l.TryLock(ctx, resource) })
}

// end is how long a key that is set now may be relied on.
func (l lock) end() time.Duration {
	return l.e.Now(sim.True) + l.e.Lock.TTL - l.e.Lock.TTL/100 - 2*time.Millisecond
}

type lease struct {
	lock
	held  *redislock.Lock
	until time.Duration
}

func (l *lease) Until() time.Duration { return l.until }
func (l *lease) Token() string        { return l.held.Token() }

func (l *lease) Extend(ctx context.Context) error {
	until := l.end()
	err := l.held.Refresh(ctx, l.e.Lock.TTL, nil)
	if err == nil {
		l.until = until
	}
	return err
}

func (l *lease) Release(ctx context.Context) error { return l.held.Release(ctx) }
