package scenarios_test

import (
	"context"
	"encoding/hex"
	"errors"
	"testing"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis"
	driver "github.com/go-redsync/redsync/v4/redis/goredis/v9"
	goredis "github.com/redis/go-redis/v9"

	"redlocklab/scenarios"
	"redlocklab/sim"
)

// t stands for what a test is given.
var t *testing.T

// redsync, as its own users make it, on the world's clients. It reads time.Now,
// which is the world's true time.
func ExampleTest_redsync() {
	scenarios.Test(t, scenarios.Candidate{
		Name: "redsync", Clock: sim.True, Abilities: scenarios.Abilities{Extends: true},
		New: func(e scenarios.Environment) (scenarios.Locker, error) {
			var pools []redis.Pool
			for _, client := range e.Redis {
				pools = append(pools, driver.NewPool(client))
			}
			return redsyncLock{e, redsync.New(pools...)}, nil
		},
	})
}

type redsyncLock struct {
	e    scenarios.Environment
	sync *redsync.Redsync
}

func (l redsyncLock) mutex(name string, tries int) *redsync.Mutex {
	return l.sync.NewMutex(name, redsync.WithExpiry(l.e.Lock.TTL), redsync.WithTries(tries),
		redsync.WithRetryDelay(l.e.Lock.Retry.Delay.High), redsync.WithTimeoutFactor(float64(l.e.Lock.NodeTimeout)/float64(l.e.Lock.TTL)))
}

func (l redsyncLock) TryLock(ctx context.Context, resource string) (scenarios.Lease, error) {
	m := l.mutex(resource, 1)
	if err := m.LockContext(ctx); err != nil {
		return nil, err
	}
	return redsyncLease{l.e, m}, nil
}

func (l redsyncLock) Lock(ctx context.Context, resource string) (scenarios.Lease, error) {
	return l.e.Retry(ctx, func() (scenarios.Lease, error) { return l.TryLock(ctx, resource) })
}

type redsyncLease struct {
	e scenarios.Environment
	m *redsync.Mutex
}

// Until is what redsync says, on the clock that it reads.
func (l redsyncLease) Until() time.Duration { return l.e.Reading(l.m.Until()) }

func (l redsyncLease) Extend(ctx context.Context) error {
	if ok, err := l.m.ExtendContext(ctx); !ok {
		return errors.Join(errors.New("not extended"), err)
	}
	return nil
}

func (l redsyncLease) Release(ctx context.Context) error {
	if ok, err := l.m.UnlockContext(ctx); !ok {
		return errors.Join(errors.New("not released"), err)
	}
	return nil
}

// redislock is a lock on one node that reports no end of its validity: the
// laboratory reads the call of the acquisition and the TTL.
func ExampleTest_redislock() {
	scenarios.Test(t, scenarios.Candidate{
		Name: "redislock", Clock: sim.True, Abilities: scenarios.Abilities{OneNode: true, Extends: true},
		New: func(e scenarios.Environment) (scenarios.Locker, error) {
			return redislockLock{e, redislock.New(e.Redis[0])}, nil
		},
	})
}

type redislockLock struct {
	e      scenarios.Environment
	client *redislock.Client
}

func (l redislockLock) TryLock(ctx context.Context, resource string) (scenarios.Lease, error) {
	lock, err := l.client.Obtain(ctx, resource, l.e.Lock.TTL, nil)
	if err != nil {
		return nil, err
	}
	return redislockLease{lock, l.e.Lock.TTL}, nil
}

func (l redislockLock) Lock(ctx context.Context, resource string) (scenarios.Lease, error) {
	return l.e.Retry(ctx, func() (scenarios.Lease, error) { return l.TryLock(ctx, resource) })
}

type redislockLease struct {
	*redislock.Lock
	ttl time.Duration
}

func (l redislockLease) Extend(ctx context.Context) error { return l.Refresh(ctx, l.ttl, nil) }

// The least that a lock needs: SET NX with a token of its own, a look at the clock,
// and a release that compares the token. WithUndecided names the stories of attempts that
// fail, which this lock's do not: they decide nothing about it.
func ExampleTest() {
	scenarios.Test(t, scenarios.Candidate{
		Clock: sim.Boottime, Abilities: scenarios.Abilities{OneNode: true},
		New: func(e scenarios.Environment) (scenarios.Locker, error) { return handWrittenLock{e}, nil },
	}, scenarios.WithBudget(20*time.Second), scenarios.WithUndecided("LV-7", "LV-7-healed", "LV-10", "LV-11-cancelled"))
}

var compareAndDelete = goredis.NewScript(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0`)

type handWrittenLock struct{ e scenarios.Environment }

func (l handWrittenLock) TryLock(ctx context.Context, resource string) (scenarios.Lease, error) {
	token := make([]byte, 16)
	if _, err := l.e.Random.Read(token); err != nil {
		return nil, err
	}
	ttl := l.e.Lock.TTL // 1 % and 2 ms of it are left for what the two clocks may err
	lease := handWrittenLease{l.e, resource, hex.EncodeToString(token), l.e.Now(sim.Boottime) + ttl - ttl/100 - 2*time.Millisecond}
	won, err := l.e.Redis[0].SetNX(ctx, resource, lease.token, ttl).Result()
	if won && l.e.Now(sim.Boottime) < lease.until {
		return lease, nil
	}
	if won || err != nil { // too late, or it may have been set all the same
		_ = lease.Release(context.WithoutCancel(ctx))
	}
	return nil, errors.Join(errors.New("not acquired"), err)
}

func (l handWrittenLock) Lock(ctx context.Context, resource string) (scenarios.Lease, error) {
	return l.e.Retry(ctx, func() (scenarios.Lease, error) { return l.TryLock(ctx, resource) })
}

type handWrittenLease struct {
	e               scenarios.Environment
	resource, token string
	until           time.Duration
}

// Until makes it a [scenarios.Reporter]: the end is on the clock that Candidate.Clock names.
func (l handWrittenLease) Until() time.Duration { return l.until }

func (l handWrittenLease) Release(ctx context.Context) error {
	deleted, err := compareAndDelete.Run(ctx, l.e.Redis[0], []string{l.resource}, l.token).Int()
	if err == nil && deleted != 1 {
		return errors.New("not held")
	}
	return err
}
