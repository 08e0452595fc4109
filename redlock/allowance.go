package redlock

import (
	"math/big"
	"time"
)

// expirySlack covers what a bound on clock rates does not. Redis keeps deadlines in
// whole milliseconds, so a key may expire up to 1 ms early; 1 ms more is reserve. It
// is the "+ 2 ms" of the customary allowance.
const expirySlack = 2 * time.Millisecond

// million is the denominator of parts per million.
const million = 1_000_000

// CustomaryAllowance returns the allowance that Redlock implementations usually
// take: 1 % of the time to live plus 2 ms. It covers rate errors of about 5,000 parts
// per million (0.5 %) per clock. That is half of 1 %, because the node's clock and
// the client's may err in opposite directions (claim BA-8).
func CustomaryAllowance(ttl time.Duration) time.Duration {
	return ttl/100 + expirySlack
}

// AllowanceFor returns the smallest safe allowance for clocks whose rates err by at
// most rateErrorPPM parts per million each (ρ), rounded up to a nanosecond. It adds
// 2 ms because servers expire keys in whole milliseconds.
//
//	ttl/(1+ρ) >= (ttl-allowance)/(1-ρ)   that is   allowance >= ttl·2ρ/(1+ρ)
//
// The left side is the earliest true time at which a fast node expires the key. The
// right side is the latest true time at which a slow client holds its lease valid
// (claim BA-8).
func AllowanceFor(ttl time.Duration, rateErrorPPM int) time.Duration {
	numerator := big.NewInt(int64(ttl))
	numerator.Mul(numerator, big.NewInt(2*int64(rateErrorPPM)))
	denominator := big.NewInt(million + int64(rateErrorPPM))
	numerator.Add(numerator, denominator)
	numerator.Sub(numerator, big.NewInt(1))
	return time.Duration(numerator.Div(numerator, denominator).Int64()) + expirySlack
}

// RateErrorCovered returns the largest rate error per clock that an allowance covers,
// in parts per million, rounded down:
//
//	ρ = allowance/(2·ttl - allowance)
//
// It does not subtract the 2 ms for the expiry of keys in whole milliseconds. It
// returns 0 if allowance or ttl is zero or negative, and 1,000,000 if allowance is at
// least ttl (claim BA-8).
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
