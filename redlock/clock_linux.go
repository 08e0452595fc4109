package redlock

import (
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// systemClock reads CLOCK_BOOTTIME, which is monotonic and counts suspension.
type systemClock struct{}

var sinceBoot = bootClock{goTime: goTime, kernel: kernelTime}

func (systemClock) Now() time.Duration { return sinceBoot.now() }

// bootClock reads CLOCK_BOOTTIME without a system call for most readings. BOOTTIME is
// CLOCK_MONOTONIC plus the time that the machine was suspended. When the kernel adds a
// suspension, it moves the wall clock against MONOTONIC by the same amount, in the same
// step. Go reads both without a system call. So while the wall clock has not moved, BOOTTIME
// is MONOTONIC plus what it was ahead before. A wall clock that was set costs one system
// call. A suspension lasts for more than two closeReadings, so that no setting before it hides it.
type bootClock struct {
	goTime func() (wall, monotonic time.Duration)
	kernel func() time.Duration

	seen atomic.Pointer[bootReading]
	mu   sync.Mutex // of those who ask the kernel
}

// bootReading is how far two clocks were ahead of CLOCK_MONOTONIC.
type bootReading struct{ wall, boot time.Duration }

// closeReadings is how far apart two readings of Go may be, of one of the two clocks or of
// one after the other. It bounds the error of bootClock, within the reserve of expirySlack.
const closeReadings = 100 * time.Microsecond

// maximumTries bounds how often ask reads, on a machine where no two readings are close.
const maximumTries = 100

func (c *bootClock) now() time.Duration {
	wall, monotonic := c.goTime()
	if seen := c.seen.Load(); seen != nil && (wall-monotonic-seen.wall).Abs() < closeReadings {
		return monotonic + seen.boot
	}
	return c.ask()
}

// ask reads the kernel's clock between two readings of Go, and again if these are not close:
// then this goroutine was interrupted. What BOOTTIME is ahead is rounded down, so that the
// clock is never ahead of it and never goes backwards.
func (c *bootClock) ask() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	for tries := 1; ; tries++ {
		wall, before := c.goTime()
		boot := c.kernel()
		_, after := c.goTime()
		if after-before >= closeReadings && tries < maximumTries {
			continue
		}
		c.seen.Store(&bootReading{wall: wall - before, boot: boot - after})
		return boot
	}
}

var processStart = time.Now()

func goTime() (wall, monotonic time.Duration) {
	now := time.Now()
	return time.Duration(now.UnixNano()), now.Sub(processStart)
}

func kernelTime() time.Duration {
	var instant unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &instant); err != nil {
		panic(err) // every kernel that Go supports has this clock
	}
	return time.Duration(instant.Nano())
}
