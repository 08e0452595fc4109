package redlock

import (
	"time"

	"golang.org/x/sys/unix"
)

// systemClock reads CLOCK_BOOTTIME: monotonic, and it counts suspension.
type systemClock struct{}

// processStart is where the monotonic clock's scale begins: a lock in production reads real time, and here only.
var processStart = time.Now()

func (systemClock) Now() time.Duration {
	var instant unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &instant); err != nil {
		// Kernels before 2.6.39 have no such clock. The error is the same at
		// every call, so that the two scales never mix.
		return time.Since(processStart)
	}
	return time.Duration(instant.Nano())
}
