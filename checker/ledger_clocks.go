package checker

import (
	"slices"
	"strings"
)

// clockMatters reports whether a fact is about a clock that matters, and to
// whose leases. A node's clock matters to all leases; client is then empty. A
// client's clock matters to its own leases, if it is the one that its lock reads.
func (l *ledgerBuilder) clockMatters(fact *Fact) (client string, matters bool) {
	if slices.Contains(l.Header.Nodes, fact.Who) {
		return "", true
	}
	reads := l.clients[fact.Who].Clock
	return fact.Who, reads == fact.Clock && reads != ClockTrue && reads != ClockNone
}

// disturbs finds what exists first in a window in which a clock was wrong: a
// lease, or a vote on that node. The words end the reason of the break.
func (l *ledgerBuilder) disturbs(fact *Fact, client string, window interval) (at int64, words string, found bool) {
	if lease, from := l.leaseDuring(window, client); lease != nil {
		at, words, found = from, "while "+lease.ID+" existed", true
	}
	if client == "" {
		if voter, from, ok := l.voteDuring(fact.Who, window); ok && (!found || from < at) {
			at, words, found = from, "while it held a vote of "+voter, true
		}
	}
	return at, words, found
}

// voteDuring finds a client whose vote a node held in a window, and from when on it held it there.
func (l *ledgerBuilder) voteDuring(node string, window interval) (client string, at int64, ok bool) {
	for _, life := range l.lives[node] {
		if vote := life.vote(); vote.overlaps(window) {
			return life.set.Client, max(vote.from, window.from), true
		}
	}
	return "", 0, false
}

// clockStep records a step of a clock. Set forwards, a client's clock also matters to a lease
// that ends at that very instant: the step ended it. Set back, it matters until the client is done
// with its lease: one that had ended looks valid again.
func (l *ledgerBuilder) clockStep(fact *Fact) {
	client, matters := l.clockMatters(fact)
	if !matters {
		return
	}
	window := interval{fact.AtNS, fact.AtNS + 1}
	if client != "" && fact.DeltaNS > 0 {
		window.from--
	}
	if _, words, found := l.disturbs(fact, client, window); found {
		l.broken(AssumptionStep, fact.AtNS, fact, "%s was stepped by %s %s", clockOf(fact), span(fact.DeltaNS), words)
	} else if lease := find(l.Leases, func(lease *Lease) bool {
		return lease.Client == client && fact.DeltaNS < 0 && l.life(lease).contains(fact.AtNS)
	}); lease != nil {
		l.broken(AssumptionStep, fact.AtNS, fact, "%s was stepped by %s before its last call on %s returned",
			clockOf(fact), span(fact.DeltaNS), lease.ID)
	}
}

// clockRate records a clock whose rate errs by more than A-RATE allows.
func (l *ledgerBuilder) clockRate(fact *Fact) {
	client, matters := l.clockMatters(fact)
	if !matters || l.rateAllowed(fact) {
		return
	}
	if at, words, found := l.disturbs(fact, client, lasting(fact)); found {
		l.broken(AssumptionRate, at, fact, "%s erred by %d ppm (%d allowed) %s",
			clockOf(fact), fact.ErrorPPM, l.Header.RateErrorPPM, words)
	}
}

// rateAllowed reports whether A-RATE allows the rate error of a clock.
func (l *ledgerBuilder) rateAllowed(fact *Fact) bool {
	return fact.ErrorPPM <= l.Header.RateErrorPPM && fact.ErrorPPM >= -l.Header.RateErrorPPM
}

// differingWalls records that a lock, which writes times of day, relies on wall clocks that
// differ. An event that made them differ breaks one assumption only: A-STEP or A-RATE if it
// can.
func (l *ledgerBuilder) differingWalls() {
	for fact := range each(l.Facts) {
		if fact.Fact != FactWallDiffers || max(fact.DeltaNS, -fact.DeltaNS) <= l.Header.WallErrorNS {
			continue
		}
		same := func(b Break) bool { return fact.Event != 0 && b.Event == fact.Event }
		if slices.ContainsFunc(l.breaks[AssumptionStep], same) || slices.ContainsFunc(l.breaks[AssumptionRate], same) {
			continue
		}
		if lease, at := l.leaseDuring(lasting(fact), ""); lease != nil {
			than := "true time"
			if fact.Client != "" {
				than = fact.Client + "'s"
			}
			l.broken(AssumptionWall, at, fact, "%s's wall clock was ahead of %s by %s (%s allowed) while %s existed",
				fact.Who, than, span(fact.DeltaNS), span(l.Header.WallErrorNS), lease.ID)
		}
	}
}

// suspended records the suspension of a client's host. Only a monotonic clock
// stands still meanwhile.
func (l *ledgerBuilder) suspended(fact *Fact) {
	if l.clients[fact.Client].Clock != ClockMonotonic {
		return
	}
	if lease, at := l.leaseDuring(lasting(fact), fact.Client); lease != nil {
		l.broken(AssumptionRate, at, fact, "%s's host was suspended while %s existed, and its monotonic clock does not count that", fact.Client, lease.ID)
	}
}

// clockOf names the clock of a fact: "A's wall clock".
func clockOf(fact *Fact) string {
	return strings.TrimSuffix(fact.Who+"'s "+string(fact.Clock), " ") + " clock"
}
