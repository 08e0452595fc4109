package lock

import (
	"context"
	"net"
	"time"

	"redlocklab/sim"
)

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
