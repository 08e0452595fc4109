package redlock

import (
	"time"

	"golang.org/x/sys/unix"
)

// systemClock reads CLOCK_BOOTTIME, which is monotonic and counts suspension.
type systemClock struct{}

func (systemClock) Now() time.Duration {
	var instant unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &instant); err != nil {
		panic(err) // every kernel that Go supports has this clock
	}
	return time.Duration(instant.Nano())
}
