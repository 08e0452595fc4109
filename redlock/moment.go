package redlock

import (
	"sync/atomic"
	"time"
)

// moment is an instant on the Clock that comes at most once. Its setters share a mutex or
// a goroutine; anybody may look.
//
// A command that is sent at the very instant of a moment still counts as sent before it. So
// both orders of two goroutines that race at one instant have the same result, and a Locker's
// traffic in virtual time does not depend on chance.
type moment struct {
	come atomic.Bool
	at   atomic.Int64
}

func (m *moment) set(now time.Duration) {
	if !m.come.Load() {
		m.at.Store(int64(now))
		m.come.Store(true)
	}
}

// before reports whether the moment came before now.
func (m *moment) before(now time.Duration) bool {
	return m.come.Load() && time.Duration(m.at.Load()) < now
}
