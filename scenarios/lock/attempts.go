package lock

import (
	"context"
	"errors"
	"sync"
	"time"

	"redlocklab/sim"
)

// Attempts keeps what the laboratory notes of a client's attempts to acquire. It is
// not part of the trace.
type Attempts struct {
	read func() time.Duration // the client's clock, without its noticing

	mu      sync.Mutex // a lock may retry in a goroutine of its own
	started time.Duration
	failure string
}

// NewAttempts notes attempts by the clock that read reads.
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

// Failed notes the error that an attempt ended with, unless it says no more than that
// the caller or the run has ended.
func (a *Attempts) Failed(err error) {
	if err == nil || errors.Is(err, sim.ErrCrashed) || errors.Is(err, context.Canceled) {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.failure = err.Error()
}

// Last returns the error of the last attempt that failed; empty when none did.
func (a *Attempts) Last() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.failure
}
