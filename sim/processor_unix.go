//go:build unix

package sim

import (
	"syscall"
	"time"
)

// processorTime is the processor time that this process has used so far.
func processorTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err) // the arguments are right, and nothing else can fail
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
