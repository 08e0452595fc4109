package scenarios

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// probe plays one run without faults and compares what the lock does with what its candidate
// states. A lock whose leases report nothing, and that names no clock, is read in true time.
func (s *suiteTest) probe() error {
	i := slices.IndexFunc(s.suite, func(x *plan.Scenario) bool {
		return len(x.Faults) == 0 && x.Nodes.Count > 1 && s.candidate.notApplicable(x) == ""
	})
	if i < 0 {
		return nil
	}
	var seen leaseKinds
	watched := s.candidate
	watched.New = func(e lock.Environment) (lock.Locker, error) {
		made, err := s.candidate.New(e)
		if err != nil || made == nil {
			return made, err
		}
		return watchedLocker{made, &seen}, nil
	}
	other := &suiteTest{candidate: watched, ticks: s.ticks}
	r, err := other.play(watched.in(s.suite[i]), s.first)
	if err != nil || seen.leases == 0 {
		return nil // the subtests will say so
	}
	nodes := map[string]bool{}
	for j := range r.Events {
		if e := &r.Events[j]; e.Kind == sim.Send && e.Node != "" {
			nodes[e.Node] = true
		}
	}
	if len(nodes) == 1 && !s.candidate.Abilities.OneNode {
		return fmt.Errorf("scenarios: this lock got its leases from one node of %d; if it is a lock on one node, say so: scenarios.Candidate{…, Abilities: scenarios.Abilities{OneNode: true}}", s.suite[i].Nodes.Count)
	}
	if seen.extenders > 0 && !s.candidate.Abilities.Extends {
		s.hints = append(s.hints, "its leases are Extenders, and Abilities.Extends is not stated: no scenario with an extension was played")
	}
	if s.candidate.Clock == "" && seen.reporters == 0 {
		s.candidate.Clock = sim.True
	}
	return nil
}

// leaseKinds counts leases by what they offer.
type leaseKinds struct {
	mu                           sync.Mutex
	leases, extenders, reporters int
}

func (k *leaseKinds) add(got lock.Lease, err error) (lock.Lease, error) {
	if err != nil {
		return got, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.leases++
	if _, ok := got.(lock.Extender); ok {
		k.extenders++
	}
	_, reports := got.(lock.Reporter)
	_, starts := got.(lock.Started)
	if reports || starts {
		k.reporters++
	}
	return got, nil
}

// watchedLocker counts the leases of a lock.
type watchedLocker struct {
	lock.Locker
	seen *leaseKinds
}

func (w watchedLocker) TryLock(ctx context.Context, resource string) (lock.Lease, error) {
	return w.seen.add(w.Locker.TryLock(ctx, resource))
}

func (w watchedLocker) Lock(ctx context.Context, resource string) (lock.Lease, error) {
	return w.seen.add(w.Locker.Lock(ctx, resource))
}
