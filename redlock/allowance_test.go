package redlock_test

import (
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"

	"redlocklab/redlock"
)

// safe checks claim BA-8 in exact arithmetic: the earliest expiry on a fast node is not
// before the latest end of validity on a slow client. grain is the 2 ms for the server's
// millisecond deadlines.
func safe(ttl, allowance time.Duration, rateErrorPPM int) bool {
	const grain = 2 * time.Millisecond
	rho := big.NewRat(int64(rateErrorPPM), 1_000_000)
	one := big.NewRat(1, 1)
	expiry := new(big.Rat).Quo(big.NewRat(int64(ttl), 1), new(big.Rat).Add(one, rho))
	belief := new(big.Rat).Quo(big.NewRat(int64(ttl-allowance+grain), 1), new(big.Rat).Sub(one, rho))
	return expiry.Cmp(belief) >= 0
}

func TestAllowanceForIsTheSmallestThatIsSafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ttl := time.Duration(rapid.Int64Range(int64(redlock.MinimumTTL), int64(redlock.MaximumTTL)).Draw(t, "ttl"))
		rate := rapid.IntRange(0, redlock.MaximumClockRateError).Draw(t, "ppm")
		allowance := redlock.AllowanceFor(ttl, rate)
		if !safe(ttl, allowance, rate) {
			t.Fatalf("%v is not enough", allowance)
		}
		if safe(ttl, allowance-1, rate) {
			t.Fatalf("%v is more than needed", allowance)
		}
	})
}

func TestCustomaryAllowanceCoversHalfAPercent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ttl := time.Duration(rapid.Int64Range(int64(redlock.MinimumTTL), int64(redlock.MaximumTTL)).Draw(t, "ttl"))
		allowance := redlock.CustomaryAllowance(ttl)
		if !safe(ttl, allowance, 5_000) {
			t.Fatalf("%v does not cover 5,000 ppm", allowance)
		}
		if ttl > time.Minute && safe(ttl, allowance, 5_100) {
			t.Fatalf("%v covers 5,100 ppm: the documentation is too modest", allowance)
		}
	})
}
