package cause

import (
	"cmp"
	"iter"
	"slices"

	"redlocklab/checker"
	"redlocklab/faults"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/sim"
)

// Heals lists the heals of a run: first those that change a fault or a setting, then those that
// remove a fault, then those for the rest. A break that no heal takes away is the lock's own
// doing, such as a token that it uses twice.
func Heals(run *play.Result) []*Heal {
	b := &builder{run: run, ledger: unabridged(run).Ledger}
	byLine := map[int]broken{} // by the line of the fact that broke the assumption
	for _, a := range b.ledger {
		for _, br := range a.Breaks {
			if !slices.Contains(byOthers, a.ID) {
				byLine[br.Line] = broken{a.ID, br}
			}
		}
	}
	for _, f := range checker.Numbered(run.History).Facts {
		if br, ok := byLine[f.Line]; ok {
			b.add(br.assumption, br.Break, b.healsOf(&f)...)
		}
	}
	for _, a := range b.ledger {
		for _, br := range a.Breaks {
			switch a.ID {
			case checker.AssumptionWork:
				b.lateWork(br)
			case checker.AssumptionTries:
				b.add(a.ID, br, endlessTries())
			case checker.AssumptionToken:
				if run.Plan.Subject.Option("token", "unique") != "unique" {
					b.add(a.ID, br, option("token", "unique tokens"))
				}
			}
		}
	}
	b.lastingFaults()
	slices.SortStableFunc(b.heals, func(x, y *Heal) int { return cmp.Compare(x.scope, y.scope) })
	order := checker.Assumptions()
	for _, h := range b.heals {
		slices.SortStableFunc(h.Breaks, func(x, y Break) int {
			return cmp.Compare(slices.Index(order, x.Assumption), slices.Index(order, y.Assumption))
		})
	}
	return b.heals
}

// byOthers are the assumptions that no single fact breaks.
var byOthers = []string{
	checker.AssumptionWork, checker.AssumptionToken, checker.AssumptionHeal, checker.AssumptionTries,
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
	ahead := func(c plan.Client) bool { return c.Ahead != 0 }
	brokeWall := slices.Contains(run.Verdict.Broken(), checker.AssumptionWall)
	if slices.ContainsFunc(run.Plan.Clients, ahead) && !brokeWall {
		list = append(list, sameDate())
	}
	loses := func(l sim.LinkConfig) bool { return l.LossPPM > 0 }
	if n := &run.Plan.World.Network; n.LossPPM > 0 || slices.ContainsFunc(n.Links, loses) {
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

type broken struct {
	assumption string
	checker.Break
}

// add adds heals with what they take away.
func (b *builder) add(assumption string, what checker.Break, heals ...*Heal) {
	for _, h := range heals {
		i := slices.IndexFunc(b.heals, func(other *Heal) bool { return other.Name == h.Name })
		if i < 0 {
			i = len(b.heals)
			b.heals = append(b.heals, h)
		}
		b.heals[i].Breaks = append(b.heals[i].Breaks,
			Break{assumption, what.AtNS, what.Event, what.Reason, what.Key, what.Lease})
	}
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
	case b.event(event).Kind == sim.ClockRate:
		if _, suspends := fault.Effect.(*faults.Suspend); suspends {
			return []*Heal{countSleep(fault)}
		}
	}
	return []*Heal{remove(fault.Name)}
}

// ended names the fault that ended a node the last time before a fact, or the failover that
// brought it back: while a node is down, another fault may promote its replica. It is empty
// when the node did not end: a third party then took the key.
func (b *builder) ended(f *checker.Fact) string {
	if fault := b.fault(b.event(f.Event).Fault); fault != nil {
		switch fault.Effect.(type) {
		case *faults.Failover, *faults.Demote:
			return fault.Name
		}
	}
	for e := range b.backwards(f) {
		switch {
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
	for e := range b.backwards(f) {
		switch {
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

// backwards goes through the events of a fact's node, from the fact back to the beginning.
func (b *builder) backwards(f *checker.Fact) iter.Seq[*sim.Event] {
	return func(yield func(*sim.Event) bool) {
		for i := min(int(f.Event), len(b.run.Events)) - 1; i >= 0; i-- {
			if e := &b.run.Events[i]; e.Node == f.Node && !yield(e) {
				return
			}
		}
	}
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
func (b *builder) lateWork(what checker.Break) {
	event := b.event(what.Event)
	for _, f := range b.run.Plan.Faults {
		_, slow := f.Effect.(*faults.SlowClient)
		clients := faults.ClientsOf(f.Effect)
		slow = slow && (slices.Contains(clients, event.Process) || slices.Contains(clients, faults.All))
		acted := func(c faults.Count) bool { return c.Fault == f.Name && c.Acted > 0 }
		if (f.Name == event.Fault || slow) && slices.ContainsFunc(b.run.Fired, acted) {
			b.add(checker.AssumptionWork, what, remove(f.Name))
		}
	}
	if event.Process != "" {
		b.add(checker.AssumptionWork, what, workInTime(event.Process))
	}
}

// lastingFaults adds the heals of faults, slow links and losses that lasted into the time of a
// goal that was missed.
func (b *builder) lastingFaults() {
	at := slices.IndexFunc(b.ledger, func(a checker.Assumption) bool { return a.ID == checker.AssumptionHeal })
	if at < 0 || b.ledger[at].Kept {
		return
	}
	for _, f := range b.run.History.Facts {
		what := checker.Break{AtNS: max(f.AtNS, 0), Event: f.Event, Reason: b.ledger[at].Breaks[0].Reason}
		switch {
		case !b.duringMissed(&f):
		case f.Fact == checker.FactFault:
			b.add(checker.AssumptionHeal, what, b.away(f.Event)...)
		case f.Fact == checker.FactLost:
			b.add(checker.AssumptionHeal, what, noLoss())
		case f.Fact == checker.FactSlowLink:
			b.add(checker.AssumptionHeal, what, fastLinks(f.Client, f.Nodes))
		}
	}
}

// duringMissed reports whether a fault lasted into the time of a goal that was missed.
func (b *builder) duringMissed(f *checker.Fact) bool {
	for i, result := range b.run.Verdict.Liveness.Goals {
		goal := &b.run.History.Goals[i]
		during := f.AtNS < goal.FromNS+goal.WithinNS && (f.UntilNS == nil || *f.UntilNS > goal.FromNS)
		if result.Status == checker.Violated && during {
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
