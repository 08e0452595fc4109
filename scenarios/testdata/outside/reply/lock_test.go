// A lock on one node that counts its validity from the reply.
package mylock

import (
	"context"
	"encoding/hex"
	"errors"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/scenarios"
	"redlocklab/sim"
)

var compareAndDelete = redis.NewScript(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0`)

func TestLock(t *testing.T) {
	scenarios.Test(t, scenarios.Candidate{
		New:       func(e scenarios.Environment) (scenarios.Locker, error) { return lock{e}, nil },
		Clock:     sim.Boottime,
		Abilities: scenarios.Abilities{OneNode: true},
	})
}

type lock struct{ e scenarios.Environment }

type lease struct {
	e          scenarios.Environment
	key, token string
	until      time.Duration
}

func (l lock) TryLock(ctx context.Context, key string) (scenarios.Lease, error) {
	random := make([]byte, 16)
	_, _ = l.e.Random.Read(random)
	ttl := l.e.Lock.TTL
	got := lease{e: l.e, key: key, token: hex.EncodeToString(random)}
	won, err := l.e.Redis[0].SetNX(ctx, key, got.token, ttl).Result()
	if won {
		got.until = l.e.Now(sim.Boottime) + ttl - ttl/100 - 2*time.Millisecond // the mistake: it reads the clock now
		return got, nil
	}
	if err != nil {
		_ = got.Release(context.WithoutCancel(ctx)) // perhaps it was set
	}
	return nil, errors.Join(errors.New("not acquired"), err)
}

func (l lock) Lock(ctx context.Context, key string) (scenarios.Lease, error) {
	return l.e.Retry(ctx, func() (scenarios.Lease, error) { return l.TryLock(ctx, key) })
}

func (l lease) Until() time.Duration { return l.until }

func (l lease) Release(ctx context.Context) error {
	deleted, err := compareAndDelete.Run(ctx, l.e.Redis[0], []string{l.key}, l.token).Int()
	if err == nil && deleted != 1 {
		return errors.New("not held")
	}
	return err
}
