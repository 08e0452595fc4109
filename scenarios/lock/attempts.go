package lock

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"redlocklab/sim"
)

// Attempts notes when a client's last attempt to acquire began, and the error of the last
// one that failed. The trace has neither.
type Attempts struct {
	read func() time.Duration // the client's clock

	// A lock may retry in a goroutine of its own.
	started atomic.Int64
	failure atomic.Value // a string
}

// NewAttempts notes attempts by the clock that the function reads.
func NewAttempts(read func() time.Duration) *Attempts { return &Attempts{read: read} }

// Begin notes that an attempt starts now.
func (a *Attempts) Begin() { a.started.Store(int64(a.read())) }

// Start returns when the last attempt began, on the client's clock.
func (a *Attempts) Start() time.Duration { return time.Duration(a.started.Load()) }

// End notes the error of an attempt. A crash or a cancellation says nothing about the
// lock, and is not noted.
func (a *Attempts) End(err error) {
	if err == nil || errors.Is(err, sim.ErrCrashed) || errors.Is(err, context.Canceled) {
		return
	}
	a.failure.Store(err.Error())
}

// LastError returns the error of the last attempt that failed; empty: none has.
func (a *Attempts) LastError() string {
	text, _ := a.failure.Load().(string)
	return text
}
