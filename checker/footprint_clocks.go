package checker

import (
	"cmp"
	"maps"
	"slices"
)

// reach says by how much steps and rates of clocks can have made two leases
// overlap.
type reach struct{ steps, rates int64 }

func (r reach) plus(other reach) reach { return reach{r.steps + other.steps, r.rates + other.rates} }

// erringClocks looks for clocks that erred by at least the overlap. A lease is
// too long by the error of its holder's clock, and its vote is too short by the
// error of that node's clock; the two add up. Steps or rates that are enough
// alone explain the overlap alone, else they do together.
func (l *ledgerBuilder) erringClocks(pair clash, found map[string]bool) {
	for _, lease := range pair.leases {
		own := l.holderReach(lease, pair)
		totals := []reach{own}
		for _, node := range l.Header.Nodes {
			if since, voted := l.votesFor(lease).since(node, pair.at, l.callOf(lease)); voted {
				totals = append(totals, own.plus(l.nodeReach(node, interval{since, pair.at + 1})))
			}
		}
		for _, total := range totals {
			together := max(total.steps, total.rates) < pair.size && total.steps+total.rates >= pair.size
			if total.steps >= pair.size || together {
				found[AssumptionStep] = true
			}
			if total.rates >= pair.size || together {
				found[AssumptionRate] = true
			}
		}
	}
}

// differingClocks looks for wall clocks that differed by at least the overlap, and that one
// of the leases relied on.
func (l *ledgerBuilder) differingClocks(pair clash, found map[string]bool) {
	for _, entry := range l.breaks[AssumptionWall] {
		for _, lease := range pair.leases {
			if l.wallDiffered(entry.fact, lease, pair.at, pair.size) {
				found[AssumptionWall] = true
			}
		}
	}
}

// explainDates explains a lease that is believed without enough votes by wall clocks that
// differed by at least the time for which it lacks them: its keys were dead when they were
// set, or died early. What made the clocks differ may have broken A-STEP or A-RATE instead.
func (l *ledgerBuilder) explainDates(lease *Lease, at int64, found map[string]bool) {
	lacking := int64(0)
	for _, validity := range lease.Validity {
		if validity.AtNS <= at {
			lacking = validity.UntilNS - at
		}
	}
	for i := range l.Facts {
		fact := &l.Facts[i]
		if fact.Fact != FactWallDiffers || !l.wallDiffered(fact, lease, at, lacking) {
			continue
		}
		for _, id := range []string{AssumptionWall, AssumptionStep, AssumptionRate} {
			for _, entry := range l.breaks[id] {
				if entry.fact == fact || fact.Event != 0 && entry.Event == fact.Event {
					found[id] = true
				}
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
	if max(fact.DeltaNS, -fact.DeltaNS) < size || !lasting(fact).overlaps(during) || fact.Client != "" && fact.Client != lease.Client && fact.Who != lease.Client {
		return false
	}
	asked := l.votesFor(lease).on(fact.Who) || slices.ContainsFunc(l.nodeEvents, func(event *NodeEvent) bool {
		return event.Node == fact.Who && event.What == NodeRefuse && event.Asked == ActionAcquire && event.Client == lease.Client &&
			event.Resource == lease.Resource && during.contains(event.AtNS) && event.AtNS <= lease.AcquiredNS()
	})
	return asked || fact.Who == lease.Client || fact.Client == lease.Client && !slices.Contains(l.Header.Nodes, fact.Who)
}

// holderReach is by how much a lease's holder can have believed for too long: its
// clock stood, was slow or was set back. A wall clock may also be fast or set
// forwards, because a lock may compare it with times that other clients wrote.
// A rate counts to the end of the overlap, as it defers that end.
func (l *ledgerBuilder) holderReach(lease *Lease, pair clash) reach {
	var total reach
	from := l.callOf(lease)
	slow := func(fact *Fact, late int64) int64 {
		if fact.Clock == ClockWall && late < 0 {
			return -late
		}
		return max(late, 0)
	}
	for _, entry := range l.breaks[AssumptionStep] {
		if fact := entry.fact; fact.Fact == FactClockStep && fact.Who == lease.Client && fact.AtNS >= from && fact.AtNS <= pair.at {
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

// leaseVotes are the votes for one lease, by node, as the nodes' logs have them.
// A history without a set for the lease's resource does not say who voted:
// every node may have.
type leaseVotes struct {
	unknown bool
	held    map[string][]voteLife
}

// voteLife is the time for which a node held the vote, as far as its log says.
// Given lists the lifetimes that the set and extensions gave it.
type voteLife struct {
	interval
	given  []interval
	undone bool // its own client took it back, by a delete sent after the vote
}

func (votes *leaseVotes) on(node string) bool { return votes.unknown || len(votes.held[node]) > 0 }

func (votes *leaseVotes) heldAt(node string, at int64) bool {
	return slices.ContainsFunc(votes.held[node], func(life voteLife) bool { return life.from <= at && at <= life.until })
}

// since is when the lifetime began that a node's vote had at an instant.
func (votes *leaseVotes) since(node string, at, call int64) (int64, bool) {
	since, voted := call, votes.unknown
	for _, life := range votes.held[node] {
		for _, given := range life.given {
			if given.from <= at {
				since, voted = max(since, given.from), true
			}
		}
	}
	return since, voted
}

// votesFor are the votes for a lease.
func (l *ledgerBuilder) votesFor(lease *Lease) *leaseVotes {
	if l.voters == nil {
		l.readVoters()
	}
	if votes := l.voters[lease.ID]; votes != nil {
		return votes
	}
	return &leaseVotes{unknown: !l.logged[lease.Resource]}
}

// readVoters reads from the nodes' logs which leases each node voted for. A set
// that names no lease counts for the lease of its client that it can be for.
func (l *ledgerBuilder) readVoters() {
	l.voters = map[string]*leaseVotes{}
	type key struct{ node, resource string }
	current := map[key]*voteLife{}
	owners := map[key]*Lease{}
	end := func(at key, when int64) {
		if life, owner := current[at], owners[at]; life != nil {
			life.until = when
			votes := l.voters[owner.ID]
			if votes == nil {
				votes = &leaseVotes{held: map[string][]voteLife{}}
				l.voters[owner.ID] = votes
			}
			votes.held[at.node] = append(votes.held[at.node], *life)
			delete(current, at)
		}
	}
	for _, event := range l.nodeEvents {
		at := key{event.Node, event.Resource}
		given := interval{event.AtNS, event.AtNS + l.ttlOf(event)}
		switch event.What {
		case NodeSet:
			end(at, event.AtNS)
			if owner := l.votedFor(event); owner != nil {
				owners[at], current[at] = owner, &voteLife{interval: interval{from: event.AtNS}, given: []interval{given}}
			}
		case NodeDelete:
			if life := current[at]; life != nil && event.Client == owners[at].Client {
				life.undone = event.SentNS != nil && *event.SentNS > life.from
			}
			end(at, event.AtNS)
		case NodeExtend:
			if life := current[at]; life != nil {
				life.given = append(life.given, given)
			}
		}
	}
	for _, at := range slices.SortedFunc(maps.Keys(current), func(a, b key) int {
		return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.resource, b.resource))
	}) {
		end(at, forever)
	}
}

// votedFor is the lease that a set voted for: see leaseOf. Where tokens say
// nothing it is the client's lease that exists then.
func (idx *index) votedFor(set *NodeEvent) *Lease {
	if lease := idx.leaseOf(set); lease != nil || set.Lease != "" {
		return lease
	}
	for _, lease := range idx.leasesOf[set.Resource] {
		blind := set.Token == "" || lease.Token == ""
		if blind && lease.Client == set.Client && idx.callOf(lease) <= set.AtNS && set.AtNS <= idx.endOf(lease) {
			return lease
		}
	}
	return nil
}
