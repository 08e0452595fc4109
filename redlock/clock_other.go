//go:build !linux

package redlock

import "time"

// systemClock reads Go's monotonic clock. On Windows it counts suspension; on macOS
// and the BSDs it may not.
type systemClock struct{}

// processStart is the origin of the clock.
var processStart = time.Now()

func (systemClock) Now() time.Duration { return time.Since(processStart) }
