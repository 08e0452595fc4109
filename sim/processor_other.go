//go:build !unix

package sim

import "time"

var started = time.Now()

// processorTime returns the real time since the start, which is an upper limit of
// the processor time of one thread.
func processorTime() time.Duration { return time.Since(started) }
