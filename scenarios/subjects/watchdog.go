package subjects

import (
	"context"
	"sync"

	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// SY-7 is the Go article's mutex (source G) on one instance: SET NX PX, a watchdog that
// sets the key's TTL again after every third of it, and a release that compares and deletes
// in a script and then stops the watchdog. The watchdog renews the key without comparing
// its value. It ends at the first renewal that fails or finds no key.

func init() {
	lock.Register(plan.SubjectDeclaration{
		Name: "SY-7", Alias: "watchdog-mutex", Doc: "one instance: the Go article's mutex, renewed by a watchdog every third of the TTL",
		Options:   []plan.OptionDeclaration{driverOption},
		Abilities: plan.Abilities{OneNode: true, Watchdog: true, Commands: []string{"SET", "PEXPIRE", "release"}},
	}, lock.Implementation{
		ReleaseConfirms: true, Scripts: []sim.Script{releaseScript},
		New: func(e lock.Environment) (lock.Locker, error) {
			return watchdogMutex{newSingle(e, releaseByScript)}, nil
		},
	})
}

type watchdogMutex struct{ *single }

// TryLock implements Locker.
func (m watchdogMutex) TryLock(ctx context.Context, resource string) (lock.Lease, error) {
	lease, err := m.single.TryLock(ctx, resource)
	if err != nil {
		return nil, err
	}
	l := &watchdogLease{singleLease: lease.(*singleLease), stop: make(chan struct{})}
	m.env.OnEnd(l.end)
	go l.watch()
	return l, nil
}

// Lock implements Locker.
func (m watchdogMutex) Lock(ctx context.Context, resource string) (lock.Lease, error) {
	return m.env.Retry(ctx, func() (lock.Lease, error) { return m.TryLock(ctx, resource) })
}

type watchdogLease struct {
	*singleLease
	renewalListener
	stop chan struct{}
	once sync.Once
}

func closed(channel <-chan struct{}) bool {
	select {
	case <-channel:
		return true
	default:
		return false
	}
}

func (l *watchdogLease) end() { l.once.Do(func() { close(l.stop) }) }

func (l *watchdogLease) watch() {
	every := l.env.Lock.TTL / 3
	timer := l.env.NewTimer(every)
	defer timer.Stop()
	for !closed(l.stop) { // a select would choose by chance when the timer, too, is ready
		select {
		case <-timer.C():
		case <-l.stop:
			return
		}
		timer.Reset(every)
		start := l.env.Now(sim.Boottime)
		ctx, cancel := context.WithTimeout(context.Background(), l.env.Lock.TTL-every)
		renewed, err := l.node.PExpire(ctx, l.resource, l.env.Lock.TTL).Result()
		cancel()
		if err != nil || !renewed {
			return
		}
		l.renewed(start + l.env.Lock.TTL)
	}
}

// Release implements Lease.
func (l *watchdogLease) Release(ctx context.Context) error {
	defer l.end()
	return l.singleLease.Release(ctx)
}
