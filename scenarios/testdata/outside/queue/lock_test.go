// A right lock on one node that serves its clients in the order in which they asked. Whoever
// waits keeps a key alive; without it, it loses its place in the queue.
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

// take: KEYS are the lock, the queue and the waiter's own key; ARGV the token, the TTL, how long
// a place in the queue is kept, and what the waiters' keys begin with.
var take = redis.NewScript(`
	local head = redis.call("lindex", KEYS[2], 0)
	while head and head ~= ARGV[1] and redis.call("exists", ARGV[4] .. head) == 0 do
		redis.call("lpop", KEYS[2])
		head = redis.call("lindex", KEYS[2], 0)
	end
	local holder = redis.call("get", KEYS[1])
	if holder == ARGV[1] or not holder and (not head or head == ARGV[1]) then
		redis.call("lrem", KEYS[2], 0, ARGV[1])
		redis.call("del", KEYS[3])
		redis.call("set", KEYS[1], ARGV[1], "PX", ARGV[2])
		return 1
	end
	if redis.call("set", KEYS[3], "waits", "NX", "PX", ARGV[3]) then
		redis.call("lrem", KEYS[2], 0, ARGV[1])
		redis.call("rpush", KEYS[2], ARGV[1])
	end
	redis.call("pexpire", KEYS[3], ARGV[3])
	redis.call("pexpire", KEYS[2], ARGV[2])
	return 0`)

// leave gives up the lock or the place in the queue.
var leave = redis.NewScript(`
	redis.call("lrem", KEYS[2], 0, ARGV[1])
	redis.call("del", KEYS[3])
	if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end
	return 0`)

func TestLock(t *testing.T) {
	scenarios.Test(t, scenarios.Candidate{
		Name: "queue", Clock: sim.Boottime, Abilities: scenarios.Abilities{OneNode: true},
		New: func(e scenarios.Environment) (scenarios.Locker, error) { return locker{e}, nil },
	})
}

type locker struct{ e scenarios.Environment }

// place is one client's wish for a lock, and its lease when it is granted.
type place struct {
	locker
	key, token string
	until      time.Duration
}

func (l locker) place(key string) *place {
	random := make([]byte, 16)
	_, _ = l.e.Random.Read(random)
	return &place{locker: l, key: key, token: hex.EncodeToString(random)}
}

func (p *place) run(ctx context.Context, script *redis.Script, arguments ...any) bool {
	ctx, cancel := p.e.NodeContext(ctx)
	defer cancel()
	waiting := p.key + ":waits:"
	n, err := script.Run(ctx, p.e.Redis[0], []string{p.key, p.key + ":queue", waiting + p.token},
		append([]any{p.token}, append(arguments, waiting)...)...).Int()
	return n == 1 && err == nil
}

// ask asks once. Asking again after a lost answer is harmless: the holder gets its lock anew.
func (p *place) ask(ctx context.Context) (scenarios.Lease, error) {
	l := p.e.Lock
	p.until = p.e.Now(sim.Boottime) + l.TTL - l.TTL/100 - 2*time.Millisecond
	keep := l.NodeTimeout + l.Retry.Delay.High + 50*time.Millisecond
	taken := p.run(ctx, take, l.TTL.Milliseconds(), keep.Milliseconds())
	if taken && ctx.Err() == nil && p.e.Now(sim.Boottime) < p.until {
		return p, nil
	}
	return nil, errors.New("not acquired")
}

func (l locker) TryLock(ctx context.Context, key string) (scenarios.Lease, error) {
	p := l.place(key)
	return p.orLeave(ctx, func() (scenarios.Lease, error) { return p.ask(ctx) })
}

func (l locker) Lock(ctx context.Context, key string) (scenarios.Lease, error) {
	p := l.place(key)
	return p.orLeave(ctx, func() (scenarios.Lease, error) {
		return l.e.Retry(ctx, func() (scenarios.Lease, error) { return p.ask(ctx) })
	})
}

func (p *place) orLeave(ctx context.Context, ask func() (scenarios.Lease, error)) (scenarios.Lease, error) {
	got, err := ask()
	if err != nil {
		p.run(ctx, leave)
	}
	return got, err
}

func (p *place) Until() time.Duration { return p.until }

func (p *place) Release(ctx context.Context) error {
	if p.run(ctx, leave) {
		return nil
	}
	return errors.New("not released")
}
