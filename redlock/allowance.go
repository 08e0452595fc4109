package redlock

import (
	"math/bits"
	"time"
)

// expirySlack covers what a bound on clock rates does not. Redis keeps deadlines in
// whole milliseconds, so a key may expire up to 1 ms early; 1 ms more is reserve. It
// is the "+ 2 ms" of the customary allowance.
const expirySlack = 2 * time.Millisecond

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
// (claim BA-8). Neither argument may be negative.
func AllowanceFor(ttl time.Duration, rateErrorPPM int) time.Duration {
	const million = 1_000_000
	divisor := million + uint64(rateErrorPPM)
	high, low := bits.Mul64(uint64(ttl), 2*uint64(rateErrorPPM))
	low, carry := bits.Add64(low, divisor-1, 0)
	quotient, _ := bits.Div64(high+carry, low, divisor)
	return time.Duration(quotient) + expirySlack
}
