package subjects

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"

	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// SY-6 is StackExchange.Redis' LockTake and LockRelease (source X) on one instance: SET NX
// PX with a value that the caller chooses, and a release that deletes the key only if it
// carries that value. The release is a transaction (WATCH, GET, MULTI, DEL, EXEC), which
// does nothing if the key was changed after the WATCH, or a script. The sample gives all
// threads of a machine one value (token=shared).

func init() {
	lock.Register(plan.SubjectDeclaration{
		Name: "SY-6", Alias: "lock-take",
		Doc: "one instance: LockTake and LockRelease, with WATCH and MULTI or with a script",
		Options: []plan.OptionDeclaration{
			{Name: "release", Values: []string{"transaction", "script"},
				Doc: "whether the release is WATCH, GET, MULTI, DEL, EXEC, or a script"},
			{Name: "token", Values: []string{"unique", "shared"},
				Doc: "whether every attempt has its own token, or all have the sample's one"},
			driverOption,
		},
		Variants: []plan.Variant{
			{Label: "transaction", Options: []plan.Option{{Name: "release", Value: "transaction"}}},
			{Label: "script", Options: []plan.Option{{Name: "release", Value: "script"}}},
		},
		Abilities: plan.Abilities{
			OneNode: true, Commands: []string{"SET", "WATCH", "GET", "MULTI", "DEL", "EXEC", "UNWATCH", "release"},
		},
	}, lock.Implementation{
		ReleaseConfirms: true, Scripts: []sim.Script{releaseScript},
		New: func(e lock.Environment) (lock.Locker, error) {
			release := releaseByTransaction
			if e.Option("release", "transaction") == "script" {
				release = releaseByScript
			}
			s := newSingle(e, release)
			if e.Option("token", "unique") == "shared" {
				s.newToken = func() string { return sharedToken }
			}
			return s, nil
		},
	})
}

// releaseByTransaction deletes the key if nobody changes it between WATCH and EXEC.
func releaseByTransaction(ctx context.Context, s *single, resource, token string) error {
	err := s.node.Watch(ctx, func(tx *redis.Tx) error {
		value, err := tx.Get(ctx, resource).Result()
		switch {
		case errors.Is(err, redis.Nil) || err == nil && value != token:
			return lock.ErrNotHeld
		case err != nil:
			return err
		}
		_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error { return p.Del(ctx, resource).Err() })
		return err
	}, resource)
	if errors.Is(err, redis.TxFailedErr) {
		return errors.Join(lock.ErrNotHeld, err)
	}
	return err
}
