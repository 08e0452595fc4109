package subjects

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/go-redsync/redsync/v4"
	redsyncredis "github.com/go-redsync/redsync/v4/redis"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"

	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// SY-11, first library: go-redsync/redsync v4, unmodified, through its public API. Each
// acquisition has a mutex of its own, as its documentation shows. The mutex gets the
// scenario's TTL, retry delay and per-node timeout, and has defaults for everything else.
// It reads package time, which in the simulator is true time.

// The library's scripts, byte for byte; it does not export them.
const (
	redsyncReleaseSource = `
	local val = redis.call("GET", KEYS[1])
	if val == ARGV[1] then
		return redis.call("DEL", KEYS[1])
	elseif val == false then
		return -1
	else
		return 0
	end
`
	redsyncExtendSource = `
	if redis.call("GET", KEYS[1]) == ARGV[1] then
		return redis.call("PEXPIRE", KEYS[1], ARGV[2])
	else
		return 0
	end
`
	redsyncExtendOrSetSource = `
	if redis.call("GET", KEYS[1]) == ARGV[1] then
		return redis.call("PEXPIRE", KEYS[1], ARGV[2])
	elseif redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2], "NX") then
		return 1
	else
		return 0
	end
`
)

func init() {
	lock.Register(plan.SubjectDeclaration{
		Name: "SY-11-redsync", Alias: "redsync", Doc: "go-redsync/redsync v4, unmodified; it reads the world's true time, and a pause acts where it touches the network",
		Options: []plan.OptionDeclaration{
			{Name: "fail_fast", Values: []string{"false", "true"}, Doc: "whether it returns at the deciding answer (WithFailFast)"},
			{Name: "set_nx_on_extend", Values: []string{"false", "true"}, Doc: "whether an extension sets keys that are gone (WithSetNXOnExtend)"},
			retriesOption,
			driverOption,
			driftOption,
		},
		Variants: []plan.Variant{
			{},
			{Label: "fail-fast", Options: []plan.Option{{Name: "fail_fast", Value: "true"}}},
			{Label: "set-nx-on-extend", Options: []plan.Option{{Name: "set_nx_on_extend", Value: "true"}}},
			{Label: "trylock-loop", Options: []plan.Option{{Name: "retries", Value: "caller"}}},
		},
		Abilities: plan.Abilities{Extends: true, Tokens: true, ShortTTLs: true, Commands: []string{"SET", "release", "extend"}},
	}, lock.Implementation{
		Clock:           reads(sim.True),
		Allowance:       drift,
		ReleaseConfirms: true,
		Scripts: []sim.Script{
			{Name: "release", Source: redsyncReleaseSource, Native: nativeCompareDeleteOrMissing},
			{Name: "extend", Source: redsyncExtendSource, Native: nativeCompareExpire},
			{Name: "extend_or_set", Source: redsyncExtendOrSetSource},
		},
		New: newRedsync,
	})
}

type redsyncSubject struct {
	env     lock.Environment
	redsync *redsync.Redsync
}

func newRedsync(e lock.Environment) (lock.Locker, error) {
	pools := make([]redsyncredis.Pool, len(e.Redis))
	for i, client := range e.Redis {
		pools[i] = goredis.NewPool(client)
	}
	return &redsyncSubject{e, redsync.New(pools...)}, nil
}

// mutex makes a mutex with at most so many attempts; 0: unlimited.
func (s *redsyncSubject) mutex(resource string, tries int) *redsync.Mutex {
	if tries == 0 {
		tries = math.MaxInt32
	}
	options := []redsync.Option{
		redsync.WithExpiry(s.env.Lock.TTL),
		redsync.WithTries(tries),
		redsync.WithRetryDelayFunc(func(int) time.Duration { return s.env.RetryDelay() }), // its default draws from math/rand
		redsync.WithTimeoutFactor(float64(s.env.Lock.NodeTimeout) / float64(s.env.Lock.TTL)),
		redsync.WithDriftFactor(float64(driftPPM(s.env.Option)) / 1e6),
		redsync.WithFailFast(s.env.Option("fail_fast", "false") == "true"),
	}
	if s.env.Option("set_nx_on_extend", "false") == "true" {
		options = append(options, redsync.WithSetNXOnExtend())
	}
	if s.env.Token != "" {
		options = append(options, redsync.WithGenValueFunc(func() (string, error) { return s.env.Token, nil }))
	}
	return s.redsync.NewMutex(resource, options...)
}

// TryLock implements Locker.
func (s *redsyncSubject) TryLock(ctx context.Context, resource string) (lock.Lease, error) {
	m := s.mutex(resource, 1)
	return s.lease(m, m.TryLockContext(ctx))
}

// Lock implements Locker.
func (s *redsyncSubject) Lock(ctx context.Context, resource string) (lock.Lease, error) {
	if retriedByCaller(s.env) {
		return s.env.Retry(ctx, func() (lock.Lease, error) { return s.TryLock(ctx, resource) })
	}
	m := s.mutex(resource, s.env.Lock.Retry.Tries)
	return s.lease(m, m.LockContext(ctx))
}

func (s *redsyncSubject) lease(m *redsync.Mutex, err error) (lock.Lease, error) {
	var taken *redsync.ErrTaken
	switch {
	case err == nil:
		return &redsyncLease{mutex: m, env: s.env}, nil
	case errors.As(err, &taken), errors.Is(err, redsync.ErrFailed):
		return nil, errors.Join(lock.ErrContended, err)
	}
	return nil, err
}

type redsyncLease struct {
	mutex *redsync.Mutex
	env   lock.Environment

	until   time.Time
	reading time.Duration // of until
}

// Until implements Reporter. It reads the clock once for each end of the validity: on real
// servers a second reading differs by the time between two looks at the clock, which would
// look as if a failed extension had moved the end.
func (l *redsyncLease) Until() time.Duration {
	if until := l.mutex.Until(); !until.Equal(l.until) {
		l.until, l.reading = until, l.env.Reading(until)
	}
	return l.reading
}

// Token implements Tokened.
func (l *redsyncLease) Token() string { return l.mutex.Value() }

// Extend implements Extender.
func (l *redsyncLease) Extend(ctx context.Context) error { return held(l.mutex.ExtendContext(ctx)) }

// Release implements Lease.
func (l *redsyncLease) Release(ctx context.Context) error { return held(l.mutex.UnlockContext(ctx)) }

// held is the error of a call that changes a lock if it is still held.
func held(ok bool, err error) error {
	if ok {
		return nil
	}
	return errors.Join(lock.ErrNotHeld, err)
}
