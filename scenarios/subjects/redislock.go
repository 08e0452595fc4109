package subjects

import (
	"context"
	"errors"
	"time"

	"github.com/bsm/redislock"

	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// SY-11, second library: bsm/redislock, unmodified, through its public API, on the go-redis
// client of the first node. It has no timeout but the caller's, reports no validity, and
// gives up at the first network error; where tries are unlimited, its caller here calls
// again. Without a deadline it retries for one TTL only, so its caller here sets one. It
// reads package time, which in the simulator is true time.

// The library's scripts, byte for byte; it does not export them.
const (
	redislockObtainSource = `
if redis.call("set", KEYS[1], ARGV[1], "NX", "PX", ARGV[3]) then return redis.status_reply("OK") end

local offset = tonumber(ARGV[2])
if redis.call("getrange", KEYS[1], 0, offset-1) == string.sub(ARGV[1], 1, offset) then return redis.call("set", KEYS[1], ARGV[1], "PX", ARGV[3]) end
`
	redislockRefreshSource = `if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("pexpire", KEYS[1], ARGV[2]) else return 0 end`
	redislockReleaseSource = `if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end`
)

func init() {
	lock.Register(plan.SubjectDeclaration{
		Name: "SY-11-redislock", Alias: "redislock", Doc: "bsm/redislock, unmodified; it reads the world's true time, and a pause acts where it touches the network",
		Options: []plan.OptionDeclaration{
			{Name: "metadata", Values: []string{"none", "client"}, Doc: "what follows the token in the key's value: nothing, or the client's name (Options.Metadata)"},
			retriesOption,
			driverOption,
		},
		Variants: []plan.Variant{
			{},
			{Label: "metadata", Options: []plan.Option{{Name: "metadata", Value: "client"}}},
			{Label: "trylock-loop", Options: []plan.Option{{Name: "retries", Value: "caller"}}},
		},
		Abilities: plan.Abilities{OneNode: true, Extends: true, Tokens: true, Commands: []string{"acquire", "release", "extend"}},
	}, lock.Implementation{
		Clock:           reads(sim.True),
		Allowance:       nothing,
		ReleaseConfirms: true,
		Errors: []lock.ErrorClass{
			{Err: redislock.ErrNotObtained, Class: "not held"}, // of a refresh; a lost attempt is contended
			{Err: redislock.ErrLockNotHeld, Class: "not held"},
		},
		Scripts: []sim.Script{
			{Name: "acquire", Source: redislockObtainSource, Native: nativeObtain},
			{Name: "extend", Source: redislockRefreshSource, Native: nativeCompareExpire},
			{Name: "release", Source: redislockReleaseSource, Native: nativeCompareDelete},
		},
		New: func(e lock.Environment) (lock.Locker, error) {
			return redislockSubject{e, redislock.New(e.Redis[0])}, nil
		},
	})
}

type redislockSubject struct {
	env    lock.Environment
	client *redislock.Client
}

// patience is the deadline of a caller that waits without limit.
const patience = 24 * time.Hour

// backoff is the scenario's retry delay as a redislock.RetryStrategy.
type backoff struct {
	env     lock.Environment
	left    int           // attempts after this one; negative: unlimited
	started time.Duration // when the last attempt began
}

// NextBackoff implements redislock.RetryStrategy: 0 ends the attempts.
func (b *backoff) NextBackoff() time.Duration {
	if b.left == 0 {
		return 0
	}
	b.left--
	delay := b.env.RetryDelay()
	b.started = b.env.Now(sim.True) + delay
	return delay
}

// TryLock implements Locker.
func (s redislockSubject) TryLock(ctx context.Context, resource string) (lock.Lease, error) {
	return s.obtain(ctx, resource, 1)
}

// Lock implements Locker.
func (s redislockSubject) Lock(ctx context.Context, resource string) (lock.Lease, error) {
	if retriedByCaller(s.env) {
		return s.env.Retry(ctx, func() (lock.Lease, error) { return s.TryLock(ctx, resource) })
	}
	if tries := s.env.Lock.Retry.Tries; tries > 0 {
		return s.obtain(ctx, resource, tries)
	}
	return s.env.Retry(ctx, func() (lock.Lease, error) { return s.obtain(ctx, resource, 0) })
}

// obtain makes at most so many attempts; 0: unlimited.
func (s redislockSubject) obtain(ctx context.Context, resource string, tries int) (lock.Lease, error) {
	strategy := &backoff{env: s.env, left: tries - 1, started: s.env.Now(sim.True)}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	options := &redislock.Options{RetryStrategy: strategy, Token: s.env.Token}
	if s.env.Option("metadata", "none") == "client" {
		options.Metadata = "/client-" + s.env.Client
	}
	held, err := s.client.Obtain(ctx, resource, s.env.Lock.TTL, options)
	switch {
	case errors.Is(err, redislock.ErrNotObtained):
		return nil, errors.Join(lock.ErrContended, err)
	case err != nil:
		return nil, err
	}
	return redislockLease{held, begun{strategy.started}, s.env.Lock.TTL}, nil
}

type redislockLease struct {
	*redislock.Lock
	begun
	ttl time.Duration
}

// Extend implements Extender.
func (l redislockLease) Extend(ctx context.Context) error { return l.Refresh(ctx, l.ttl, nil) }
