package subjects

import (
	"context"
	"encoding/hex"
	"errors"
	"io"

	"github.com/redis/go-redis/v9"

	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// SY-1 is a lock on one instance: SET key value NX PX ttl with a random value, a release
// that compares the value in a script, a retry after a random delay (sources D, S, G). It
// reads no clock. The laboratory takes its lease to end one TTL after the start of the
// attempt, with nothing taken off for clock errors. Other locks on one instance build on it.
//
// SY-2 and SY-3 are SY-1 with a release that does not compare and delete in one step
// (sources D, S, G). SY-2 deletes without comparing. SY-3 compares first, and the key may
// have another owner by the time that its DEL arrives.

func init() {
	for _, s := range []struct {
		name, alias, doc string
		commands         []string
		release          releaser
	}{
		{"SY-1", "single", "one instance: SET NX PX, a script that compares and deletes, a retry loop", []string{"SET", "release"}, releaseByScript},
		{"SY-2", "setnx-del", "one instance: SET NX PX, released with a plain DEL", []string{"SET", "DEL"}, releaseByDelete},
		{"SY-3", "get-del", "one instance: SET NX PX, released with GET, a comparison, DEL", []string{"SET", "GET", "DEL"}, releaseByTwoCommands},
	} {
		implementation := lock.Implementation{
			New: func(e lock.Environment) (lock.Locker, error) { return newSingle(e, s.release), nil },
		}
		if s.name == "SY-1" {
			implementation.ReleaseConfirms, implementation.Scripts = true, []sim.Script{releaseScript}
			implementation.Allowance = nothing
		}
		lock.Register(plan.SubjectDeclaration{
			Name: s.name, Alias: s.alias, Doc: s.doc, Options: []plan.OptionDeclaration{driverOption},
			Abilities: plan.Abilities{OneNode: true, Commands: s.commands},
		}, implementation)
	}
}

// releaser deletes the key of a resource on the node of a single.
type releaser func(ctx context.Context, s *single, resource, token string) error

// single is a lock on the first node.
type single struct {
	env      lock.Environment
	node     *redis.Client
	release  releaser
	newToken func() string
}

func newSingle(e lock.Environment, release releaser) *single {
	return &single{env: e, node: e.Redis[0], release: release, newToken: func() string { return randomToken(e.Random) }}
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
	token, started := s.newToken(), s.env.Now(sim.Boottime)
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
	return &singleLease{s, tokened{token}, begun{started}, resource}, nil
}

// Lock implements Locker.
func (s *single) Lock(ctx context.Context, resource string) (lock.Lease, error) {
	return s.env.Retry(ctx, func() (lock.Lease, error) { return s.TryLock(ctx, resource) })
}

type singleLease struct {
	*single
	tokened
	begun
	resource string
}

// Release implements Lease.
func (l *singleLease) Release(ctx context.Context) error {
	within, cancel := l.env.NodeContext(ctx)
	defer cancel()
	return l.release(within, l.single, l.resource, l.token)
}

// releaseByScript compares and deletes in one step.
func releaseByScript(ctx context.Context, s *single, resource, token string) error {
	deleted, err := deleteOwned(ctx, s.node, resource, token)
	if err == nil && !deleted {
		return lock.ErrNotHeld
	}
	return err
}

func releaseByDelete(ctx context.Context, s *single, resource, _ string) error {
	return s.node.Del(ctx, resource).Err()
}

func releaseByTwoCommands(ctx context.Context, s *single, resource, token string) error {
	value, err := s.node.Get(ctx, resource).Result()
	switch {
	case err != nil:
		return err
	case value != token:
		return lock.ErrNotHeld
	}
	return s.node.Del(ctx, resource).Err()
}
