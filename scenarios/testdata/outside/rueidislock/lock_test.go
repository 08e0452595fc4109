// rueidislock, whose driver dials by itself and whose lease is a context.
package mylock

import (
	"context"
	"crypto/tls"
	"net"
	"testing"

	"github.com/redis/rueidis"
	"github.com/redis/rueidis/rueidislock"

	"redlocklab/scenarios"
	"redlocklab/sim"
)

func TestLock(t *testing.T) {
	scenarios.Test(t, scenarios.Candidate{
		Name: "rueidislock", Clock: sim.True,
		Abilities: scenarios.Abilities{OneNode: true, Watchdog: true, WritesDates: true},
		New: func(e scenarios.Environment) (scenarios.Locker, error) {
			locker, err := rueidislock.NewLocker(rueidislock.LockerOption{
				KeyValidity: e.Lock.TTL, TryNextAfter: e.Lock.NodeTimeout, KeyMajority: 1,
				ClientOption: rueidis.ClientOption{
					InitAddress: []string{e.Nodes[0] + ":6379"}, AlwaysRESP2: true,
					DisableCache: true, ForceSingleClient: true, DisableRetry: true,
					DialCtxFn: func(
						ctx context.Context, address string, d *net.Dialer, _ *tls.Config,
					) (net.Conn, error) {
						ctx, cancel := context.WithTimeout(ctx, d.Timeout) // without it a lost connect waits for ever
						defer cancel()
						return e.Dial(ctx, "tcp", address)
					},
				},
			})
			if err != nil {
				return nil, err
			}
			e.OnEnd(locker.Close)
			return lock{e, locker}, nil
		},
	})
}

type lock struct {
	e scenarios.Environment
	l rueidislock.Locker
}

// TryLock unbinds the lease from the context of the call, which ends when it returns.
func (l lock) TryLock(ctx context.Context, name string) (scenarios.Lease, error) {
	waiting, stop := context.WithCancel(context.WithoutCancel(ctx))
	unbind := context.AfterFunc(ctx, stop)
	held, release, err := l.l.TryWithContext(waiting, name)
	unbind()
	if err != nil {
		stop()
		return nil, err
	}
	return scenarios.ContextLease(held, func() { release(); stop() }), nil
}

func (l lock) Lock(ctx context.Context, name string) (scenarios.Lease, error) {
	return l.e.Retry(ctx, func() (scenarios.Lease, error) { return l.TryLock(ctx, name) })
}
