package redlock

import (
	"math/big"
	"time"
)

// expirySlack covers what a clock-rate bound does not: Redis keeps deadlines in
// whole milliseconds, so that a key may go up to 1 ms early, and one more for
// good measure. It is the "+ 2 ms" of the customary allowance.
const expirySlack = 2 * time.Millisecond

// million is the denominator of a rate error in parts per million.
const million = 1_000_000

// CustomaryAllowance is the allowance that Redlock implementations have always
// used: one hundredth of the time to live, plus 2 ms. It covers clocks that err
// by up to about 5,000 ppm (0.5 %) on each side: half of what its 1 % suggests,
// because the node's clock and the client's may err in opposite directions.
func CustomaryAllowance(ttl time.Duration) time.Duration {
	return ttl/100 + expirySlack
}

// AllowanceFor is the smallest allowance, rounded up to a nanosecond, with which
// a holder is safe when every clock's rate errs by at most rateErrorPPM parts
// per million, plus 2 ms for the server's expiry grain:
//
//	ttl/(1+ρ) >= (ttl-allowance)/(1-ρ)   that is   allowance >= ttl·2ρ/(1+ρ)
//
// The left side is the earliest true time at which a fast node expires the key,
// the right side the latest at which a slow client stops believing (claim BA-8).
func AllowanceFor(ttl time.Duration, rateErrorPPM int) time.Duration {
	numerator := big.NewInt(int64(ttl))
	numerator.Mul(numerator, big.NewInt(2*int64(rateErrorPPM)))
	denominator := big.NewInt(million + int64(rateErrorPPM))
	numerator.Add(numerator, denominator)
	numerator.Sub(numerator, big.NewInt(1))
	return time.Duration(numerator.Div(numerator, denominator).Int64()) + expirySlack
}

// RateErrorCovered is the largest clock-rate error, in parts per million rounded
// down, that an allowance covers for a time to live when the server's expiry
// grain is perfect: ρ = allowance/(2·ttl - allowance). It is 0 for an allowance
// of zero or less and 1,000,000 for one of at least ttl.
func RateErrorCovered(ttl, allowance time.Duration) int {
	if allowance <= 0 || ttl <= 0 {
		return 0
	}
	if allowance >= ttl {
		return million
	}
	numerator := new(big.Int).Mul(big.NewInt(int64(allowance)), big.NewInt(million))
	denominator := new(big.Int).Mul(big.NewInt(int64(ttl)), big.NewInt(2))
	denominator.Sub(denominator, big.NewInt(int64(allowance)))
	return int(numerator.Div(numerator, denominator).Int64())
}
