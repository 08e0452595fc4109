package redlock

import "time"

// Clock is the only source of time for the decisions of this package. It must be safe
// for concurrent use.
//
// The default is [SystemClock]. On Linux it goes on while the machine is suspended,
// because keys on a server age while the client sleeps (claim BA-7). On other systems it is
// Go's monotonic clock, which may stop during suspension: a lease can then look valid
// after it lapsed. A Clock may block: the package holds no mutex while it reads it.
type Clock interface {
	// Now returns the time since a fixed instant. It must never go backwards, and
	// its rate must err by no more than the bound given to WithClockRateBound
	// (assumptions A-RATE and A-STEP).
	Now() time.Duration
	// NewTimer returns a timer that sends once, no earlier than after d.
	NewTimer(d time.Duration) Timer
}

// Timer is a timer of a [Clock]. It behaves as [time.Timer] does since Go 1.23: after
// Stop or Reset returns, C delivers no stale value.
type Timer interface {
	// C returns the channel on which the timer sends.
	C() <-chan time.Time
	// Stop stops the timer and reports whether that kept it from firing.
	Stop() bool
	// Reset makes the timer fire after d and reports whether it was running.
	Reset(d time.Duration) bool
}

// systemTimer is the runtime's timer. It may fire late after a suspension, so
// deadlines are compared with Clock.Now, never inferred from a timer.
type systemTimer struct{ timer *time.Timer }

func (t systemTimer) C() <-chan time.Time        { return t.timer.C }
func (t systemTimer) Stop() bool                 { return t.timer.Stop() }
func (t systemTimer) Reset(d time.Duration) bool { return t.timer.Reset(d) }

// SystemClock returns the default [Clock]: CLOCK_BOOTTIME on Linux, Go's monotonic
// clock elsewhere. On Linux it asks the kernel when the wall clock has moved against the monotonic
// one, as it does in a suspension. So it misses a suspension after which the wall clock is set
// back by the same time, to 0.1 ms, before the Clock is read again.
func SystemClock() Clock { return systemClock{} }

func (systemClock) NewTimer(d time.Duration) Timer {
	return systemTimer{timer: time.NewTimer(d)}
}
