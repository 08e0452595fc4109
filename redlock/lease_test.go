package redlock

import (
	"errors"
	"testing"
	"time"
)

// standing is a clock that moves when the test says so.
type standing struct {
	Clock
	now time.Duration
}

func (c *standing) Now() time.Duration { return c.now }

// TestSeenLapsedIsLapsed: an extension that was granted in time, but is recorded only after
// somebody saw the lease lapsed, does not count (claim MX-8).
func TestSeenLapsedIsLapsed(t *testing.T) {
	for _, look := range []struct {
		at   time.Duration
		want error
	}{{9 * time.Second, nil}, {10 * time.Second, ErrLapsed}} {
		clock := &standing{}
		lease := &Lease{locker: &Locker{settings: settings{clock: clock}}, tokenState: newTokenState(nil, nil, "token", 1)}
		lease.until.Store(int64(10 * time.Second))
		clock.now = look.at
		seen := lease.Valid()
		if err := lease.prolong(20 * time.Second); !errors.Is(err, look.want) || lease.Valid() != seen ||
			seen != (look.want == nil) {
			t.Errorf("seen at %v: valid %v, then extended: %v, valid %v", look.at, seen, err, lease.Valid())
		}
	}
}
