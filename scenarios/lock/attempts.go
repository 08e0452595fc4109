package lock

import (
	"context"
	"errors"
	"sync"
	"time"

	"redlocklab/sim"
)

// Attempts notes when a client's last attempt to acquire began, and the error of the last
// one that failed. The trace has neither.
type Attempts struct {
	read func() time.Duration // the client's clock

	mu      sync.Mutex // a lock may retry in a goroutine of its own
	started time.Duration
	failure string
}

// NewAttempts notes attempts by the clock that the function reads.
func NewAttempts(read func() time.Duration) *Attempts { return &Attempts{read: read} }

// Begin notes that an attempt starts now.
func (a *Attempts) Begin() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.started = a.read()
}

// Start returns when the last attempt began, on the client's clock.
func (a *Attempts) Start() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.started
}

// End notes the error of an attempt. A crash or a cancellation says nothing about the
// lock, and is not noted.
func (a *Attempts) End(err error) {
	if err == nil || errors.Is(err, sim.ErrCrashed) || errors.Is(err, context.Canceled) {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.failure = err.Error()
}

// LastError returns the error of the last attempt that failed; empty: none has.
func (a *Attempts) LastError() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.failure
}
