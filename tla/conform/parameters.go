package conform

import (
	"fmt"
	"time"

	"redlocklab/faults"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
	"redlocklab/tla"
)

// UnmodelledError says what in a run the core of the specification does not have.
type UnmodelledError struct{ Reason string }

func (e *UnmodelledError) Error() string { return e.Reason }

func unmodelled(format string, arguments ...any) error {
	return &UnmodelledError{Reason: fmt.Sprintf(format, arguments...)}
}

// expiryGrain is how exactly a server expires a key: Redis keeps deadlines in
// whole milliseconds.
const expiryGrain = time.Millisecond

// million is the denominator of a rate error in parts per million.
const million = 1_000_000

// allowance is the distlock page's: 1 % of the TTL for drift, and 2 ms. It is
// repeated here, so that the check finds a lock that takes off less.
func allowance(ttl time.Duration) time.Duration { return ttl/100 + 2*time.Millisecond }

// parameters are the specification's constants for a plan. The allowance is the
// customary one, which every subject here uses. Error: *UnmodelledError.
func parameters(plan *plan.Plan) (tla.TraceParameters, error) {
	if err := modelled(plan); err != nil {
		return tla.TraceParameters{}, err
	}
	p := tla.TraceParameters{
		TTL: plan.Lock.TTL, ClockError: expiryGrain + rateError(plan), Allowance: allowance(plan.Lock.TTL),
	}
	for _, c := range plan.Clients {
		p.Clients = append(p.Clients, c.Name)
	}
	for _, n := range plan.World.Nodes {
		p.Nodes = append(p.Nodes, n.Name)
	}
	if plan.Subject.Name == "SY-10" && plan.Subject.Option("guard", "true") == "true" {
		// The shortest guard that RP-4 proves safe; the package's own is longer.
		p.Guarded, p.RestartBar = true, p.TTL-p.Allowance+p.ClockError
	}
	p.Strict = plan.Subject.Name == "SY-10"
	p.Fenced = plan.Subject.Name == "SY-10" && string(plan.Lock.Fencing) == "subject"
	return p, nil
}

// rateError is the largest error that the plan's clocks make over one TTL.
func rateError(plan *plan.Plan) time.Duration {
	worst := int64(0)
	clock := func(ppm int64) { worst = max(worst, ppm, -ppm) }
	for _, f := range plan.Faults {
		switch effect := f.Effect.(type) {
		case *faults.NodeClockRate:
			clock(effect.PPM)
		case *faults.ClientClockRate:
			clock(effect.PPM)
		case *faults.NodeClockDrift:
			clock(effect.PPM)
		case *faults.ClientClockDrift:
			clock(effect.PPM)
		}
	}
	for _, n := range plan.World.Nodes {
		clock(n.RatePPM)
	}
	for _, p := range plan.World.Processes {
		clock(p.RatePPM)
	}
	if worst >= million {
		return plan.Lock.TTL
	}
	return time.Duration((int64(plan.Lock.TTL)*worst + million - worst - 1) / (million - worst))
}

// modelled says what in a plan the core does not have; nil when it has it all.
func modelled(plan *plan.Plan) error {
	option := plan.Subject.Option
	switch {
	case plan.Subject.Name != "SY-0" && plan.Subject.Name != "SY-10":
		return unmodelled("%s is not the algorithm of the specification", plan.Subject.Name)
	case option("bug", "none") != "none":
		return unmodelled("a planted bug")
	case option("token", "unique") != "unique":
		return unmodelled("clients that share a token")
	case plan.Subject.Name == "SY-0" && option("driver", "plain") != "plain":
		return unmodelled("SY-0 refuses its own key when the driver repeats a SET (MX-11)")
	case rateError(plan)+expiryGrain >= plan.Lock.TTL:
		return unmodelled("a clock that errs by a TTL or more")
	}
	clock := sim.Boottime
	if plan.Subject.Name == "SY-0" {
		clock = sim.ClockKind(option("clock", string(sim.Boottime)))
	}
	for _, c := range plan.Clients {
		if len(c.Nodes) > 0 {
			return unmodelled("clients that do not use the same nodes")
		}
	}
	for _, n := range plan.World.Nodes {
		if n.SameAs != "" {
			return unmodelled("addresses that are one server")
		}
	}
	for _, f := range plan.Faults {
		switch effect := f.Effect.(type) {
		case *faults.Failover, *faults.Demote:
			return unmodelled("a replica that takes a node's place")
		case *faults.ClientClockStep:
			if string(effect.Clock) == string(clock) {
				return unmodelled("a step of the clock that measures validity")
			}
		case *faults.Suspend:
			if clock == sim.Monotonic {
				return unmodelled("a clock that stands still")
			}
		case *faults.NodeClockStep:
			if effect.By < plan.Lock.TTL {
				return unmodelled("a step of a node's clock that is shorter than the TTL, or backwards")
			}
		}
	}
	return nil
}
