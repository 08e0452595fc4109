package subjects

import (
	"time"

	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// Options of several subjects.
var (
	// driverOption is an option of every subject that uses go-redis.
	driverOption = plan.OptionDeclaration{
		Name: "driver", Values: []string{"plain", "retrying"},
		Doc: "whether go-redis sends a command again whose answer did not come within a fifth of the node timeout",
	}
	// retriesOption is an option of libraries that retry by themselves.
	retriesOption = plan.OptionDeclaration{
		Name: "retries", Values: []string{"library", "caller"},
		Doc: "who tries again after a failed attempt: the library's Lock, or its caller in a loop of TryLock",
	}
	// driftOption is the share of the TTL that locks with the customary allowance take off
	// their validity (redsync's WithDriftFactor).
	driftOption = plan.OptionDeclaration{
		Name: "drift_factor", Values: []string{"1%"}, Kind: plan.PercentParameter, High: 1_000_000,
		Doc: "the share of the TTL that is taken off the validity, for clocks that err",
	}
)

func retriedByCaller(e lock.Environment) bool { return e.Option("retries", "library") == "caller" }

// driftPPM is the share of driftOption in parts per million.
func driftPPM(option func(name, otherwise string) string) int64 {
	ppm, err := driftOption.Parameter().Parse(option(driftOption.Name, driftOption.Values[0]))
	if err != nil {
		panic(err) // the option was checked
	}
	return ppm
}

// drift is the share of driftOption of the TTL, rounded down to a nanosecond.
func drift(lifetime time.Duration, option func(name, otherwise string) string) time.Duration {
	const million = 1_000_000
	ttl, ppm := int64(lifetime), driftPPM(option)
	return time.Duration(ttl/million*ppm + ttl%million*ppm/million)
}

// nothing is the allowance of locks that take nothing off the TTL.
func nothing(time.Duration, func(name, otherwise string) string) time.Duration { return 0 }

// reads declares the one clock that a subject reads, whatever its options.
func reads(kind sim.ClockKind) func(func(name, standard string) string) sim.ClockKind {
	return func(func(string, string) string) sim.ClockKind { return kind }
}
