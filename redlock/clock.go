package redlock

import "time"

// Clock is the only source of time that decisions in this package use.
//
// The default counts the time during which the machine was suspended
// (CLOCK_BOOTTIME on Linux), because a key on a server goes on ageing while a
// client sleeps (claim BA-7). On other systems the default is Go's monotonic
// clock, which may stop in suspension: there, a lease of a machine that sleeps
// can look valid after it lapsed.
//
// A Clock may block (a simulated process that is paused does); the package never
// holds a lock while it reads one. It must be safe for concurrent use.
type Clock interface {
	// Now is the time since a fixed instant. It must never go backwards, and
	// its rate must err by no more than the bound stated with
	// WithClockRateBound (assumptions A-RATE and A-STEP).
	Now() time.Duration
	// NewTimer returns a timer that sends once, no earlier than after d.
	NewTimer(d time.Duration) Timer
}

// Timer is a timer of a Clock, with the meaning of time.Timer since Go 1.23: no
// stale value is received after Stop or Reset returned.
type Timer interface {
	// C is the channel on which the timer sends.
	C() <-chan time.Time
	// Stop reports whether it kept the timer from firing.
	Stop() bool
	// Reset re-arms the timer to fire after d and reports whether it was armed.
	Reset(d time.Duration) bool
}

// systemTimer is the runtime's timer. It may fire late after a suspension,
// which is why nothing trusts a timer alone: deadlines are compared on Now.
type systemTimer struct{ timer *time.Timer }

func (t systemTimer) C() <-chan time.Time        { return t.timer.C }
func (t systemTimer) Stop() bool                 { return t.timer.Stop() }
func (t systemTimer) Reset(d time.Duration) bool { return t.timer.Reset(d) }

// SystemClock returns the default Clock.
func SystemClock() Clock { return systemClock{} }

func (systemClock) NewTimer(d time.Duration) Timer {
	return systemTimer{timer: time.NewTimer(d)}
}
