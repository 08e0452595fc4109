package cause

import (
	"slices"
	"time"

	"redlocklab/faults"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/sim"
)

// freeze replaces triggers that wait for an event that a heal takes away: the faults and goals
// begin and end when they did in the run. Otherwise they would never begin, and a finding
// could vanish for that reason alone.
func freeze(run *play.Result, p *plan.Plan, h *Heal) {
	for i := range p.Faults {
		f := &p.Faults[i]
		repeats := f.Again.Every == 0 && f.Again.Times > 1
		if at, taken := takes(run, h, f.Begin); taken && !repeats {
			f.Begin = faults.Trigger{At: at}
		}
		at, taken := takes(run, h, faults.Trigger{When: f.End.When})
		if began, ok := firstOf(run, f.Name); ok && taken {
			f.End = faults.Ending{Ends: true, For: max(at-began, 1)}
		}
	}
	for i := range p.Liveness {
		if at, taken := takes(run, h, p.Liveness[i].From); taken {
			p.Liveness[i].From = faults.Trigger{At: at}
		}
	}
}

// takes reports whether a heal takes away the event that fired a trigger in the run, and
// when the trigger's time had come.
func takes(run *play.Result, h *Heal, t faults.Trigger) (at time.Duration, taken bool) {
	switch {
	case t.When.IsZero() || h.Fault == "":
		return 0, false
	case t.When.Fault != "":
		if t.When.Fault != h.Fault || h.scope != removes {
			return 0, false
		}
		find := firstOf
		if t.When.Word == "ended" {
			find = endOf
		}
		at, taken = find(run, h.Fault)
		return at + t.After, taken
	}
	matches, purposes := 0, sim.Purposes{}
	for i := range run.Events {
		e := &run.Events[i]
		if t.When.Match(*e, purposes.Apply(e)) {
			if matches++; matches >= t.Nth {
				return e.At + t.After, h.takes(e)
			}
		}
	}
	return 0, false
}

// takes reports whether an event does not happen without what the heal takes away.
func (h *Heal) takes(e *sim.Event) bool {
	return e.Fault == h.Fault && (h.scope == removes || e.Kind == sim.Forget || e.Kind == sim.Revive ||
		e.Detail == sim.Promoted || e.Detail == sim.PromotedAgain)
}

// firstOf is when a fault began, as far as the trace shows it.
func firstOf(run *play.Result, fault string) (time.Duration, bool) {
	for _, e := range run.Events {
		if e.Fault == fault {
			return e.At, true
		}
	}
	return 0, false
}

// endOf is when a fault ended, as far as the trace shows it.
func endOf(run *play.Result, fault string) (time.Duration, bool) {
	for _, e := range slices.Backward(run.Events) {
		switch e.Kind {
		case sim.Resume, sim.Restart, sim.Heal, sim.Recover, sim.ClockRate:
			if e.Fault == fault {
				return e.At, true
			}
		}
	}
	return 0, false
}
