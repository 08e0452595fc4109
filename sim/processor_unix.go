//go:build unix

package sim

import (
	"syscall"
	"time"
)

// processorTime returns the processor time that this program has used so far.
func processorTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err) // only wrong arguments make it fail
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
