// go-zero's RedisLock, which makes its driver by itself: a hook dials.
package mylock

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"testing"
	"time"

	red "github.com/redis/go-redis/v9"
	"github.com/zeromicro/go-zero/core/logx"
	"github.com/zeromicro/go-zero/core/stores/redis"

	"redlocklab/scenarios"
	"redlocklab/sim"
)

func TestLock(t *testing.T) {
	logx.Disable()
	scenarios.Test(t, scenarios.Candidate{
		Name: "go-zero", Clock: sim.True, Abilities: scenarios.Abilities{OneNode: true, DriverRetries: true},
		New: func(e scenarios.Environment) (scenarios.Locker, error) {
			// go-zero keeps one client per address for the whole program: each has its port.
			store, err := redis.NewRedis(redis.RedisConf{
				Host: fmt.Sprintf("%s:%d", e.Nodes[0], clients.Add(1)%60_000+1), Type: "node", NonBlock: true,
			}, redis.WithHook(dialer{e}))
			return lock{e, store}, err
		},
	})
}

var clients atomic.Int64

// dialer is a hook of go-redis that dials in the environment.
type dialer struct{ e scenarios.Environment }

func (d dialer) DialHook(red.DialHook) red.DialHook {
	return func(ctx context.Context, network, _ string) (net.Conn, error) { return d.e.Dial(ctx, network, "n1") }
}

func (dialer) ProcessHook(next red.ProcessHook) red.ProcessHook { return next }

func (dialer) ProcessPipelineHook(next red.ProcessPipelineHook) red.ProcessPipelineHook { return next }

type lock struct {
	e     scenarios.Environment
	store *redis.Redis
}

func (l lock) TryLock(ctx context.Context, key string) (scenarios.Lease, error) {
	rl := redis.NewRedisLock(l.store, key)
	seconds := max(int(l.e.Lock.TTL/time.Second), 0) // go-zero adds half a second
	rl.SetExpire(seconds)
	ttl := time.Duration(seconds)*time.Second + 500*time.Millisecond
	until := l.e.Now(sim.True) + ttl - ttl/100 - 2*time.Millisecond
	won, err := rl.AcquireCtx(ctx)
	if err != nil || !won {
		return nil, errors.Join(errors.New("not acquired"), err)
	}
	got := lease{rl, until}
	if l.e.Now(sim.True) >= until {
		return nil, errors.Join(errors.New("too late"), got.Release(context.WithoutCancel(ctx)))
	}
	return got, nil
}

func (l lock) Lock(ctx context.Context, key string) (scenarios.Lease, error) {
	return l.e.Retry(ctx, func() (scenarios.Lease, error) { return l.TryLock(ctx, key) })
}

type lease struct {
	*redis.RedisLock
	until time.Duration
}

func (l lease) Until() time.Duration { return l.until }

func (l lease) Release(ctx context.Context) error {
	if ok, err := l.ReleaseCtx(ctx); !ok {
		return errors.Join(errors.New("not held"), err)
	}
	return nil
}
