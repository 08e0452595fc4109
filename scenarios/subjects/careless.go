package subjects

import (
	"context"

	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
)

// SY-2 and SY-3 are SY-1 with a release that does not compare and delete in one step
// (sources D, S, G). SY-2 deletes without comparing. SY-3 compares first, and the key may
// have another owner by the time that its DEL arrives.

func init() {
	declareCareless("SY-2", "setnx-del", "one instance: SET NX PX, released with a plain DEL", []string{"SET", "DEL"},
		func(ctx context.Context, s *single, resource, _ string) error {
			return s.node.Del(ctx, resource).Err()
		})
	declareCareless("SY-3", "get-del", "one instance: SET NX PX, released with GET, a comparison, DEL", []string{"SET", "GET", "DEL"},
		func(ctx context.Context, s *single, resource, token string) error {
			value, err := s.node.Get(ctx, resource).Result()
			switch {
			case err != nil:
				return err
			case value != token:
				return lock.ErrNotHeld
			}
			return s.node.Del(ctx, resource).Err()
		})
}

func declareCareless(name, alias, doc string, commands []string, release func(ctx context.Context, s *single, resource, token string) error) {
	lock.Register(plan.SubjectDeclaration{
		Name: name, Alias: alias, Doc: doc, Options: []plan.OptionDeclaration{driverOption},
		Abilities: plan.Abilities{OneNode: true, Commands: commands},
	}, lock.Implementation{New: func(e lock.Environment) (lock.Locker, error) { return newSingle(e, release), nil }})
}
