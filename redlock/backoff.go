package redlock

import (
	"encoding/binary"
	"fmt"
	"io"
	"time"
)

// Backoff says how long Lock waits before it tries again: retry counts from 1,
// uniform is a fresh random number in [0, 1). Contenders must not retry in step
// (assumption A-RANDOM, claims LV-3 and LV-4): the delay must depend on uniform,
// and be large against the time of one acquisition.
type Backoff func(retry int, uniform float64) time.Duration

// DefaultBackoff waits a random time that doubles on average with each retry:
// up to 16 ms at first, up to 250 ms in the end, never less than a quarter of
// that.
func DefaultBackoff() Backoff { return RandomBackoff(16*time.Millisecond, 250*time.Millisecond) }

// RandomBackoff waits between a quarter and the whole of a window that starts at
// first and doubles up to limit.
func RandomBackoff(first, limit time.Duration) Backoff {
	return func(retry int, uniform float64) time.Duration {
		window := max(first, 1)
		for ; retry > 1 && window < limit; retry-- {
			window *= 2
		}
		window = min(window, max(limit, 1))
		return window/4 + time.Duration(uniform*float64(window-window/4))
	}
}

// ConstantBackoff always waits the same time. With several contenders it breaks
// assumption A-RANDOM; it is for a single contender and for experiments.
func ConstantBackoff(delay time.Duration) Backoff {
	return func(int, float64) time.Duration { return delay }
}

// uniform draws a number in [0, 1) in the caller's goroutine.
func uniform(random io.Reader) (float64, error) {
	var raw [8]byte
	if _, err := io.ReadFull(random, raw[:]); err != nil {
		return 0, fmt.Errorf("redlock: no randomness for a delay: %w", err)
	}
	const bits = 53 // the precision of a float64
	return float64(binary.LittleEndian.Uint64(raw[:])>>(64-bits)) / (1 << bits), nil
}
