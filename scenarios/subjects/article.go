package subjects

import (
	"context"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// SY-8 is the Go article's RedLock as written (source G): SET NX PX on all nodes
// at once, won with more than half. What it does not do, or does otherwise:
//   - it waits for all nodes, each for as long as the driver does, looks at no clock afterwards, and takes nothing off the validity;
//   - it releases only on the nodes that said yes, and does not wait for that, neither after a
//     lost attempt nor in a release;
//   - every yes starts a watchdog, also in an attempt that is then lost. A watchdog renews on all nodes that the lock
//     was last won on, without comparing the value. All of them share one channel that says
//     stop, and each makes it anew: a release stops the last one at once, the others only after one more renewal.
//
// Every call has an object of its own, with all of its attempts.

func init() {
	lock.Register(plan.SubjectDeclaration{
		Name: "SY-8", Alias: "article-redlock", Doc: "the Go article's RedLock as written",
		Options:   []plan.OptionDeclaration{driverOption},
		Abilities: plan.Abilities{Watchdog: true, Commands: []string{"SET", "PEXPIRE", "release"}},
	}, lock.Implementation{
		Scripts: textbookScripts[:1],
		New: func(e lock.Environment) (lock.Locker, error) {
			a := &articleLocker{env: e, over: make(chan struct{})}
			e.OnEnd(func() { close(a.over) })
			return a, nil
		},
	})
}

type articleLocker struct {
	env  lock.Environment
	over chan struct{} // the run is
}

// articleLock is the article's object. Its memory is guarded here, which it is not there.
type articleLock struct {
	env      lock.Environment
	resource string
	over     chan struct{}

	mu       sync.Mutex
	token    string
	won      []*redis.Client
	watchdog chan struct{}
	lease    *articleLease
}

// TryLock implements Locker.
func (a *articleLocker) TryLock(ctx context.Context, resource string) (lock.Lease, error) {
	return a.lock(resource).try(ctx)
}

func (a *articleLocker) lock(resource string) *articleLock {
	return &articleLock{env: a.env, resource: resource, over: a.over}
}

// Lock implements Locker.
func (a *articleLocker) Lock(ctx context.Context, resource string) (lock.Lease, error) {
	l := a.lock(resource)
	return a.env.RetryAfter(ctx, a.env.RetryDelay, func() (lock.Lease, error) { return l.try(ctx) })
}

func (l *articleLock) try(ctx context.Context) (lock.Lease, error) {
	token, started := randomToken(l.env.Random), l.env.Now(sim.Boottime)
	yes := make([]bool, len(l.env.Redis))
	var group sync.WaitGroup
	for i, client := range l.env.Redis {
		group.Go(func() {
			if won, err := client.SetNX(ctx, l.resource, token, l.env.Lock.TTL).Result(); err == nil && won {
				yes[i] = true
				go l.watch()
			}
		})
	}
	group.Wait()
	var won []*redis.Client
	for i, client := range l.env.Redis {
		if yes[i] {
			won = append(won, client)
		}
	}
	if len(won) < len(l.env.Redis)/2+1 {
		l.release(won, token)
		return nil, lock.ErrContended
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.token, l.won = token, won
	l.lease = &articleLease{lock: l, token: token, started: started}
	return l.lease, nil
}

// release deletes the keys that carry the token on some nodes, and does not wait for it.
func (l *articleLock) release(clients []*redis.Client, token string) {
	for _, client := range clients {
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), l.env.Lock.TTL)
			defer cancel()
			_ = compareDelete.Run(ctx, client, []string{l.resource}, token).Err() // nobody asks
		}()
	}
}

// watch is the watchdog of one node that said yes.
func (l *articleLock) watch() {
	l.mu.Lock()
	l.watchdog = make(chan struct{})
	stop := l.watchdog
	l.mu.Unlock()
	every := l.env.Lock.TTL / 3
	timer := l.env.NewTimer(every)
	defer timer.Stop()
	for {
		select {
		case <-timer.C():
		case <-stop:
			return
		case <-l.over:
			return
		}
		timer.Reset(every)
		l.mu.Lock()
		won, lease := l.won, l.lease
		stop = l.watchdog
		l.mu.Unlock()
		go l.renew(won, lease, l.env.Lock.TTL-every)
	}
}

// renew sets the TTL anew on all nodes. The laboratory reads that the lease goes on when a majority of all did.
func (l *articleLock) renew(won []*redis.Client, lease *articleLease, within time.Duration) {
	start := l.env.Now(sim.Boottime)
	answers := make(chan bool, len(won))
	for _, client := range won {
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), within)
			defer cancel()
			answers <- client.PExpire(ctx, l.resource, l.env.Lock.TTL).Val()
		}()
	}
	votes := 0
	for range won {
		if <-answers {
			votes++
		}
		if votes == len(l.env.Redis)/2+1 {
			lease.tell(start + l.env.Lock.TTL)
			return
		}
	}
}

type articleLease struct {
	told
	lock    *articleLock
	token   string
	started time.Duration
}

// Token implements Tokened.
func (l *articleLease) Token() string { return l.token }

// Started implements Started.
func (l *articleLease) Started() time.Duration { return l.started }

// Extend implements Lease.
func (l *articleLease) Extend(context.Context) error { return lock.ErrNoExtension }

// Release implements Lease.
func (l *articleLease) Release(context.Context) error {
	lock := l.lock
	lock.mu.Lock()
	defer lock.mu.Unlock()
	lock.release(lock.won, lock.token)
	close(lock.watchdog)
	return nil
}
