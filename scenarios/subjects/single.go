package subjects

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// SY-1 is a lock on one instance: SET key value NX PX ttl with a random value, a release
// that compares the value in a script, a retry after a random delay (sources D, S, G). It
// reads no clock. The laboratory takes its lease to end one TTL after the start of the
// attempt, with nothing taken off for clock errors. Other locks on one instance build on it.

func init() {
	lock.Register(plan.SubjectDeclaration{
		Name: "SY-1", Alias: "single", Doc: "one instance: SET NX PX, a script that compares and deletes, a retry loop",
		Options:   []plan.OptionDeclaration{driverOption},
		Abilities: plan.Abilities{OneNode: true, Commands: []string{"SET", "release"}},
	}, lock.Implementation{
		ReleaseConfirms: true, Scripts: []sim.Script{releaseScript},
		New: func(e lock.Environment) (lock.Locker, error) { return newSingle(e, releaseByScript), nil },
	})
}

// single is a lock on the first node.
type single struct {
	env     lock.Environment
	node    *redis.Client
	release func(ctx context.Context, s *single, resource, token string) error
	token   func() string
}

func newSingle(e lock.Environment, release func(context.Context, *single, string, string) error) *single {
	return &single{env: e, node: e.Redis[0], release: release, token: func() string { return randomToken(e.Random) }}
}

// sharedToken is the token of locks whose clients have one token in common.
const sharedToken = "the-same-value-for-all"

// randomToken is 20 random bytes in hexadecimal, as the distlock page proposes.
func randomToken(random io.Reader) string {
	b := make([]byte, 20)
	_, _ = io.ReadFull(random, b) // the world's reader never fails
	return hex.EncodeToString(b)
}

// TryLock implements Locker.
func (s *single) TryLock(ctx context.Context, resource string) (lock.Lease, error) {
	token, started := s.token(), s.env.Now(sim.Boottime)
	within, cancel := s.env.NodeContext(ctx)
	defer cancel()
	err := s.node.SetArgs(within, resource, token, redis.SetArgs{Mode: "NX", TTL: s.env.Lock.TTL}).Err()
	switch {
	case errors.Is(err, redis.Nil):
		return nil, lock.ErrContended
	case err != nil:
		return nil, err
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	return &singleLease{s, resource, token, started}, nil
}

// Lock implements Locker.
func (s *single) Lock(ctx context.Context, resource string) (lock.Lease, error) {
	return s.env.Retry(ctx, func() (lock.Lease, error) { return s.TryLock(ctx, resource) })
}

type singleLease struct {
	*single
	resource, value string
	started         time.Duration
}

// Started implements Started.
func (l *singleLease) Started() time.Duration { return l.started }

// Token implements Tokened.
func (l *singleLease) Token() string { return l.value }

// Release implements Lease.
func (l *singleLease) Release(ctx context.Context) error {
	within, cancel := l.env.NodeContext(ctx)
	defer cancel()
	return l.release(within, l.single, l.resource, l.value)
}

// releaseByScript compares and deletes in one step.
func releaseByScript(ctx context.Context, s *single, resource, token string) error {
	deleted, err := deleteOwned(ctx, s.node, resource, token)
	if err == nil && !deleted {
		return lock.ErrNotHeld
	}
	return err
}
