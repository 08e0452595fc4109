package cause

import (
	"cmp"
	"slices"
	"time"

	"redlocklab/checker"
	"redlocklab/faults"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/sim"
)

// Heals lists what broke assumptions in a run, and how to take each away: first what
// changes a fault or a setting, then what removes a fault, then what is for the rest. A break that no heal takes
// away is the lock's own doing, such as a token that it uses twice.
func Heals(run *play.Result) []*Heal {
	b := &builder{run: run, ledger: whole(run).Ledger}
	for i := range run.History.Facts {
		b.fact(&run.History.Facts[i])
	}
	for _, assumption := range b.ledger {
		for _, br := range assumption.Breaks {
			switch assumption.ID {
			case checker.AssumptionWork:
				b.lateWork(&br)
			case checker.AssumptionToken:
				if run.Plan.Subject.Option("token", "unique") != "unique" {
					b.add(option("token", "unique tokens"), assumption.ID, &br)
				}
			}
		}
	}
	b.unhealed()
	rank := func(h *Heal) int {
		switch {
		case h.broad:
			return 2
		case h.whole:
			return 1
		}
		return 0
	}
	slices.SortStableFunc(b.heals, func(x, y *Heal) int { return rank(x) - rank(y) })
	for _, h := range b.heals {
		slices.SortStableFunc(h.Breaks, func(x, y Break) int {
			return cmp.Compare(slices.Index(checker.Assumptions(), x.Assumption), slices.Index(checker.Assumptions(), y.Assumption))
		})
	}
	return b.heals
}

// Without returns the plan of a run without what some heals take away, by their names.
// It expects nothing. Unknown names are ignored.
func Without(run *play.Result, names []string) *plan.Plan {
	all := append(Heals(run), unbroken(run)...)
	for i := range run.Plan.Faults { // what breaks something only where others are healed
		f := &run.Plan.Faults[i]
		all = append(all, keepVotes(f), countSleep(f), remove(f.Name))
	}
	for i := range run.Plan.Clients {
		all = append(all, workInTime(run.Plan.Clients[i].Name))
	}
	var chosen []*Heal
	for _, name := range names {
		if i := slices.IndexFunc(all, func(h *Heal) bool { return h.Name == name }); i >= 0 {
			chosen = append(chosen, all[i])
		}
	}
	healed := without(run, chosen)
	healed.Subject.Unstated = true
	return healed
}

// unbroken lists how to take away what can be needed without a broken assumption: the
// faults that did something, clients' times of day that differ, and random loss.
func unbroken(run *play.Result) []*Heal {
	var list []*Heal
	for _, count := range run.Fired {
		if count.Acted > 0 {
			list = append(list, remove(count.Fault))
		}
	}
	brokeWall := func(a checker.Assumption) bool { return a.ID == checker.AssumptionWall && !a.Kept }
	if slices.ContainsFunc(run.Plan.Clients, func(c plan.Client) bool { return c.Ahead != 0 }) && !slices.ContainsFunc(run.Verdict.Ledger, brokeWall) {
		list = append(list, sameDate())
	}
	if n := &run.Plan.World.Network; n.LossPPM > 0 || slices.ContainsFunc(n.Links, func(l sim.LinkConfig) bool { return l.LossPPM > 0 }) {
		list = append(list, noLoss())
	}
	return list
}

// builder collects heals.
type builder struct {
	run    *play.Result
	ledger []checker.Assumption // with all breaks
	heals  []*Heal
}

// add adds a heal with what it takes away.
func (b *builder) add(h *Heal, assumption string, what *checker.Break) {
	i := slices.IndexFunc(b.heals, func(other *Heal) bool { return other.Name == h.Name })
	if i < 0 {
		i = len(b.heals)
		b.heals = append(b.heals, h)
	}
	b.heals[i].Breaks = append(b.heals[i].Breaks, Break{assumption, what.AtNS, what.Event, what.Reason, what.Key, what.Lease})
}

// breakOf finds the break that a fact is, by its event; nil when it is none. Settings have no
// event: they are told apart by whom they are about.
func (b *builder) breakOf(assumption string, f *checker.Fact) *checker.Break {
	var found *checker.Break
	for i := range b.ledger {
		for j := range b.ledger[i].Breaks {
			what := &b.ledger[i].Breaks[j]
			switch {
			case b.ledger[i].ID != assumption || what.Event != f.Event:
			case what.Subject == f.Who+f.Node+f.Client:
				return what
			case found == nil:
				found = what
			}
		}
	}
	return found
}

// fact adds the heals of what a fact broke.
func (b *builder) fact(f *checker.Fact) {
	for _, assumption := range []string{
		checker.AssumptionRate, checker.AssumptionStep, checker.AssumptionWall, checker.AssumptionVote, checker.AssumptionDistinct,
		checker.AssumptionOwner, checker.AssumptionCounter, checker.AssumptionRandom, checker.AssumptionBounded,
	} {
		if !breaks(f, assumption) {
			continue
		}
		if what := b.breakOf(assumption, f); what != nil {
			for _, h := range b.healsOf(f) {
				b.add(h, assumption, what)
			}
		}
	}
}

// breaks reports whether a fact is of a sort that can break an assumption.
func breaks(f *checker.Fact, assumption string) bool {
	lost := f.Fact == checker.FactForgot || f.Fact == checker.FactRevived
	switch assumption {
	case checker.AssumptionRate:
		return f.Fact == checker.FactClockRate || f.Fact == checker.FactSuspended
	case checker.AssumptionStep:
		return f.Fact == checker.FactClockStep || lost && f.Cause == checker.CauseClockStep
	case checker.AssumptionWall:
		return f.Fact == checker.FactWallDiffers
	case checker.AssumptionVote:
		return lost && (f.Cause == checker.CauseCrash || f.Cause == checker.CausePowerLoss || f.Cause == checker.CauseRollback)
	case checker.AssumptionDistinct:
		return f.Fact == checker.FactFailover || f.Fact == checker.FactSameServer || f.Fact == checker.FactMembership || lost && f.Cause == checker.CauseFailover
	case checker.AssumptionOwner:
		return f.Fact == checker.FactOwner
	case checker.AssumptionCounter:
		return f.Fact == checker.FactCounterLost || f.Fact == checker.FactMarkLost
	case checker.AssumptionRandom:
		return f.Fact == checker.FactRetryFixed
	case checker.AssumptionBounded:
		return f.Fact == checker.FactUnboundedExtension
	}
	return false
}

// healsOf lists the heals of what made a fact true.
func (b *builder) healsOf(f *checker.Fact) []*Heal {
	switch f.Fact {
	case checker.FactSameServer:
		return []*Heal{distinctServers()}
	case checker.FactMembership:
		if f.Client != "" { // otherwise an address moved
			return []*Heal{sameNodes()}
		}
	case checker.FactRetryFixed:
		return []*Heal{option("retry", "random delays between attempts")}
	case checker.FactUnboundedExtension:
		return []*Heal{boundExtensions(b.run.Plan, f.Client)}
	case checker.FactClockRate:
		if f.Event == 0 {
			return []*Heal{trueRates(f.Who)}
		}
	case checker.FactWallDiffers:
		if f.Event == 0 {
			return []*Heal{sameDate()}
		}
	case checker.FactForgot, checker.FactRevived, checker.FactFailover, checker.FactCounterLost:
		if f.Cause == checker.CauseClockStep {
			return b.steps(f)
		}
		if full := b.fullDisk(f); full != nil {
			return []*Heal{remove(full.Name)} // no end of the server would save what it did not write
		}
		if fault := b.fault(b.ended(f)); fault != nil {
			return []*Heal{keepVotes(fault)}
		}
	}
	return b.away(f.Event)
}

// away lists the heal of the fault that made an event happen.
func (b *builder) away(event int64) []*Heal {
	fault := b.fault(b.event(event).Fault)
	switch {
	case fault == nil:
		return nil
	case isSuspend(fault) && b.event(event).Kind == sim.ClockRate:
		return []*Heal{countSleep(fault)}
	}
	return []*Heal{remove(fault.Name)}
}

func isSuspend(f *faults.Fault) bool {
	_, ok := f.Effect.(*faults.Suspend)
	return ok
}

// ended names the fault that ended a node the last time before a fact, or the failover that
// brought it back: while a node is down, another fault may promote its replica. It is empty
// when the node did not end: a third party then took the key.
func (b *builder) ended(f *checker.Fact) string {
	if fault := b.fault(b.event(f.Event).Fault); fault != nil {
		if _, promotes := fault.Effect.(*faults.Failover); promotes {
			return fault.Name
		}
	}
	for i := min(int(f.Event), len(b.run.Events)) - 1; i >= 0; i-- {
		e := &b.run.Events[i]
		switch {
		case e.Node != f.Node:
		case e.Kind == sim.Crash:
			return e.Fault
		case e.Kind == sim.NodeCall && int64(e.Seq) == f.Event:
			return ""
		}
	}
	return ""
}

// fullDisk is the fault that kept a node from writing what it has lost; nil: none.
func (b *builder) fullDisk(f *checker.Fact) *faults.Fault {
	ended := false
	for i := min(int(f.Event), len(b.run.Events)) - 1; i >= 0; i-- {
		e := &b.run.Events[i]
		switch {
		case e.Node != f.Node:
		case e.Kind == sim.Crash:
			ended = true
		case !ended || e.Detail != sim.DiskFull:
		case e.Kind == sim.Impair:
			return b.fault(e.Fault)
		default:
			return nil
		}
	}
	return nil
}

// steps lists the heals of the clock steps that let a node come back too early.
func (b *builder) steps(f *checker.Fact) []*Heal {
	var list []*Heal
	for i := range b.run.Events[:min(int(f.Event), len(b.run.Events))] {
		if e := &b.run.Events[i]; e.Kind == sim.ClockStep && e.Node == f.Node {
			list = append(list, b.away(int64(e.Seq))...)
		}
	}
	return list
}

// lateWork adds the heals of work after the end of a lease: of the pause or the slowness
// of the holder, and of what its steps do.
func (b *builder) lateWork(what *checker.Break) {
	event := b.event(what.Event)
	for i := range b.run.Plan.Faults {
		f := &b.run.Plan.Faults[i]
		_, slow := f.Effect.(*faults.SlowClient)
		clients := faults.ClientsOf(f.Effect)
		if b.acted(f.Name) && (f.Name == event.Fault || slow && (slices.Contains(clients, event.Process) || slices.Contains(clients, faults.All))) {
			b.add(remove(f.Name), checker.AssumptionWork, what)
		}
	}
	if event.Process != "" {
		b.add(workInTime(event.Process), checker.AssumptionWork, what)
	}
}

// unhealed adds the heals of faults that did not stop in time for a missed goal.
func (b *builder) unhealed() {
	for i := range b.ledger {
		a := &b.ledger[i]
		if a.ID != checker.AssumptionHeal || a.Kept {
			continue
		}
		for j := range b.run.History.Facts {
			f := &b.run.History.Facts[j]
			if f.Fact != checker.FactFault || !b.duringMissed(f) {
				continue
			}
			what := &a.Breaks[0]
			for _, h := range b.away(f.Event) {
				b.add(h, a.ID, &checker.Break{AtNS: max(f.AtNS, 0), Event: f.Event, Reason: what.Reason})
			}
		}
	}
}

// duringMissed reports whether a fault lasted into the time of a goal that was missed.
func (b *builder) duringMissed(f *checker.Fact) bool {
	for i, result := range b.run.Verdict.Liveness.Goals {
		goal := &b.run.History.Goals[i]
		if result.Status == checker.Violated && f.AtNS < goal.FromNS+goal.WithinNS && (f.UntilNS == nil || *f.UntilNS > goal.FromNS) {
			return true
		}
	}
	return false
}

// event returns an event by its number; the zero event for 0.
func (b *builder) event(number int64) sim.Event {
	if number < 1 || number > int64(len(b.run.Events)) {
		return sim.Event{}
	}
	return b.run.Events[number-1]
}

// fault returns a fault of the plan by its name, or nil.
func (b *builder) fault(name string) *faults.Fault {
	for i := range b.run.Plan.Faults {
		if b.run.Plan.Faults[i].Name == name {
			return &b.run.Plan.Faults[i]
		}
	}
	return nil
}

func (b *builder) acted(fault string) bool {
	return slices.ContainsFunc(b.run.Fired, func(c faults.Count) bool { return c.Fault == fault && c.Acted > 0 })
}

// sameDate lets all clients begin with the same time of day.
func sameDate() *Heal {
	return &Heal{Name: "one time of day", Words: "if all clients have the same time of day", edit: func(p *plan.Plan) {
		p.Clients, p.World.Processes = slices.Clone(p.Clients), slices.Clone(p.World.Processes)
		for i := range p.Clients {
			for j := range p.World.Processes {
				if p.World.Processes[j].Name == p.Clients[i].Name {
					p.World.Processes[j].WallOffset -= p.Clients[i].Ahead
				}
			}
			p.Clients[i].Ahead = time.Duration(0)
		}
	}}
}

// noLoss makes the network lose nothing by chance.
func noLoss() *Heal {
	return &Heal{Name: "no random loss", Words: "if the network loses nothing by chance", edit: func(p *plan.Plan) {
		p.World.Network.LossPPM = 0
		p.World.Network.Links = slices.Clone(p.World.Network.Links)
		for i := range p.World.Network.Links {
			p.World.Network.Links[i].LossPPM = 0
		}
	}}
}
