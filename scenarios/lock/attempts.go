package lock

import (
	"context"
	"errors"
	"sync"
	"time"

	"redlocklab/sim"
)

// attempts are what the laboratory notes of a client's attempts to acquire. It
// is no part of the trace.
type Attempts struct {
	read func() time.Duration // the client's clock, without its noticing

	mu      sync.Mutex // a lock may retry in a goroutine of its own
	started time.Duration
	failure string
}

func NewAttempts(read func() time.Duration) *Attempts { return &Attempts{read: read} }

// begin notes that an attempt starts now.
func (a *Attempts) Begin() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.started = a.read()
}

// start is when the last attempt began, on the client's clock.
func (a *Attempts) Start() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.started
}

// failed notes the error that an attempt ended with. That the caller or the run
// ended is no word of the lock's own.
func (a *Attempts) Failed(err error) {
	if err == nil || errors.Is(err, sim.ErrCrashed) || errors.Is(err, context.Canceled) {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.failure = err.Error()
}

// last is the last error of an attempt; empty is none.
func (a *Attempts) Last() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.failure
}
