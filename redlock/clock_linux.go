package redlock

import (
	"time"

	"golang.org/x/sys/unix"
)

// systemClock reads CLOCK_BOOTTIME, which is monotonic and counts suspension.
type systemClock struct{}

// processStart is the origin of the fallback clock. The package reads real time only
// here.
var processStart = time.Now()

func (systemClock) Now() time.Duration {
	var instant unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &instant); err != nil {
		// Kernels before 2.6.39 have no such clock. They fail at every call, so
		// the two time scales never mix.
		return time.Since(processStart)
	}
	return time.Duration(instant.Nano())
}
