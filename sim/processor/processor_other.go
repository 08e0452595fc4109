//go:build !unix

package processor

import "time"

var started = time.Now()

// used returns the real time since the start, which is an upper limit of
// the processor time of one thread.
func used() time.Duration { return time.Since(started) }
