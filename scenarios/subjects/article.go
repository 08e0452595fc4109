package subjects

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// SY-8 is the Go article's RedLock as written (source G): SET NX PX on all nodes
// at once, won with more than half. It differs from SY-0 in this:
//   - It waits for all nodes, each for as long as the driver does. Afterwards it reads no
//     clock and takes nothing off the validity.
//   - It releases only on the nodes that granted the key, and does not wait for the
//     answers, neither after a failed attempt nor in a release.
//   - Every grant starts a watchdog, also in an attempt that then fails. A watchdog renews
//     on all nodes that granted the lock last, without comparing the value. All watchdogs
//     share one stop channel, which each of them replaces when it starts. So a release
//     stops the last one at once, and the others only after one more renewal.
//
// Each call has an articleLock of its own, for all its attempts.

func init() {
	lock.Register(plan.SubjectDeclaration{
		Name: "SY-8", Alias: "article-redlock", Doc: "the Go article's RedLock as written",
		Options:   []plan.OptionDeclaration{driverOption},
		Abilities: plan.Abilities{Watchdog: true, Commands: []string{"SET", "PEXPIRE", "release"}},
	}, lock.Implementation{
		Scripts: []sim.Script{releaseScript},
		New: func(e lock.Environment) (lock.Locker, error) {
			a := &articleLocker{env: e, ended: make(chan struct{})}
			e.OnEnd(func() { close(a.ended) })
			return a, nil
		},
	})
}

type articleLocker struct {
	env   lock.Environment
	ended chan struct{} // closed at the end of the run
}

// articleLock is the article's object. The mutex is ours: the article has data races.
type articleLock struct {
	*articleLocker
	resource string

	mu      sync.Mutex
	token   string
	granted []*redis.Client
	stop    chan struct{}
	lease   *articleLease
}

// TryLock implements Locker.
func (a *articleLocker) TryLock(ctx context.Context, resource string) (lock.Lease, error) {
	return (&articleLock{articleLocker: a, resource: resource}).try(ctx)
}

// Lock implements Locker.
func (a *articleLocker) Lock(ctx context.Context, resource string) (lock.Lease, error) {
	l := &articleLock{articleLocker: a, resource: resource}
	return a.env.Retry(ctx, func() (lock.Lease, error) { return l.try(ctx) })
}

func (l *articleLock) try(ctx context.Context) (lock.Lease, error) {
	token, started := randomToken(l.env.Random), l.env.Now(sim.Boottime)
	granted := make([]*redis.Client, len(l.env.Redis))
	var group sync.WaitGroup
	for i, client := range l.env.Redis {
		group.Go(func() {
			if won, err := client.SetNX(ctx, l.resource, token, l.env.Lock.TTL).Result(); err == nil && won {
				granted[i] = client
				go l.watch()
			}
		})
	}
	group.Wait()
	granted = slices.DeleteFunc(granted, func(client *redis.Client) bool { return client == nil })
	if len(granted) < len(l.env.Redis)/2+1 {
		l.release(granted, token)
		return nil, lock.ErrContended
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.token, l.granted = token, granted
	l.lease = &articleLease{lock: l, tokened: tokened{token}, begun: begun{started}}
	return l.lease, nil
}

// release deletes the keys that carry the token, and does not wait for the answers.
func (l *articleLock) release(clients []*redis.Client, token string) {
	for _, client := range clients {
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), l.env.Lock.TTL)
			defer cancel()
			_, _ = deleteOwned(ctx, client, l.resource, token) // as written: the answer is ignored
		}()
	}
}

// watch is the watchdog of one node that granted the key.
func (l *articleLock) watch() {
	l.mu.Lock()
	l.stop = make(chan struct{})
	stop := l.stop
	l.mu.Unlock()
	every := l.env.Lock.TTL / 3
	timer := l.env.NewTimer(every)
	defer timer.Stop()
	for !closed(stop) && !closed(l.ended) { // see watchdogLease.watch
		select {
		case <-timer.C():
		case <-stop:
			return
		case <-l.ended:
			return
		}
		timer.Reset(every)
		l.mu.Lock()
		granted, lease := l.granted, l.lease
		stop = l.stop
		l.mu.Unlock()
		go l.renew(granted, lease, l.env.Lock.TTL-every)
	}
}

// renew sets the keys' TTL again. The laboratory takes the lease as renewed when a
// majority of all nodes did that.
func (l *articleLock) renew(granted []*redis.Client, lease *articleLease, within time.Duration) {
	start := l.env.Now(sim.Boottime)
	answers := make(chan bool, len(granted))
	for _, client := range granted {
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), within)
			defer cancel()
			answers <- client.PExpire(ctx, l.resource, l.env.Lock.TTL).Val()
		}()
	}
	votes := 0
	for range granted {
		if <-answers {
			votes++
		}
		if votes == len(l.env.Redis)/2+1 {
			lease.renewed(start + l.env.Lock.TTL)
			return
		}
	}
}

type articleLease struct {
	renewalListener
	tokened
	begun
	lock *articleLock
}

// Release implements Lease.
func (l *articleLease) Release(context.Context) error {
	l.lock.mu.Lock()
	defer l.lock.mu.Unlock()
	l.lock.release(l.lock.granted, l.lock.token)
	close(l.lock.stop)
	return nil
}
