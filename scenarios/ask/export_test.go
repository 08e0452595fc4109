package ask

import (
	"context"

	"redlocklab/scenarios/plan"
)

// Examine is a check of one setup in place of a drawn one.
func (a *Asker) Examine(ctx context.Context, s Setup, q Question, number int) (Case, error) {
	return a.examine(ctx, s, q, number, &draws{seed: uint64(number), of: "check"})
}

// Scenario is the question's story in its first variant.
func (q *Question) Scenario(s *Setup, x int64) (*plan.Scenario, error) {
	return q.scenario(s, q.corners(s)[0], x)
}

// ChangeKeys are the keys of all changes.
func ChangeKeys() (keys []string) {
	for _, a := range advices {
		keys = append(keys, a.Key)
	}
	return keys
}
