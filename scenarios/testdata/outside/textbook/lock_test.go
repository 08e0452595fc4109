// A textbook Redlock on go-redis: what the page on redis.io says, and no more.
package mylock

import (
	"context"
	"encoding/hex"
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/scenarios"
	"redlocklab/sim"
)

var (
	compareAndDelete = redis.NewScript(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0`)
	compareAndExpire = redis.NewScript(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("pexpire", KEYS[1], ARGV[2]) end return 0`)
)

func TestLock(t *testing.T) {
	scenarios.Test(t, scenarios.Candidate{
		New:       func(e scenarios.Environment) (scenarios.Locker, error) { return newRedlock(e), nil },
		Clock:     sim.Boottime,
		Abilities: scenarios.Abilities{Extends: true, WritesDates: dates},
	})
}

// dates: keys end at a time of day (PXAT) instead of after a TTL. The wall clocks of clients
// and nodes must then agree: A-WALL.
// split is a planted bug: a release reads the key with one command, and deletes it with the next.
// leaves is a planted bug: a release tells one node fewer than it should.
// escapes is a planted bug: with seven nodes, a goroutine of the whole program confirms releases.
var dates, split, escapes = os.Getenv("PLANTED") == "dates", os.Getenv("PLANTED") == "split", os.Getenv("PLANTED") == "escapes"

var leaves = os.Getenv("PLANTED") == "leaves"

var confirmations = make(chan chan bool)

func confirm() {
	for c := range confirmations {
		c <- true
	}
}

func init() { go confirm() }

type redlock struct {
	e       scenarios.Environment
	running *sync.WaitGroup
}

func newRedlock(e scenarios.Environment) redlock {
	l := redlock{e, &sync.WaitGroup{}}
	e.OnEnd(l.running.Wait)
	return l
}

// ask sends a command to all nodes at once, and reports whether a majority said yes.
func (l redlock) ask(ctx context.Context, command func(context.Context, *redis.Client) (yes bool, err error)) bool {
	answers := make(chan bool, len(l.e.Redis))
	for _, node := range l.e.Redis {
		l.running.Go(func() {
			ctx, cancel := l.e.NodeContext(ctx) // the node's timeout; a caller that gives up does not end it
			defer cancel()
			yes, err := command(ctx, node)
			answers <- yes && err == nil
		})
	}
	yes, no, quorum := 0, 0, len(l.e.Redis)/2+1
	for yes < quorum && no <= len(l.e.Redis)-quorum {
		if <-answers {
			yes++
		} else {
			no++
		}
	}
	return yes >= quorum
}

func (l redlock) TryLock(ctx context.Context, key string) (scenarios.Lease, error) {
	random := make([]byte, 16)
	_, _ = l.e.Random.Read(random)
	got := &lease{redlock: l, key: key, token: hex.EncodeToString(random), until: l.end()}
	won := l.ask(ctx, func(ctx context.Context, node *redis.Client) (bool, error) {
		if dates { // a time of day instead of a TTL
			err := node.Do(ctx, "SET", key, got.token, "NX", "PXAT", l.e.Date().Add(l.e.Lock.TTL).UnixMilli()).Err()
			return err == nil, err
		}
		return node.SetNX(ctx, key, got.token, l.e.Lock.TTL).Result()
	})
	if won && ctx.Err() == nil && l.e.Now(sim.Boottime) < got.until {
		return got, nil
	}
	_ = got.Release(ctx)
	return nil, errors.New("not acquired")
}

func (l redlock) Lock(ctx context.Context, key string) (scenarios.Lease, error) {
	return l.e.Retry(ctx, func() (scenarios.Lease, error) { return l.TryLock(ctx, key) })
}

// end is how long a key that is set now may be relied on: 1 % and 2 ms are left for clocks,
// and with times of day what wall clocks may differ by, and the part of a millisecond.
func (l redlock) end() time.Duration {
	until := l.e.Now(sim.Boottime) + l.e.Lock.TTL - l.e.Lock.TTL/100 - 2*time.Millisecond
	if dates {
		until -= l.e.Lock.WallError + time.Millisecond
	}
	return until
}

type lease struct {
	redlock
	key, token string
	until      time.Duration
}

func (l *lease) Until() time.Duration { return l.until }

func (l *lease) Extend(ctx context.Context) error {
	until := l.end()
	if l.changed(ctx, compareAndExpire, l.token, l.e.Lock.TTL.Milliseconds()) && l.e.Now(sim.Boottime) < l.until {
		l.until = until
		return nil
	}
	return errors.New("not extended")
}

func (l *lease) Release(ctx context.Context) error {
	if escapes && len(l.e.Redis) == 7 {
		c := make(chan bool)
		confirmations <- c
		<-c
	}
	if l.changed(ctx, compareAndDelete, l.token) {
		return nil
	}
	return errors.New("not released")
}

func (l *lease) changed(ctx context.Context, script *redis.Script, arguments ...any) bool {
	return l.ask(ctx, func(ctx context.Context, node *redis.Client) (bool, error) {
		if leaves && script == compareAndDelete && node == l.e.Redis[len(l.e.Redis)-1] {
			return true, nil
		}
		if split && script == compareAndDelete && node.Get(ctx, l.key).Val() == l.token {
			return node.Del(ctx, l.key).Val() == 1, nil
		}
		n, err := script.Run(ctx, node, []string{l.key}, arguments...).Int()
		return n == 1, err
	})
}
