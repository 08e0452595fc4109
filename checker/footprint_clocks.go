package checker

import "slices"

// reach says by how much steps and rates of clocks can have made two leases
// overlap.
type reach struct{ steps, rates int64 }

// erringClocks looks for clocks that erred by at least the overlap. A lease is
// too long by the error of its holder's clock, and its vote is too short by the
// error of that node's clock; the two add up. Steps or rates that are enough
// alone explain the overlap alone, else they do together.
func (f *footprint) erringClocks(pair clash) {
	for _, lease := range pair.leases {
		own := f.holderReach(lease, pair)
		totals := []reach{own}
		for _, node := range f.Header.Nodes {
			if since, voted := f.votesFor(lease).since(node, pair.at, f.callOf(lease)); voted {
				its := f.nodeReach(node, interval{since, pair.at + 1})
				totals = append(totals, reach{own.steps + its.steps, own.rates + its.rates})
			}
		}
		for _, total := range totals {
			together := max(total.steps, total.rates) < pair.size && total.steps+total.rates >= pair.size
			if total.steps >= pair.size || together {
				f.found[AssumptionStep] = true
			}
			if total.rates >= pair.size || together {
				f.found[AssumptionRate] = true
			}
		}
	}
}

// explainDates explains a lease that is believed without enough votes by wall clocks that
// differed by at least the time for which it lacks them: its keys were dead when they were
// set, or died early. What made the clocks differ may have broken A-STEP or A-RATE instead.
func (f *footprint) explainDates(lease *Lease) {
	lacking := int64(0)
	for _, validity := range lease.Validity {
		if validity.AtNS <= f.at {
			lacking = validity.UntilNS - f.at
		}
	}
	for fact := range each(f.Facts) {
		if fact.Fact == FactWallDiffers && f.wallDiffered(fact, lease, f.at, lacking) {
			for _, id := range []string{AssumptionWall, AssumptionStep, AssumptionRate} {
				f.mark(id, func(b Break) bool { return b.fact == fact || fact.Event != 0 && b.Event == fact.Event })
			}
		}
	}
}

// wallDiffered reports whether a wall clock that a lease relied on differed by at least size,
// at some time from its call to an instant: that of its client from any that it relied on,
// where the lease relies on the nodes that voted for it, and on those that took its set and
// had no key after it.
func (l *ledgerBuilder) wallDiffered(fact *Fact, lease *Lease, at, size int64) bool {
	during := interval{l.callOf(lease), at + 1}
	others := fact.Client != "" && fact.Client != lease.Client && fact.Who != lease.Client
	if max(fact.DeltaNS, -fact.DeltaNS) < size || !lasting(fact).overlaps(during) || others {
		return false
	}
	asked := l.votesFor(lease).on(fact.Who) || slices.ContainsFunc(l.nodeEvents, func(event *NodeEvent) bool {
		refused := event.Node == fact.Who && event.What == NodeRefuse && event.Asked == ActionAcquire
		return refused && event.Client == lease.Client && event.Resource == lease.Resource &&
			during.contains(event.AtNS) && event.AtNS <= lease.AcquiredNS()
	})
	compared := fact.Client == lease.Client && !slices.Contains(l.Header.Nodes, fact.Who)
	return asked || fact.Who == lease.Client || compared
}

// holderReach is by how much a lease's holder can have believed for too long: its
// clock stood, was slow or was set back. A wall clock may also be fast or set
// forwards, because a lock may compare it with times that other clients wrote.
// A rate counts to the end of the overlap, as it defers that end.
func (l *ledgerBuilder) holderReach(lease *Lease, pair clash) reach {
	var total reach
	from := l.callOf(lease)
	before := interval{from, pair.at + 1}
	slow := func(fact *Fact, late int64) int64 {
		if fact.Clock == ClockWall && late < 0 {
			return -late
		}
		return max(late, 0)
	}
	for _, entry := range l.breaks[AssumptionStep] {
		fact := entry.fact
		if fact.Fact == FactClockStep && fact.Who == lease.Client && before.contains(fact.AtNS) {
			total.steps += slow(fact, -fact.DeltaNS)
		}
	}
	for _, entry := range l.breaks[AssumptionRate] {
		fact, errorPPM := entry.fact, entry.fact.ErrorPPM
		switch {
		case fact.Fact == FactSuspended && fact.Client == lease.Client:
			errorPPM = -1_000_000
		case fact.Who != lease.Client:
			continue
		}
		if fact.AtNS <= pair.at {
			total.rates += slow(fact, -drift(errorPPM, common(lasting(fact), interval{from, pair.at + pair.size})))
		}
	}
	return total
}

// nodeReach is by how much a node's clock ran or was set forwards in a window.
func (l *ledgerBuilder) nodeReach(node string, window interval) reach {
	var total reach
	ahead := int64(0) // by all steps so far; a step back takes from it
	for _, entry := range l.breaks[AssumptionStep] {
		if fact := entry.fact; fact.Fact == FactClockStep && fact.Who == node && window.contains(fact.AtNS) {
			ahead += fact.DeltaNS
			total.steps = max(total.steps, ahead)
		}
	}
	for _, entry := range l.breaks[AssumptionRate] {
		if fact := entry.fact; fact.Who == node {
			total.rates += max(drift(fact.ErrorPPM, common(lasting(fact), window)), 0)
		}
	}
	return total
}

// common is how long two intervals have in common.
func common(a, b interval) int64 { return max(min(a.until, b.until)-max(a.from, b.from), 0) }

// drift is how far a clock with a rate error gets in a time, rounded away from zero.
func drift(errorPPM, span int64) int64 {
	whole, rest := span/1_000_000, span%1_000_000
	result := errorPPM*whole + errorPPM*rest/1_000_000
	switch {
	case errorPPM*rest%1_000_000 == 0:
		return result
	case errorPPM < 0:
		return result - 1
	}
	return result + 1
}
