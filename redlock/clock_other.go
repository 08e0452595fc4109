//go:build !linux

package redlock

import "time"

// systemClock reads Go's monotonic clock. Whether it counts suspension depends
// on the system: on Windows it does, on macOS and the BSDs it may not.
type systemClock struct{}

// processStart is where the monotonic clock's scale begins: a lock in production reads real time, and here only.
var processStart = time.Now()

func (systemClock) Now() time.Duration { return time.Since(processStart) }
