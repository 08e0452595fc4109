package subjects

import (
	"context"
	"math"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
	"redlocklab/sim/random"
)

// SY-9 is redlock-php (source P). It asks the nodes one after the other, in at most three
// rounds with a random delay in [delay/2, delay] after each. All rounds of a call have one
// token. Validity runs on the time of day; ttl·0.01 + 2 ms is taken off it. The quorum is
// min(N, N/2 + 1) in floating point: 2.5 of three nodes, which is all three
// (quorum=written). Where tries are unlimited, the caller calls again after three rounds.

func init() {
	lock.Register(plan.SubjectDeclaration{
		Name: "SY-9", Alias: "redlock-php", Doc: "redlock-php: one node after the other, three rounds, validity by the time of day",
		Options: []plan.OptionDeclaration{
			{Name: "quorum", Values: []string{"written", "integer"},
				Doc: "what is a majority of N: N/2 + 1 in floating point, as written, or rounded down"},
			driverOption,
			driftOption,
		},
		Variants: []plan.Variant{
			{Label: "as-written", Options: []plan.Option{{Name: "quorum", Value: "written"}}},
			{Label: "integer", Options: []plan.Option{{Name: "quorum", Value: "integer"}}},
		},
		Abilities: plan.Abilities{InOrder: true, Commands: []string{"SET", "release"}},
	}, lock.Implementation{
		Clock:   reads(sim.Wall),
		Scripts: []sim.Script{releaseScript},
		New: func(e lock.Environment) (lock.Locker, error) {
			n := float64(len(e.Redis))
			quorum := min(n, n/2+1)
			if e.Option("quorum", "written") == "integer" {
				quorum = math.Floor(n/2) + 1
			}
			return &phpLocker{e, quorum}, nil
		},
	})
}

type phpLocker struct {
	env    lock.Environment
	quorum float64
}

const phpRounds = 3

// TryLock implements Locker: one round.
func (p *phpLocker) TryLock(ctx context.Context, resource string) (lock.Lease, error) {
	return p.round(ctx, resource, randomToken(p.env.Random))
}

// Lock implements Locker.
func (p *phpLocker) Lock(ctx context.Context, resource string) (lock.Lease, error) {
	if tries := p.env.Lock.Retry.Tries; tries > 0 {
		return p.call(ctx, resource, tries)
	}
	for {
		lease, err := p.call(ctx, resource, phpRounds)
		if err == nil || ctx.Err() != nil {
			return lease, err
		}
	}
}

// call is one call of the library, with at most so many rounds.
func (p *phpLocker) call(ctx context.Context, resource string, rounds int) (lock.Lease, error) {
	token := randomToken(p.env.Random)
	for n := 1; ; n++ {
		lease, err := p.round(ctx, resource, token)
		if err == nil || ctx.Err() != nil {
			return lease, err
		}
		if err := p.env.Sleep(ctx, p.delay()); err != nil {
			return nil, err
		}
		if n == rounds {
			return nil, err
		}
	}
}

// delay is drawn between half of the longest delay and all of it.
func (p *phpLocker) delay() time.Duration {
	longest := p.env.Lock.Retry.Delay.High
	return random.Between(p.env.Uint64(), longest/2, longest)
}

func (p *phpLocker) round(ctx context.Context, resource, token string) (lock.Lease, error) {
	start, votes := p.env.Now(sim.Wall), 0
	for _, client := range p.env.Redis {
		within, cancel := p.env.NodeContext(ctx)
		if client.SetArgs(within, resource, token, redis.SetArgs{Mode: "NX", TTL: p.env.Lock.TTL}).Err() == nil {
			votes++
		}
		cancel()
	}
	until := start + p.env.Lock.TTL - drift(p.env.Lock.TTL, p.env.Option) - 2*time.Millisecond
	lease := &phpLease{p, tokened{token}, ending{until}, resource}
	if float64(votes) >= p.quorum && p.env.Now(sim.Wall) < until && ctx.Err() == nil {
		return lease, nil
	}
	_ = lease.Release(ctx) // the round has failed either way
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, lock.ErrContended
}

type phpLease struct {
	*phpLocker
	tokened
	ending
	resource string
}

// Release implements Lease. It asks the nodes one after the other.
func (l *phpLease) Release(ctx context.Context) error {
	for _, client := range l.env.Redis {
		within, cancel := l.env.NodeContext(ctx)
		_, _ = deleteOwned(within, client, l.resource, l.token) // as written: the answer is ignored
		cancel()
	}
	return nil
}
