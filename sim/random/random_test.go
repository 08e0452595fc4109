package random_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"redlocklab/sim/random"
)

// TestRandomIdentity: the mixer gives SplitMix64's published first output of seed
// 0, and values depend on each part of their identity.
func TestRandomIdentity(t *testing.T) {
	if got := random.Mix(0); got != 0xe220a8397b1dcdaf {
		t.Errorf("SplitMix64 of seed 0 begins with %x", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		seed, stream, index := rapid.Uint64().Draw(t, "seed"), rapid.String().Draw(t, "stream"), rapid.Uint64().Draw(t, "index")
		value := random.Value(seed, stream, index)
		if random.Value(seed, stream, index) != value {
			t.Fatal("one identity, two values")
		}
		for _, other := range []uint64{
			random.Value(seed+1, stream, index), random.Value(seed, stream+"x", index),
			random.Value(seed, stream, index+1),
		} {
			if other == value {
				t.Fatal("two identities, one value")
			}
		}
		low, span := time.Duration(seed%1000), time.Duration(index%1000)
		if got := random.Between(value, low, low+span); got < low || got > low+span {
			t.Fatalf("%v outside %v to %v", got, low, low+span)
		}
	})
}
