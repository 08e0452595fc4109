//go:build unix

package processor

import (
	"syscall"
	"time"
)

// used returns the processor time that this program has used so far.
func used() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err) // only wrong arguments make it fail
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
