package scenarios

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"
)

// SY-6 is StackExchange.Redis' LockTake and LockRelease (source X) on one
// instance: SET NX PX with a value that the caller chooses, and a release that deletes the key only
// when it carries that value: WATCH, a look, and MULTI DEL EXEC, which does
// nothing when the key was touched since; or the script that stands beside it. The sample gives every
// thread of a machine one and the same value (token=shared).

func init() {
	DeclareSubject(SubjectDeclaration{
		Name: "SY-6", Alias: "lock-take", Doc: "one instance: LockTake and LockRelease, with WATCH and MULTI or with a script",
		Options: []OptionDeclaration{
			{"release", []string{"transaction", "script"}, "whether the release is WATCH, GET, MULTI, DEL, EXEC, or a script"},
			{"token", []string{"unique", "shared"}, "whether every attempt has its own token, or all have the sample's one"},
			driverOption,
		},
		Variants: []Variant{
			{Label: "transaction", Options: []Option{{Name: "release", Value: "transaction"}}},
			{Label: "script", Options: []Option{{Name: "release", Value: "script"}}},
		},
		Abilities: Abilities{OneNode: true, Commands: []string{"SET", "WATCH", "GET", "MULTI", "DEL", "EXEC", "UNWATCH", "release"}},
	})
	implement("SY-6", implementation{
		ReleaseConfirms: true, Scripts: textbookScripts[:1],
		New: func(e Environment) (Locker, error) {
			release := releaseByTransaction
			if e.Option("release", "transaction") == "script" {
				release = releaseByScript
			}
			s := newSingle(e, release)
			if e.Option("token", "unique") == "shared" {
				s.token = func() string { return "the-same-value-for-all" }
			}
			return s, nil
		},
	})
}

// releaseByTransaction deletes the key if nobody touches it between the look and the EXEC.
func releaseByTransaction(ctx context.Context, s *single, resource, token string) error {
	err := s.node.Watch(ctx, func(tx *redis.Tx) error {
		value, err := tx.Get(ctx, resource).Result()
		switch {
		case errors.Is(err, redis.Nil) || err == nil && value != token:
			return ErrNotHeld
		case err != nil:
			return err
		}
		_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error { return p.Del(ctx, resource).Err() })
		return err
	}, resource)
	if errors.Is(err, redis.TxFailedErr) {
		return errors.Join(ErrNotHeld, err)
	}
	return err
}
