package subjects

import (
	"time"

	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
)

// driftOption is the share of the TTL that locks with the customary allowance take off
// their validity (redsync's WithDriftFactor).
var driftOption = plan.OptionDeclaration{
	Name: "drift_factor", Values: []string{"1%"}, Kind: plan.PercentParameter, High: 1_000_000,
	Doc: "the share of the TTL that is taken off the validity, for clocks that err",
}

// driftPPM is that share in parts per million.
func driftPPM(e lock.Environment) int64 {
	ppm, err := driftOption.Parameter().Parse(e.Option(driftOption.Name, driftOption.Values[0]))
	if err != nil {
		panic(err) // the option was checked
	}
	return ppm
}

// drift is that share of the TTL, rounded down to a nanosecond.
func drift(e lock.Environment) time.Duration {
	const million = 1_000_000
	ttl, ppm := int64(e.Lock.TTL), driftPPM(e)
	return time.Duration(ttl/million*ppm + ttl%million*ppm/million)
}
