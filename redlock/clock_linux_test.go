package redlock

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A machine that is suspended, whose wall clock is set, and whose readings take time. The
// clock never goes backwards, and differs from BOOTTIME by less than two close readings.
func TestSystemClockCountsSuspension(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var monotonic, suspended, set, pause time.Duration
		readings := 0 // until the pause, in the middle of one
		read := func() {
			monotonic += time.Microsecond
			if readings--; readings == 0 {
				monotonic += pause
			}
		}
		asked := 0
		clock := &bootClock{
			goTime: func() (time.Duration, time.Duration) {
				wall := monotonic + suspended + set
				read()
				return wall, monotonic
			},
			kernel: func() time.Duration {
				read()
				asked++
				return monotonic + suspended
			},
		}
		amounts := rapid.OneOf(durations(0, closeReadings), durations(0, time.Millisecond), durations(0, time.Hour))
		suspensions := rapid.OneOf(durations(2*closeReadings, time.Millisecond), durations(2*closeReadings, time.Hour))
		interrupt := func(t *rapid.T) {
			pause, readings = amounts.Draw(t, "interrupted for"), rapid.IntRange(0, 5).Draw(t, "at reading")
		}
		interrupt(t)
		last := clock.now()
		skew := last - monotonic - suspended
		t.Repeat(map[string]func(*rapid.T){
			"runs":       func(t *rapid.T) { monotonic += amounts.Draw(t, "for") },
			"suspends":   func(t *rapid.T) { suspended += suspensions.Draw(t, "for"); interrupt(t) },
			"sets clock": func(t *rapid.T) { set += durations(-time.Hour, time.Hour).Draw(t, "by"); interrupt(t) },
			"reads at once": func(t *rapid.T) {
				readings = 0
				clock.now()
				before := asked
				clock.now()
				if asked != before {
					t.Fatal("the kernel was asked though the wall clock had not moved")
				}
			},
			"": func(t *rapid.T) {
				now := clock.now()
				if now < last {
					t.Fatalf("the clock went backwards by %v", last-now)
				}
				last = now
				readings = 0
				again := clock.now()
				if err := (again - monotonic - suspended - skew).Abs(); err >= 2*closeReadings {
					t.Fatalf("the clock errs by %v", err)
				}
				last = again
			},
		})
	})
}

func durations(least, most time.Duration) *rapid.Generator[time.Duration] {
	return rapid.Map(rapid.Int64Range(int64(least), int64(most)),
		func(n int64) time.Duration { return time.Duration(n) })
}

// The clock of this machine is the kernel's.
func TestSystemClockIsBoottime(t *testing.T) {
	for range 1000 {
		before := kernelTime()
		now := SystemClock().Now()
		after := kernelTime()
		if now < before-2*closeReadings || now > after {
			t.Fatalf("the clock says %v, the kernel %v to %v", now, before, after)
		}
	}
}

func BenchmarkSystemClock(b *testing.B) {
	b.Run("clock", func(b *testing.B) {
		for b.Loop() {
			SystemClock().Now()
		}
	})
	b.Run("system call", func(b *testing.B) {
		for b.Loop() {
			kernelTime()
		}
	})
}
