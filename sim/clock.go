package sim

import (
	"sync"
	"time"
)

// ClockKind names a clock of a process. A node has only a wall clock.
type ClockKind string

// The three clocks of a process, and true time. Unmodified code that reads
// package time reads true time, which is the clock of the bubble.
const (
	Wall      ClockKind = "wall"      // the time of day; operators and NTP step it
	Monotonic ClockKind = "monotonic" // never stepped; stops while the host is suspended
	Boottime  ClockKind = "boottime"  // never stepped; counts suspension
	True      ClockKind = "true"      // true time since the start of the run; no fault changes it
)

// segment is a part of a clock's life with one rate. From true time `from` on,
// the clock shows base + elapsed·(1 + ppm/10⁶).
type segment struct {
	from time.Duration
	base time.Duration
	ppm  int64
}

func (s segment) read(at time.Duration) time.Duration {
	return s.base + scale(at-s.from, s.ppm)
}

// scale returns d·(1 + ppm/10⁶) in integers. It does not overflow for any
// duration within a run's bounds.
func scale(d time.Duration, ppm int64) time.Duration {
	whole, rest := int64(d)/1_000_000, int64(d)%1_000_000
	return d + time.Duration(whole*ppm+rest*ppm/1_000_000)
}

// Clock is a clock with a rate error and steps. It keeps its whole history, so
// that a reading can be mapped back to true time afterwards. A Clock is safe for
// concurrent use.
type Clock struct {
	mu       sync.Mutex
	segments []segment
	errors   contributions[int64] // in parts per million; the latest applies; the configured error has the fault ""
	host     clockHost
	drifts   contributions[*bool] // whether the drift has ended
}

func newClock(offset time.Duration, ppm int64) *Clock {
	return &Clock{segments: []segment{{base: offset, ppm: ppm}}, errors: contributions[int64]{{value: ppm}}}
}

// Read returns the reading of the clock at a true time, which must not be before the
// last change of the clock.
func (c *Clock) Read(at time.Duration) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.segments[len(c.segments)-1].read(at)
}

// WhenReads returns the first true time, not before `after`, at which the clock
// shows at least `reading`. It returns false when the clock is frozen below it.
func (c *Clock) WhenReads(reading, after time.Duration) (time.Duration, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, s := range c.segments {
		start, end := s.from, time.Duration(-1)
		if i+1 < len(c.segments) {
			end = c.segments[i+1].from
		}
		if end >= 0 && end <= after {
			continue
		}
		start = max(start, after)
		at, ok := s.when(reading, start)
		if ok && (end < 0 || at < end) {
			return at, true
		}
	}
	return 0, false
}

// when returns the first true time, not before start, at which the segment would
// show at least reading if it never ended.
func (s segment) when(reading, start time.Duration) (time.Duration, bool) {
	now := s.read(start)
	if now >= reading {
		return start, true
	}
	if s.ppm <= -1_000_000 {
		return 0, false
	}
	need := int64(reading - now)
	// need / (1 + ppm/10⁶), corrected below for rounding.
	speed := 1_000_000 + s.ppm
	at := start + time.Duration(need/speed*1_000_000+need%speed*1_000_000/speed)
	for s.read(at) < reading {
		at++
	}
	for at > start && s.read(at-1) >= reading {
		at--
	}
	return at, true
}

// change edits the rate errors and begins a segment that is a step away. It has the error
// of the fault that has set one last, which change returns.
func (c *Clock) change(at, by time.Duration, edit func()) (ppm int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	edit()
	ppm = c.errors[len(c.errors)-1].value
	base := c.segments[len(c.segments)-1].read(at) + by
	c.segments = append(c.segments, segment{from: at, base: base, ppm: ppm})
	return ppm
}

// Frozen is the rate error, in parts per million, of a clock that stands still. It
// is the least that is allowed: no clock runs backwards.
const Frozen = -1_000_000
