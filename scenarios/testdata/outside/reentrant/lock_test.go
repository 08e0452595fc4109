// A right lock on one node that its holder may take again: a hash counts how often.
// counter is a planted bug: a renewal looks for its holder's count, and renews the lock's key
// without a look at whose it is. The two differ when one of the two keys is lost.
package mylock

import (
	"context"
	"encoding/hex"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/scenarios"
	"redlocklab/sim"
)

// KEYS are the lock and the counts by token; ARGV the token and the TTL.
var (
	take = redis.NewScript(`
		local holder = redis.call("get", KEYS[1])
		if holder and holder ~= ARGV[1] then return 0 end
		redis.call("set", KEYS[1], ARGV[1], "PX", ARGV[2])
		redis.call("hincrby", KEYS[2], ARGV[1], 1)
		redis.call("pexpire", KEYS[2], ARGV[2])
		return 1`)
	renew = redis.NewScript(`
		if redis.call("get", KEYS[1]) ~= ARGV[1] then return 0 end
		redis.call("pexpire", KEYS[2], ARGV[2])
		return redis.call("pexpire", KEYS[1], ARGV[2])`)
	renewCounted = redis.NewScript(`
		if redis.call("hexists", KEYS[2], ARGV[1]) == 0 then return 0 end
		redis.call("pexpire", KEYS[2], ARGV[2])
		return redis.call("pexpire", KEYS[1], ARGV[2])`)
	give = redis.NewScript(`
		if redis.call("hincrby", KEYS[2], ARGV[1], -1) > 0 then return 1 end
		redis.call("hdel", KEYS[2], ARGV[1])
		if redis.call("get", KEYS[1]) ~= ARGV[1] then return 0 end
		return redis.call("del", KEYS[1])`)
)

func TestLock(t *testing.T) {
	if os.Getenv("PLANTED") == "counter" {
		renew = renewCounted
	}
	scenarios.Test(t, scenarios.Candidate{
		Name: "reentrant", Clock: sim.Boottime, Abilities: scenarios.Abilities{OneNode: true, Extends: true},
		New: func(e scenarios.Environment) (scenarios.Locker, error) { return locker{e}, nil },
	})
}

type locker struct{ e scenarios.Environment }

type lease struct {
	e          scenarios.Environment
	key, token string
	until      time.Duration
}

func (l *lease) run(ctx context.Context, script *redis.Script, arguments ...any) bool {
	ctx, cancel := l.e.NodeContext(ctx)
	defer cancel()
	n, err := script.Run(ctx, l.e.Redis[0], []string{l.key, l.key + ":counts"}, append([]any{l.token}, arguments...)...).Int()
	return n == 1 && err == nil
}

// confirmed runs a script that gives the lock a full TTL.
func (l *lease) confirmed(ctx context.Context, script *redis.Script, before time.Duration) bool {
	ttl := l.e.Lock.TTL
	until := l.e.Now(sim.Boottime) + ttl - ttl/100 - 2*time.Millisecond
	ran := l.run(ctx, script, ttl.Milliseconds())
	if now := l.e.Now(sim.Boottime); !ran || ctx.Err() != nil || now >= until || now >= before {
		return false
	}
	l.until = until
	return true
}

func (l locker) TryLock(ctx context.Context, key string) (scenarios.Lease, error) {
	random := make([]byte, 16)
	_, _ = l.e.Random.Read(random)
	got := &lease{e: l.e, key: key, token: hex.EncodeToString(random)}
	if got.confirmed(ctx, take, 1<<62) {
		return got, nil
	}
	got.run(context.WithoutCancel(ctx), give)
	return nil, errors.New("not acquired")
}

func (l locker) Lock(ctx context.Context, key string) (scenarios.Lease, error) {
	return l.e.Retry(ctx, func() (scenarios.Lease, error) { return l.TryLock(ctx, key) })
}

func (l *lease) Until() time.Duration { return l.until }

func (l *lease) Extend(ctx context.Context) error {
	if l.confirmed(ctx, renew, l.until) {
		return nil
	}
	return errors.New("not extended")
}

func (l *lease) Release(ctx context.Context) error {
	if l.run(ctx, give) {
		return nil
	}
	return errors.New("not released")
}
