package checker

import (
	"maps"
	"slices"
)

// footprint collects the broken assumptions that explain one finding.
type footprint struct {
	*ledgerBuilder
	at    int64 // of the finding
	found map[string]bool
}

// clash is an overlap of the beliefs in two leases of one resource. It begins at
// an instant and lasts for size. A size of zero means that the beliefs do not
// overlap; no error of a clock explains that.
type clash struct {
	leases   [2]*Lease
	at, size int64
}

// explaining lists the broken assumptions that explain a finding. A broken
// assumption explains it only if a break has touched what the finding is about:
// HISTORY.md has the table. The list is a function of the history alone.
func (l *ledgerBuilder) explaining(finding *Finding) []string {
	f := &footprint{l, finding.AtNS, map[string]bool{}}
	var named []*Lease
	for _, id := range finding.Leases {
		if lease := l.leases[id]; lease != nil {
			named = append(named, lease)
		}
	}
	switch finding.Sort {
	case SortGoal:
		f.explainGoal(finding)
	case SortQuorum:
		f.explainVotes(named[0])
	case SortOverlap:
		f.explainOverlap(named[0], named[1])
	case SortKey:
		f.explainKey(named)
	case SortTokensBackwards:
		f.explainTokens(named[0], named[1])
	case SortLock, SortCounter:
		f.explainCalls(finding, named)
	case SortRegister:
		f.lostMark(finding.Resource, 0)
	case SortStale, SortLostUpdate:
		f.explainAccess(finding, named)
	}
	return slices.DeleteFunc(Assumptions(), func(id string) bool { return !f.found[id] })
}

// mark notes that an assumption explains the finding if any of its breaks touches it.
func (f *footprint) mark(id string, touches func(Break) bool) {
	if slices.ContainsFunc(f.breaks[id], touches) {
		f.found[id] = true
	}
}

// explainOverlap explains the overlap of two leases that begins at the finding.
func (f *footprint) explainOverlap(first, second *Lease) {
	pair := clash{[2]*Lease{first, second}, f.at, 0}
	for _, c := range f.clashes(first, second, f.beliefs[second.ID]) {
		if c.at == f.at {
			pair = c
		}
	}
	f.explainClash(pair)
}

// explainKey explains a command on a key. The first lease is the one whose key was taken,
// the second the one that the command belongs to. That lease counts up to the end of its
// validity: the release is what took the key.
func (f *footprint) explainKey(leases []*Lease) {
	if len(leases) > 1 {
		unreleased := *leases[1]
		unreleased.ReleasedNS = nil
		for _, pair := range f.clashes(leases[0], leases[1], beliefsOf(&unreleased)) {
			f.explainClash(pair)
		}
	}
	f.sharedToken(leases, f.at)
}

// clashes lists the overlaps of the beliefs in two leases up to the finding.
func (f *footprint) clashes(first, second *Lease, others []interval) []clash {
	var result []clash
	for _, one := range f.beliefs[first.ID] {
		for _, other := range others {
			if at := max(one.from, other.from); one.overlaps(other) && at <= f.at {
				result = append(result, clash{[2]*Lease{first, second}, at, min(one.until, other.until) - at})
			}
		}
	}
	return result
}

// explainCalls explains calls that have no order. What explains them explains
// every overlap of the named leases with other leases. The late work of a named
// lease explains calls on a register. Without any overlap, a lock that passed on
// is explained by a vote that was hit.
func (f *footprint) explainCalls(finding *Finding, named []*Lease) {
	counter := finding.Sort == SortCounter
	if counter {
		f.lateWorkOf(named)
	}
	var pairs []clash
	for _, lease := range named {
		for _, other := range f.leasesOf[finding.Resource] {
			if other == lease || slices.Contains(named, other) && other.ID < lease.ID {
				continue
			}
			if counter && inverted(lease, other) {
				f.lostCounter(lease, other)
			}
			pairs = append(pairs, f.clashes(lease, other, f.beliefs[other.ID])...)
		}
	}
	if len(pairs) == 0 && !counter {
		for i, lease := range named {
			for _, other := range named[i+1:] {
				f.explainClash(clash{[2]*Lease{lease, other}, f.at, 0})
			}
		}
	}
	for _, pair := range pairs {
		alone := &footprint{f.ledgerBuilder, f.at, map[string]bool{}}
		if alone.explainClash(pair); len(alone.found) == 0 && !counter {
			clear(f.found) // one that nothing explains is enough for a bug
			return
		}
		maps.Copy(f.found, alone.found)
	}
}

// explainAccess explains an access that a register should not have accepted, by
// the overlap of the two leases, by what made their tokens fall, or by the late work of
// one of them. Where they overlapped before it, the lock had failed before the work was late.
func (f *footprint) explainAccess(finding *Finding, named []*Lease) {
	if len(named) < 2 {
		f.lateWorkOf(named)
		return
	}
	first, second := named[0], named[1]
	pairs := f.clashes(first, second, f.beliefs[second.ID])
	for _, pair := range pairs {
		f.explainClash(pair)
	}
	if len(pairs) == 0 {
		f.lateWorkOf(named)
	}
	if inverted(first, second) {
		f.explainTokens(first, second)
	}
	if first.Fence != nil && second.Fence != nil && finding.register != RegisterUnfenced {
		newer := first
		if *second.Fence > *first.Fence {
			newer = second
		}
		f.lostMark(finding.Resource, newer.AcquiredNS())
	}
}

// inverted reports whether the lease that was acquired later has no larger token.
func inverted(first, second *Lease) bool {
	if first.Fence == nil || second.Fence == nil {
		return false
	}
	if second.AcquiredNS() < first.AcquiredNS() {
		first, second = second, first
	}
	return *second.Fence <= *first.Fence
}

// lateWorkOf looks for work of these leases that went on after their ends.
func (f *footprint) lateWorkOf(leases []*Lease) {
	f.mark(AssumptionWork, func(entry Break) bool {
		its := func(lease *Lease) bool { return lease.ID == entry.Lease }
		return entry.AtNS <= f.at && slices.ContainsFunc(leases, its)
	})
}

// explainTokens explains fencing tokens that fall from one lease to another: by a
// counter lost between them, or by a vote of theirs that was hit.
func (f *footprint) explainTokens(first, second *Lease) {
	f.lostCounter(first, second)
	f.hitVotes(clash{[2]*Lease{first, second}, f.at, 0})
}

// lostMark looks for a restart of a resource that forgot the largest token, since an instant.
func (f *footprint) lostMark(resource string, since int64) {
	f.mark(AssumptionCounter, func(entry Break) bool {
		fact := entry.fact
		return fact.Fact == FactMarkLost && fact.Key == resource && since <= fact.AtNS && fact.AtNS <= f.at
	})
}

// explainVotes explains a lease with too few votes by one server that voted as two nodes,
// by a shared token (its lock then counts the key of another), or by the wall clocks that
// times of day were read on.
func (f *footprint) explainVotes(lease *Lease) {
	f.sharedToken([]*Lease{lease}, f.at)
	f.explainDates(lease)
	f.mark(AssumptionDistinct, func(entry Break) bool {
		return entry.fact.Fact == FactSameServer && f.hits(entry.fact, lease, lease, f.at)
	})
}

// lostCounter looks for a counter that a node which voted for one of two leases
// lost, after the first of them was called. A key that contains the name of
// another resource, and not of this one, is another resource's counter.
func (f *footprint) lostCounter(first, second *Lease) {
	during := interval{min(f.callOf(first), f.callOf(second)), f.at + 1}
	f.mark(AssumptionCounter, func(entry Break) bool {
		fact := entry.fact
		names := func(resource string) bool { return namesIn(fact.Key, resource) }
		others := !names(first.Resource) && slices.ContainsFunc(f.resources, names)
		return fact.Fact == FactCounterLost && during.contains(fact.AtNS) && !others &&
			(f.votesFor(first).on(fact.Node) || f.votesFor(second).on(fact.Node))
	})
}

// explainClash explains an overlap by votes that were hit, a token that was
// shared, and clocks that erred by at least the overlap.
func (f *footprint) explainClash(pair clash) {
	f.hitVotes(pair)
	f.sharedToken(pair.leases[:], pair.at)
	if pair.size > 0 {
		f.erringClocks(pair)
		f.mark(AssumptionWall, func(entry Break) bool {
			return f.wallDiffered(entry.fact, pair.leases[0], pair.at, pair.size) ||
				f.wallDiffered(entry.fact, pair.leases[1], pair.at, pair.size)
		})
	}
}

// hitVotes looks for breaks that touched a vote which one of two leases counted,
// on that key, after the call of that lease and no later than the overlap.
func (f *footprint) hitVotes(pair clash) {
	one, other := pair.leases[0], pair.leases[1]
	for _, id := range []string{AssumptionStep, AssumptionVote, AssumptionDistinct, AssumptionOwner} {
		f.mark(id, func(entry Break) bool {
			fact := entry.fact
			return fact.AtNS <= pair.at && (f.hits(fact, one, other, pair.at) || f.hits(fact, other, one, pair.at))
		})
	}
}

// hits reports whether a fact touched a vote of a lease. The errors of clocks are
// not decided here: see erringClocks.
func (l *ledgerBuilder) hits(fact *Fact, lease, other *Lease, at int64) bool {
	votes := l.votesFor(lease)
	during := interval{l.callOf(lease), at + 1}
	switch fact.Fact {
	case FactForgot, FactRevived, FactOwner:
		if fact.Key != lease.Resource || !during.contains(fact.AtNS) {
			return false
		}
		named := fact.Token != "" && fact.Token == lease.Token && votes.on(fact.Node)
		return named || votes.unknown || votes.heldAt(fact.Node, fact.AtNS)
	case FactFailover:
		return during.contains(fact.AtNS) && votes.on(fact.Node)
	case FactSameServer:
		return lasting(fact).overlaps(during) && slices.ContainsFunc(fact.Nodes, votes.on)
	case FactMembership:
		// The set of nodes differs between two clients, or changed between two leases.
		during.from = min(during.from, l.callOf(other))
		return during.contains(fact.AtNS) && (fact.Client == "" || fact.Client == lease.Client)
	}
	return false
}

// sharedToken looks for an attempt that used the token of one of the leases,
// on the same resource, while both were live.
func (f *footprint) sharedToken(leases []*Lease, at int64) {
	if len(f.breaks[AssumptionToken]) == 0 {
		return
	}
	for _, lease := range leases {
		own := f.life(lease)
		if lease.Token != "" && slices.ContainsFunc(f.uses, func(use tokenUse) bool {
			other := use.token == lease.Token && use.lease != lease && use.resource == lease.Resource
			return other && use.at <= at && use.life.overlaps(own)
		}) {
			f.found[AssumptionToken] = true
		}
	}
}
