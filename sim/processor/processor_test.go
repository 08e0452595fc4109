package processor

import (
	"runtime"
	"testing"
	"time"
)

// TestAfter: time in which this process rests does not count, time in
// which it works does, and a wait that was stopped never ends.
func TestAfter(t *testing.T) {
	const limit = 40 * time.Millisecond
	over := make(chan time.Duration, 1)
	from := used()
	After(limit, func() { over <- used() - from })
	if stop := After(limit, func() { t.Error("a wait that was stopped came to its end") }); !stop() {
		t.Error("it could not be stopped")
	}
	time.Sleep(2 * limit)
	for {
		select {
		case used := <-over:
			if used < limit {
				t.Errorf("it ended after %v of processor time, not %v", used, limit)
			}
			return
		default:
			runtime.Gosched() // which is work
		}
	}
}
