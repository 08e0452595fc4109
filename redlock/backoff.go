package redlock

import (
	"encoding/binary"
	"fmt"
	"io"
	"time"
)

// Backoff returns how long [Locker.Lock] waits before its next attempt. retry counts
// the retries from 1; uniform is a fresh random number in [0, 1). The delay must
// depend on uniform and be long compared with one acquisition, or contenders retry in
// step and split the votes again (assumption A-RANDOM, claims LV-3 and LV-4). A
// negative delay counts as 0.
type Backoff func(retry int, uniform float64) time.Duration

// RandomBackoff returns a [Backoff] with random delays between a quarter and the
// whole of a window. The window is first at the first retry, doubles with each retry,
// and never exceeds limit.
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

func randomFraction(random io.Reader) (float64, error) {
	var raw [8]byte
	if _, err := io.ReadFull(random, raw[:]); err != nil {
		return 0, fmt.Errorf("redlock: reading randomness for a retry delay: %w", err)
	}
	const bits = 53 // the precision of a float64
	return float64(binary.LittleEndian.Uint64(raw[:])>>(64-bits)) / (1 << bits), nil
}
