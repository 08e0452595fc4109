package scenarios_test

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"testing"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis"
	driver "github.com/go-redsync/redsync/v4/redis/goredis/v9"
	goredis "github.com/redis/go-redis/v9"

	"redlocklab/scenarios"
	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// t stands for what a test is given.
var t *testing.T

// redsync, as its own users make it, on the world's clients. It reads time.Now,
// which is the world's true time.
func ExampleTest_redsync() {
	scenarios.Test(t, scenarios.Candidate{
		Name: "redsync", Clock: sim.True, Abilities: plan.Abilities{Extends: true},
		New: func(e lock.Environment) (lock.Locker, error) {
			var pools []redis.Pool
			for _, client := range e.Redis {
				pools = append(pools, driver.NewPool(client))
			}
			return redsyncLock{e, redsync.New(pools...)}, nil
		},
	})
}

type redsyncLock struct {
	e    lock.Environment
	sync *redsync.Redsync
}

func (l redsyncLock) mutex(name string, tries int) *redsync.Mutex {
	return l.sync.NewMutex(name, redsync.WithExpiry(l.e.Lock.TTL), redsync.WithTries(tries),
		redsync.WithRetryDelay(l.e.Lock.Retry.Delay.High),
		redsync.WithTimeoutFactor(float64(l.e.Lock.NodeTimeout)/float64(l.e.Lock.TTL)))
}

func (l redsyncLock) TryLock(ctx context.Context, resource string) (lock.Lease, error) {
	m := l.mutex(resource, 1)
	if err := m.LockContext(ctx); err != nil {
		return nil, err
	}
	return redsyncLease{l.e, m}, nil
}

func (l redsyncLock) Lock(ctx context.Context, resource string) (lock.Lease, error) {
	return l.e.Retry(ctx, func() (lock.Lease, error) { return l.TryLock(ctx, resource) })
}

type redsyncLease struct {
	e lock.Environment
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

// redislock is a lock on one node that reports no end of its validity. So its
// users take one for it: the TTL from before the call, without what two clocks may
// err. What the suite still finds (MX-8, MX-11) is about extensions and lost answers.
func ExampleTest_redislock() {
	scenarios.Test(t, scenarios.Candidate{
		Name: "redislock", Clock: sim.True, Abilities: plan.Abilities{OneNode: true, Extends: true},
		New: func(e lock.Environment) (lock.Locker, error) {
			return redislockLock{e, redislock.New(e.Redis[0])}, nil
		},
	})
}

type redislockLock struct {
	e      lock.Environment
	client *redislock.Client
}

func (l redislockLock) TryLock(ctx context.Context, resource string) (lock.Lease, error) {
	until := l.end()
	lock, err := l.client.Obtain(ctx, resource, l.e.Lock.TTL, nil)
	if err != nil {
		return nil, err
	}
	return &redislockLease{l, lock, until}, nil
}

// end is how long a key that is set now may be relied on.
func (l redislockLock) end() time.Duration {
	return l.e.Now(sim.True) + l.e.Lock.TTL - l.e.Lock.TTL/100 - 2*time.Millisecond
}

func (l redislockLock) Lock(ctx context.Context, resource string) (lock.Lease, error) {
	return l.e.Retry(ctx, func() (lock.Lease, error) { return l.TryLock(ctx, resource) })
}

type redislockLease struct {
	redislockLock
	lock  *redislock.Lock
	until time.Duration
}

func (l *redislockLease) Until() time.Duration { return l.until }

func (l *redislockLease) Extend(ctx context.Context) error {
	until := l.end()
	err := l.lock.Refresh(ctx, l.e.Lock.TTL, nil)
	if err == nil {
		l.until = until
	}
	return err
}

func (l *redislockLease) Release(ctx context.Context) error { return l.lock.Release(ctx) }

// The least that a lock needs: SET NX with a token of its own, a look at the clock,
// and a release that compares the token. WithUndecided names the stories of attempts that
// fail, which this lock's do not: they decide nothing about it.
func ExampleTest() {
	scenarios.Test(t, scenarios.Candidate{
		Clock: sim.Boottime, Abilities: plan.Abilities{OneNode: true},
		New: func(e lock.Environment) (lock.Locker, error) { return handWrittenLock{e}, nil },
	}, scenarios.WithBudget(20*time.Second), scenarios.WithUndecided("LV-7", "LV-7-healed", "LV-10", "LV-11-cancelled"))
}

// A driver other than go-redis gets its connections from Dial, which knows the
// nodes by name. Here the lock's SET goes by such a driver: two lines of the protocol.
func ExampleEnvironment_Dial() {
	scenarios.Test(t, scenarios.Candidate{
		Clock: sim.Boottime, Abilities: plan.Abilities{OneNode: true},
		New: func(e lock.Environment) (lock.Locker, error) { return wireLock{handWrittenLock{e}}, nil },
	})
}

type wireLock struct{ handWrittenLock }

func (l wireLock) Lock(ctx context.Context, resource string) (lock.Lease, error) {
	return l.e.Retry(ctx, func() (lock.Lease, error) { return l.TryLock(ctx, resource) })
}

func (l wireLock) TryLock(ctx context.Context, resource string) (lock.Lease, error) {
	lease, err := l.newLease(resource)
	if err != nil {
		return nil, err
	}
	answer, err := l.ask(ctx, "SET", resource, lease.token, "NX", "PX", strconv.FormatInt(l.e.Lock.TTL.Milliseconds(), 10))
	return l.decide(ctx, lease, answer == "+OK\r\n", err)
}

// ask sends one command to the first node and returns the first line of the answer.
func (l wireLock) ask(ctx context.Context, words ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, l.e.Lock.NodeTimeout)
	defer cancel()
	conn, err := l.e.Dial(ctx, "tcp", l.e.Nodes[0])
	if err != nil {
		return "", err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(l.e.Lock.NodeTimeout))
	request := fmt.Sprintf("*%d\r\n", len(words))
	for _, word := range words {
		request += fmt.Sprintf("$%d\r\n%s\r\n", len(word), word)
	}
	if _, err := io.WriteString(conn, request); err != nil {
		return "", err
	}
	return bufio.NewReader(conn).ReadString('\n')
}

var compareAndDelete = goredis.NewScript(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0`)

type handWrittenLock struct{ e lock.Environment }

func (l handWrittenLock) TryLock(ctx context.Context, resource string) (lock.Lease, error) {
	lease, err := l.newLease(resource)
	if err != nil {
		return nil, err
	}
	won, err := l.e.Redis[0].SetNX(ctx, resource, lease.token, l.e.Lock.TTL).Result()
	return l.decide(ctx, lease, won, err)
}

// newLease is what an attempt that begins now may win.
func (l handWrittenLock) newLease(resource string) (handWrittenLease, error) {
	token := make([]byte, 16)
	_, err := l.e.Random.Read(token)
	ttl := l.e.Lock.TTL // 1 % and 2 ms of it are left for what the two clocks may err
	return handWrittenLease{
		l.e, resource, hex.EncodeToString(token), l.e.Now(sim.Boottime) + ttl - ttl/100 - 2*time.Millisecond,
	}, err
}

// decide says what has come of an attempt.
func (l handWrittenLock) decide(ctx context.Context, lease handWrittenLease, won bool, err error) (lock.Lease, error) {
	if won && l.e.Now(sim.Boottime) < lease.until {
		return lease, nil
	}
	if won || err != nil { // too late, or it may have been set all the same
		_ = lease.Release(context.WithoutCancel(ctx))
	}
	return nil, errors.Join(errors.New("not acquired"), err)
}

func (l handWrittenLock) Lock(ctx context.Context, resource string) (lock.Lease, error) {
	return l.e.Retry(ctx, func() (lock.Lease, error) { return l.TryLock(ctx, resource) })
}

type handWrittenLease struct {
	e               lock.Environment
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
