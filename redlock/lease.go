package redlock

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Lease is one successful acquisition. It stands for one token, which is never used
// again; only [Lease.Extend] changes how long it is valid. A Lease is safe for concurrent
// use.
type Lease struct {
	locker     *Locker
	tokenState *tokenState
	ttl        time.Duration
	settings   lockSettings
	fence      uint64
	start      time.Duration // just before the first send, on the Locker's Clock

	until    atomic.Int64 // on the Locker's Clock
	released atomic.Bool  // Release has returned nil

	mu           sync.Mutex
	endReason    error // nil while the lease has not ended
	extensions   int
	unsettled    bool          // an extension was begun and none has succeeded since
	leaseContext *leaseContext // nil until Context or Done is called
}

// newLease begins the lease of a round that was granted.
func (a *acquisition) newLease(f *fanout, until time.Duration, fence int64) *Lease {
	lease := &Lease{
		locker: a.locker, tokenState: f.tokenState, ttl: a.ttl, settings: a.settings,
		fence: uint64(fence), start: f.start,
	}
	lease.until.Store(int64(until))
	if a.locker.settings.observer != nil {
		lease.startContext() // the observer hears of the end even if nobody looks
	}
	if a.settings.renewal {
		go lease.renew(lease.Context())
	}
	return lease
}

// Resources returns the locked names, sorted and without duplicates.
func (l *Lease) Resources() []string { return slices.Clone(l.tokenState.resources) }

// Token returns the value that the keys carry. Whoever knows it can release the lock: do
// not log it.
func (l *Lease) Token() string { return l.tokenState.token }

// TTL returns the time to live with which the lease was acquired.
func (l *Lease) TTL() time.Duration { return l.ttl }

// Until returns when the validity ends, on the Locker's [Clock]: compare it with that
// Clock's Now. It is start + ttl - allowance, where start is just before the first send
// of the acquisition or of the last successful extension. It stays the same when the
// lease is released or lost; see [Lease.Valid].
func (l *Lease) Until() time.Duration { return time.Duration(l.until.Load()) }

// Deadline returns Until as wall clock time, for logs and for APIs that want one. A step of
// the wall clock makes it wrong: decide by Until, Remaining or Valid.
func (l *Lease) Deadline() time.Time {
	return time.Now().Add(l.Until() - l.locker.settings.clock.Now())
}

// Remaining returns how much longer the lease is valid, read from the Clock now. It
// returns 0 if the lease is not valid.
func (l *Lease) Remaining() time.Duration {
	if l.ended() != nil || l.locker.closed.Load() {
		return 0
	}
	now := l.locker.settings.clock.Now()
	if l.lapsed(now) { // whoever saw it end never sees it valid again
		return 0
	}
	return l.Until() - now
}

// Valid reports whether the holder may act now: its validity has not ended, the lease was
// neither released nor lost, and the Locker is not closed. It says nothing about the next moment. A holder that can
// be paused or delayed between Valid and its effect needs a fencing token at the resource
// (claims RS-1, RS-2, RP-5).
func (l *Lease) Valid() bool { return l.Remaining() > 0 }

// ended returns why the lease ended, or nil. It does not read the clock.
func (l *Lease) ended() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.endReason
}

// lapsed reports whether the validity has ended by now, and ends the lease if so: an
// extension whose success is recorded only after this fails.
func (l *Lease) lapsed(now time.Duration) bool {
	if now < l.Until() {
		return false
	}
	l.conclude(ErrLapsed)
	return now >= l.Until()
}

// conclude ends the lease, by [ErrLapsed] only if no extension has come before. The first
// reason stays. From then on nothing is sent that sets its keys. What extensions without
// success may have left on the nodes is released.
func (l *Lease) conclude(reason error) {
	now := l.locker.settings.clock.Now()
	l.mu.Lock()
	if l.endReason != nil || errors.Is(reason, ErrLapsed) && now < l.Until() {
		l.mu.Unlock()
		return
	}
	l.endReason = reason
	unsettled, leaseContext := l.unsettled, l.leaseContext
	l.mu.Unlock()
	if errors.Is(reason, ErrHandedOver) {
		l.tokenState.leave()
	}
	l.tokenState.stop(now)
	if leaseContext != nil {
		leaseContext.cancelContext(reason)
	}
	if unsettled && !errors.Is(reason, ErrReleased) && !errors.Is(reason, ErrHandedOver) {
		l.locker.releaseAll(context.Background(), l.tokenState, now, l.locker.settings.closeTimeout())
	}
	l.reportLeaseEnd(reason, now)
}
