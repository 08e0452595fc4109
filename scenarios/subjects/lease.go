package subjects

import (
	"sync/atomic"
	"time"
)

// Parts of leases.

// tokened is a lease, or a failed attempt, whose keys carry a token.
type tokened struct{ token string }

// Token implements Tokened.
func (t tokened) Token() string { return t.token }

// begun is a lease of a lock that reads no clock: the laboratory counts its TTL from the start of the attempt.
type begun struct{ started time.Duration }

// Started implements Started.
func (b begun) Started() time.Duration { return b.started }

// ending is a lease of a lock that knows the end of its validity, on the clock that it reads.
type ending struct{ until time.Duration }

// Until implements Reporter.
func (e ending) Until() time.Duration { return e.until }

// renewalListener calls the client when a watchdog has renewed the lease.
type renewalListener struct {
	f atomic.Pointer[func(until time.Duration)]
}

// OnRenewal implements Renewing.
func (l *renewalListener) OnRenewal(f func(until time.Duration)) { l.f.Store(&f) }

// renewed reports that the lease now lasts until the given reading of the client's clock.
func (l *renewalListener) renewed(until time.Duration) {
	if f := l.f.Load(); f != nil {
		(*f)(until)
	}
}
