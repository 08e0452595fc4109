package subjects

import (
	"context"
	"sync/atomic"

	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// Subjects with bugs that the machinery around the runs must detect. No report shows them.

func init() {
	for _, planted := range []struct {
		name, doc string
		try       func(*textbook, context.Context, string) (lock.Lease, error)
	}{
		{"canary", "planted bug: asks the nodes in the order in which Go ranges a map; doctor must call it not deterministic", canaryTry},
		{"spinner", "planted bug: never rests; its run must be killed from outside and be inconclusive", spinnerTry},
		{"waiter", "planted bug: waits for what nobody sends; its run must end at its bound", waiterTry},
	} {
		lock.Register(plan.SubjectDeclaration{Name: planted.name, Doc: planted.doc, Planted: true}, lock.Implementation{
			Clock:   reads(sim.Boottime),
			Scripts: textbookScripts,
			New: func(e lock.Environment) (lock.Locker, error) {
				locker, err := newTextbook(e)
				if err != nil {
					return nil, err
				}
				return plantedLocker{locker.(*textbook), planted.try}, nil
			},
		})
	}
}

type plantedLocker struct {
	*textbook
	try func(*textbook, context.Context, string) (lock.Lease, error)
}

// TryLock implements Locker.
func (p plantedLocker) TryLock(ctx context.Context, resource string) (lock.Lease, error) {
	return p.try(p.textbook, ctx, resource)
}

// Lock implements Locker.
func (p plantedLocker) Lock(ctx context.Context, resource string) (lock.Lease, error) {
	return p.try(p.textbook, ctx, resource)
}

func canaryTry(t *textbook, ctx context.Context, resource string) (lock.Lease, error) {
	set := map[int]bool{}
	for i := range t.env.Redis {
		set[i] = true
	}
	for i := range set { // the planted bug
		_ = t.env.Redis[i].Exists(ctx, resource).Err()
	}
	return t.TryLock(ctx, resource)
}

var spun atomic.Uint64

func spinnerTry(*textbook, context.Context, string) (lock.Lease, error) {
	for {
		spun.Add(1) // the planted bug
	}
}

func waiterTry(*textbook, context.Context, string) (lock.Lease, error) {
	<-make(chan struct{}) // the planted bug
	return nil, nil
}
