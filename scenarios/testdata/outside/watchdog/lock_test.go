// A right watchdog lock: Redlock, whose leases a goroutine renews by a script of its own until
// their release.
package mylock

import (
	"context"
	"encoding/hex"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/scenarios"
	"redlocklab/sim"
)

var (
	take  = redis.NewScript(`return redis.call("set", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) and 1 or 0`)
	renew = redis.NewScript(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("pexpire", KEYS[1], ARGV[2]) end return 0`)
	leave = redis.NewScript(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0`)
)

func TestLock(t *testing.T) {
	scenarios.Test(t, scenarios.Candidate{
		Name: "watchdog", Clock: sim.Boottime, Abilities: scenarios.Abilities{Watchdog: true},
		New: func(e scenarios.Environment) (scenarios.Locker, error) {
			l := locker{e, &sync.WaitGroup{}, make(chan struct{})}
			e.OnEnd(func() { close(l.over); l.running.Wait() })
			return l, nil
		},
	})
}

type locker struct {
	e       scenarios.Environment
	running *sync.WaitGroup
	over    chan struct{} // closed when the run is over
}

// ask runs a script on all nodes at once, and reports whether a majority answered 1.
func (l locker) ask(ctx context.Context, script *redis.Script, key string, arguments ...any) bool {
	answers := make(chan bool, len(l.e.Redis))
	for _, node := range l.e.Redis {
		l.running.Go(func() {
			ctx, cancel := l.e.NodeContext(ctx)
			defer cancel()
			n, err := script.Run(ctx, node, []string{key}, arguments...).Int()
			answers <- n == 1 && err == nil
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

func (l locker) TryLock(ctx context.Context, key string) (scenarios.Lease, error) {
	random := make([]byte, 16)
	_, _ = l.e.Random.Read(random)
	got := &lease{
		locker: l, key: key, token: hex.EncodeToString(random), until: l.end(),
		stop: make(chan struct{}), stopped: make(chan struct{}),
	}
	won := l.ask(ctx, take, key, got.token, l.e.Lock.TTL.Milliseconds())
	if won && ctx.Err() == nil && l.e.Now(sim.Boottime) < got.until {
		l.running.Go(got.watch)
		return got, nil
	}
	l.ask(ctx, leave, key, got.token)
	return nil, errors.New("not acquired")
}

func (l locker) Lock(ctx context.Context, key string) (scenarios.Lease, error) {
	return l.e.Retry(ctx, func() (scenarios.Lease, error) { return l.TryLock(ctx, key) })
}

func (l locker) end() time.Duration {
	return l.e.Now(sim.Boottime) + l.e.Lock.TTL - l.e.Lock.TTL/100 - 2*time.Millisecond
}

type lease struct {
	locker
	key, token    string
	stop, stopped chan struct{}

	mu      sync.Mutex
	until   time.Duration
	renewed func(until time.Duration)
}

func (l *lease) Until() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.until
}

func (l *lease) OnRenewal(f func(until time.Duration)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.renewed = f
}

// watch renews the lease thrice a TTL. A renewal counts only while the lease has not ended.
func (l *lease) watch() {
	defer close(l.stopped)
	for l.e.Now(sim.Boottime) < l.Until() {
		timer := l.e.NewTimer(l.e.Lock.TTL / 3)
		select {
		case <-timer.C():
		case <-l.stop:
			timer.Stop()
			return
		case <-l.over:
			return
		}
		until := l.end()
		renewed := l.ask(context.Background(), renew, l.key, l.token, l.e.Lock.TTL.Milliseconds())
		if !renewed || l.e.Now(sim.Boottime) >= l.Until() {
			continue
		}
		l.mu.Lock()
		l.until = until
		f := l.renewed
		l.mu.Unlock()
		if f != nil {
			f(until)
		}
	}
}

func (l *lease) Release(ctx context.Context) error {
	close(l.stop)
	<-l.stopped
	if l.ask(ctx, leave, l.key, l.token) {
		return nil
	}
	return errors.New("not released")
}
