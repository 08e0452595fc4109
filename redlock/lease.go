package redlock

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Lease is one acquisition: a handle for one token that is never re-used. What
// it stands for never changes; only its end moves, by Extend. It is safe for
// concurrent use.
type Lease struct {
	locker *Locker
	tenure *tenure
	ttl    time.Duration
	limits lockSettings
	fence  uint64

	until    atomic.Int64 // on the Locker's Clock
	released atomic.Bool  // a release returned nil

	mu         sync.Mutex
	ended      error // nil while held; then why this handle holds nothing
	extensions int
	outcomes   []NodeOutcome
	watch      *watch
}

func newLease(l *Locker, t *tenure, ttl, until time.Duration, limits lockSettings, outcomes []NodeOutcome) *Lease {
	lease := &Lease{locker: l, tenure: t, ttl: ttl, limits: limits, outcomes: outcomes}
	lease.until.Store(int64(until))
	return lease
}

// Resource is the locked name; of several, the first in sorted order.
func (l *Lease) Resource() string { return l.tenure.keys[0] }

// Resources are the locked names, sorted and without duplicates.
func (l *Lease) Resources() []string { return slices.Clone(l.tenure.keys) }

// Token is the secret that the keys carry. Whoever knows it can release the
// lock: do not log it.
func (l *Lease) Token() string { return l.tenure.token }

// TTL is the time to live that the lease was acquired with.
func (l *Lease) TTL() time.Duration { return l.ttl }

// Until is the end of the validity on the Locker's Clock: compare it with that
// Clock's Now. It is start + ttl - allowance, start being the instant before the
// first send of the acquisition or of the last successful extension. It does not
// change when the lease is released or lost; Valid tells.
func (l *Lease) Until() time.Duration { return time.Duration(l.until.Load()) }

// Remaining is how much longer the lease is valid, read from the Clock now; 0
// when it is not.
func (l *Lease) Remaining() time.Duration {
	if l.err() != nil {
		return 0
	}
	return max(0, l.Until()-l.locker.settings.clock.Now())
}

// Valid reports whether the holder may still act: the lease is neither released
// nor lost, and its validity has not ended. True says nothing about the moment
// after: a holder that can be paused or delayed between the check and its effect
// needs a fencing token at the resource (claims RS-1, RS-2, RP-5).
func (l *Lease) Valid() bool { return l.Remaining() > 0 }

// Outcomes reports what every node answered to the acquisition, or to the last
// extension that succeeded: a copy, in the order of the nodes. Answers that came
// after the decision are shown as pending. What the nodes answered to an extension
// that failed is in its *RoundError.
func (l *Lease) Outcomes() []NodeOutcome {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.outcomes)
}

// err is why the handle holds nothing, or nil. It does not look at the clock.
func (l *Lease) err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ended
}

// finish ends the handle for a reason, the first of which stays. It reports
// whether it was this call that ended it.
func (l *Lease) finish(reason error) bool {
	l.tenure.over.Store(true)
	first, watch := l.conclude(reason)
	if !first {
		return false
	}
	if watch != nil {
		watch.end(reason)
	}
	if !errors.Is(reason, ErrReleased) {
		l.reportEnd(reason)
	}
	return true
}

// conclude records the reason under the mutex.
func (l *Lease) conclude(reason error) (first bool, watching *watch) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended == nil {
		l.ended = reason
		first = true
	}
	return first, l.watch
}
