//go:build !unix

package sim

import "time"

var started = time.Now()

// processorTime is the real time since the start: more than what was used.
func processorTime() time.Duration { return time.Since(started) }
