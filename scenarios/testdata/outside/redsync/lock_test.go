// redsync with WithSetNXOnExtend.
package mylock

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis"
	driver "github.com/go-redsync/redsync/v4/redis/goredis/v9"

	"redlocklab/scenarios"
	"redlocklab/sim"
)

func TestLock(t *testing.T) {
	scenarios.Test(t, scenarios.Candidate{
		Name: "redsync", Clock: sim.True, Abilities: scenarios.Abilities{Extends: true, Tokens: true, ShortTTLs: true},
		New: func(e scenarios.Environment) (scenarios.Locker, error) {
			var pools []redis.Pool
			for _, client := range e.Redis {
				pools = append(pools, driver.NewPool(client))
			}
			return lock{e, redsync.New(pools...)}, nil
		},
	})
}

type lock struct {
	e    scenarios.Environment
	sync *redsync.Redsync
}

func (l lock) TryLock(ctx context.Context, name string) (scenarios.Lease, error) {
	options := []redsync.Option{
		redsync.WithExpiry(l.e.Lock.TTL), redsync.WithTries(1), redsync.WithSetNXOnExtend(),
		redsync.WithTimeoutFactor(float64(l.e.Lock.NodeTimeout) / float64(l.e.Lock.TTL)),
	}
	if l.e.Token != "" {
		options = append(options, redsync.WithGenValueFunc(func() (string, error) { return l.e.Token, nil }))
	}
	m := l.sync.NewMutex(name, options...)
	if err := m.LockContext(ctx); err != nil {
		return nil, err
	}
	return lease{l.e, m}, nil
}

func (l lock) Lock(ctx context.Context, name string) (scenarios.Lease, error) {
	return l.e.Retry(ctx, func() (scenarios.Lease, error) { return l.TryLock(ctx, name) })
}

type lease struct {
	e scenarios.Environment
	m *redsync.Mutex
}

func (l lease) Until() time.Duration { return l.e.Reading(l.m.Until()) }
func (l lease) Token() string        { return l.m.Value() }

func (l lease) Extend(ctx context.Context) error {
	if ok, err := l.m.ExtendContext(ctx); !ok {
		return errors.Join(errors.New("not extended"), err)
	}
	return nil
}

func (l lease) Release(ctx context.Context) error {
	if ok, err := l.m.UnlockContext(ctx); !ok {
		return errors.Join(errors.New("not released"), err)
	}
	return nil
}
