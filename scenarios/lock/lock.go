package lock

import (
	"context"
	"net"
	"time"

	"redlocklab/sim"
)

// Locker is a lock under test, as one client uses it.
//
// The context of an acquisition ends when the call returns, as that of a caller who writes
// "defer cancel()" does. A lease must not end with it: a lock that binds leases to their
// context gets context.WithoutCancel(ctx), and cancels with ctx while it waits.
type Locker interface {
	// TryLock makes one attempt.
	TryLock(ctx context.Context, resource string) (Lease, error)
	// Lock retries, as the subject does, until it succeeds, gives up, or ctx is done.
	Lock(ctx context.Context, resource string) (Lease, error)
}

// Lease is one successful acquisition. A lease may offer more: see [Extender],
// [Reporter], [Fenced], [Tokened] and [Renewing].
type Lease interface {
	Release(ctx context.Context) error
}

// Extender is a lease that its holder can extend: by the scenario's TTL, from the call on.
type Extender interface {
	Extend(ctx context.Context) error
}

// Reporter is a lease that reports the end of its validity, on the clock that the subject
// declares. Without it the laboratory counts the whole TTL from the start of the attempt,
// with nothing taken off for clock errors; see [Started].
type Reporter interface{ Until() time.Duration }

// Started is a lease that reports no validity, but the start of the attempt that acquired
// it, on the client's clock (sim.Boottime for a subject that reads none). The laboratory
// counts the TTL from there. Otherwise it counts from the start of the last attempt of
// [Environment.Retry], or without that from the call of the acquisition.
type Started interface{ Started() time.Duration }

// Contexted is a lease that ends with a context and reports no validity: it is believed until
// the context is done or it is released. [ContextLease] makes one.
type Contexted interface{ Context() context.Context }

// ContextLease is the lease of a lock whose acquisition returns a context that ends with the
// lock, and a function that releases it, as rueidislock does. Release calls the function.
func ContextLease(ctx context.Context, release func()) Lease { return contextLease{ctx, release} }

type contextLease struct {
	ctx     context.Context
	release func()
}

func (l contextLease) Context() context.Context { return l.ctx }

func (l contextLease) Release(context.Context) error {
	l.release()
	return nil
}

// Fenced is a lease with a fencing token; 0: none.
type Fenced interface{ Fence() uint64 }

// Tokened is a lease that reports the value of its keys. The error of a failed acquisition
// may report that of its last attempt.
type Tokened interface{ Token() string }

// Renewing is a lease that its subject may renew by itself (a watchdog). The function is
// called with the new end of the validity after each renewal.
type Renewing interface {
	OnRenewal(f func(until time.Duration))
}

// Timer is a timer of a process, with the meaning of time.Timer since Go 1.23.
type Timer interface {
	C() <-chan time.Time
	Stop() bool
	Reset(d time.Duration) bool
}

// Process is what a lock runs in: a process of the simulated world, or a real one.
// While the process is paused, none of Now, NewTimer, Dial and Sleep returns.
type Process interface {
	// Seed is the seed of the run.
	Seed() uint64
	// Now reads a clock of the process.
	Now(kind sim.ClockKind) time.Duration
	// NewTimer returns a timer on the monotonic clock.
	NewTimer(d time.Duration) Timer
	Dial(ctx context.Context, network, address string) (net.Conn, error)
	// Sleep waits for d of true time.
	Sleep(ctx context.Context, d time.Duration) error
	// OnEnd registers what to close when the run is over.
	OnEnd(f func())
}
