package search

import (
	"time"

	"redlocklab/sim/random"
)

// draw is where a run's knobs come from. Each knob has a stream of its own, so
// that a new knob changes none of the others.
type draw struct{ seed uint64 }

func (d draw) word(knob string) uint64 { return random.Value(d.seed, "swarm/"+knob, 0) }

// below draws from 0 … n-1.
func (d draw) below(knob string, n int) int { return int(d.word(knob) % uint64(n)) }

// chance is true in so many of 100 draws.
func (d draw) chance(knob string, percent int) bool { return d.below(knob, 100) < percent }

// between draws a duration in whole microseconds, so that it reads well.
func (d draw) between(knob string, low, high time.Duration) time.Duration {
	return max(low, random.Between(d.word(knob), low, high).Truncate(time.Microsecond))
}

func pick[T any](d draw, knob string, from ...T) T { return from[d.below(knob, len(from))] }

// some draws at least one and at most `most` of the given, in their order.
func some[T any](d draw, knob string, from []T, most int) []T {
	n := 1 + d.below(knob+"/how many", min(most, len(from)))
	chosen := []T{}
	for i, x := range from {
		// Each is taken with the chance that fills what is still missing.
		if left := len(from) - i; d.below(knob+"/"+string(rune('a'+i)), left) < n-len(chosen) {
			chosen = append(chosen, x)
		}
	}
	return chosen
}
