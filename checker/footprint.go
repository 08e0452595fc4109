package checker

import "slices"

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
	found := map[string]bool{}
	switch finding.Sort {
	case SortGoal:
		l.explainGoal(finding, found)
	case SortQuorum:
		l.explainVotes(l.leases[finding.Leases[0]], finding.AtNS, found)
	case SortOverlap, SortKey:
		l.explainPair(finding, found)
	case SortTokensBackwards:
		l.explainTokens(l.leases[finding.Leases[0]], l.leases[finding.Leases[1]], finding.AtNS, found)
	case SortLock, SortCounter:
		l.explainCalls(finding, found)
	case SortRegister:
		l.lostMark(finding.Resource, 0, finding.AtNS, found)
	case SortStale, SortLostUpdate:
		l.explainAccess(finding, found)
	}
	var ids []string
	for _, id := range assumptions {
		if found[id] && len(l.breaks[id]) > 0 {
			ids = append(ids, id)
		}
	}
	return ids
}

// explainPair explains an overlap, or a command on a key: its first lease is the
// one whose key was taken, its second the one that the command belongs to. That
// lease counts up to the end of its validity: the release is what took the key.
func (l *ledgerBuilder) explainPair(finding *Finding, found map[string]bool) {
	first := l.leases[finding.Leases[0]]
	if len(finding.Leases) < 2 {
		l.sharedToken([]*Lease{first}, finding.AtNS, found)
		return
	}
	second := l.leases[finding.Leases[1]]
	if finding.Sort == SortOverlap {
		l.explainClash(l.clashFrom(first, second, finding.AtNS), found)
		return
	}
	unreleased := *second
	unreleased.ReleasedNS = nil
	for _, pair := range clashes(first, l.beliefs[first.ID], second, beliefsOf(&unreleased)) {
		if pair.at <= finding.AtNS {
			l.explainClash(pair, found)
		}
	}
	l.sharedToken([]*Lease{first, second}, finding.AtNS, found)
}

// clashFrom is the overlap of two leases that begins at an instant.
func (l *ledgerBuilder) clashFrom(first, second *Lease, at int64) clash {
	for _, pair := range clashes(first, l.beliefs[first.ID], second, l.beliefs[second.ID]) {
		if pair.at == at {
			return pair
		}
	}
	return clash{[2]*Lease{first, second}, at, 0}
}

// clashes lists the overlaps of the beliefs in two leases.
func clashes(first *Lease, beliefs []interval, second *Lease, others []interval) []clash {
	var result []clash
	for _, one := range beliefs {
		for _, other := range others {
			if one.overlaps(other) {
				at := max(one.from, other.from)
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
func (l *ledgerBuilder) explainCalls(finding *Finding, found map[string]bool) {
	named := l.named(finding)
	counter := finding.Sort == SortCounter
	if counter {
		l.lateWorkOf(named, finding.AtNS, found)
	}
	var pairs []clash
	for _, lease := range named {
		for _, other := range l.leasesOf[finding.Resource] {
			if other == lease || slices.Contains(named, other) && other.ID < lease.ID {
				continue
			}
			if counter && l.inverted(lease, other) {
				l.lostCounter(lease, other, finding.AtNS, found)
			}
			for _, pair := range clashes(lease, l.beliefs[lease.ID], other, l.beliefs[other.ID]) {
				if pair.at <= finding.AtNS {
					pairs = append(pairs, pair)
				}
			}
		}
	}
	if len(pairs) == 0 && !counter {
		for i, lease := range named {
			for _, other := range named[i+1:] {
				l.explainClash(clash{[2]*Lease{lease, other}, finding.AtNS, 0}, found)
			}
		}
	}
	for _, pair := range pairs {
		explained := map[string]bool{}
		if l.explainClash(pair, explained); len(explained) == 0 && !counter {
			clear(found) // one that nothing explains is enough for a bug
			return
		}
		for id := range explained {
			found[id] = true
		}
	}
}

// explainAccess explains an access that a register should not have accepted, by
// the overlap of the two leases, by what made their tokens fall, or by the late work of
// one of them. Where they overlapped before it, the lock had failed before the work was late.
func (l *ledgerBuilder) explainAccess(finding *Finding, found map[string]bool) {
	named := l.named(finding)
	if len(named) < 2 {
		l.lateWorkOf(named, finding.AtNS, found)
		return
	}
	first, second, overlapped := named[0], named[1], false
	for _, pair := range clashes(first, l.beliefs[first.ID], second, l.beliefs[second.ID]) {
		if pair.at <= finding.AtNS {
			l.explainClash(pair, found)
			overlapped = true
		}
	}
	if !overlapped {
		l.lateWorkOf(named, finding.AtNS, found)
	}
	if l.inverted(first, second) {
		l.explainTokens(first, second, finding.AtNS, found)
	}
	if first.Fence != nil && second.Fence != nil && finding.register != RegisterUnfenced {
		newer := first
		if *second.Fence > *first.Fence {
			newer = second
		}
		l.lostMark(finding.Resource, newer.AcquiredNS(), finding.AtNS, found)
	}
}

func (l *ledgerBuilder) named(finding *Finding) []*Lease {
	var leases []*Lease
	for _, id := range finding.Leases {
		if lease := l.leases[id]; lease != nil {
			leases = append(leases, lease)
		}
	}
	return leases
}

// inverted reports whether the lease that was acquired later has no larger token.
func (l *ledgerBuilder) inverted(first, second *Lease) bool {
	if first.Fence == nil || second.Fence == nil {
		return false
	}
	if second.AcquiredNS() < first.AcquiredNS() {
		first, second = second, first
	}
	return *second.Fence <= *first.Fence
}

// lateWorkOf looks for work of these leases that went on after their ends.
func (l *ledgerBuilder) lateWorkOf(leases []*Lease, at int64, found map[string]bool) {
	for _, entry := range l.breaks[AssumptionWork] {
		if entry.AtNS <= at && slices.ContainsFunc(leases, func(lease *Lease) bool { return lease.ID == entry.Lease }) {
			found[AssumptionWork] = true
		}
	}
}

// explainTokens explains fencing tokens that fall from one lease to another: by a
// counter lost between them, or by a vote of theirs that was hit.
func (l *ledgerBuilder) explainTokens(first, second *Lease, at int64, found map[string]bool) {
	l.lostCounter(first, second, at, found)
	l.hitVotes(clash{[2]*Lease{first, second}, at, 0}, found)
}

// lostMark looks for a restart of a resource that forgot the largest token in a window.
func (l *ledgerBuilder) lostMark(resource string, from, until int64, found map[string]bool) {
	for _, entry := range l.breaks[AssumptionCounter] {
		fact := entry.fact
		if fact.Fact == FactMarkLost && fact.Key == resource && from <= fact.AtNS && fact.AtNS <= until {
			found[AssumptionCounter] = true
		}
	}
}

// explainVotes explains a lease with too few votes by one server that voted as two nodes,
// by a shared token (its lock then counts the key of another), or by the wall clocks that
// times of day were read on.
func (l *ledgerBuilder) explainVotes(lease *Lease, at int64, found map[string]bool) {
	l.sharedToken([]*Lease{lease}, at, found)
	l.explainDates(lease, at, found)
	for _, entry := range l.breaks[AssumptionDistinct] {
		if entry.fact.Fact == FactSameServer && l.hits(entry.fact, lease, lease, at) {
			found[AssumptionDistinct] = true
		}
	}
}

// lostCounter looks for a counter that a node which voted for one of two leases
// lost, after the first of them was called. A key that contains the name of
// another resource, and not of this one, is another resource's counter.
func (l *ledgerBuilder) lostCounter(first, second *Lease, at int64, found map[string]bool) {
	for _, entry := range l.breaks[AssumptionCounter] {
		fact, during := entry.fact, interval{min(l.callOf(first), l.callOf(second)), at + 1}
		if fact.Fact != FactCounterLost || !during.contains(fact.AtNS) || l.othersCounter(fact.Key, first.Resource) {
			continue
		}
		if l.votesFor(first).on(fact.Node) || l.votesFor(second).on(fact.Node) {
			found[AssumptionCounter] = true
		}
	}
}

// explainClash explains an overlap by votes that were hit, a token that was
// shared, and clocks that erred by at least the overlap.
func (l *ledgerBuilder) explainClash(pair clash, found map[string]bool) {
	l.hitVotes(pair, found)
	l.sharedToken(pair.leases[:], pair.at, found)
	if pair.size > 0 {
		l.erringClocks(pair, found)
		l.differingClocks(pair, found)
	}
}

// hitVotes looks for breaks that touched a vote which one of two leases counted,
// on that key, after the call of that lease and no later than the overlap.
func (l *ledgerBuilder) hitVotes(pair clash, found map[string]bool) {
	for _, id := range []string{AssumptionStep, AssumptionVote, AssumptionDistinct, AssumptionOwner} {
		for _, entry := range l.breaks[id] {
			for i, lease := range pair.leases {
				if entry.fact.AtNS <= pair.at && l.hits(entry.fact, lease, pair.leases[1-i], pair.at) {
					found[id] = true
				}
			}
		}
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

// othersCounter reports whether a counter's key names another resource only.
func (l *ledgerBuilder) othersCounter(key, resource string) bool {
	named := func(other string) bool { return namesIn(key, other) }
	return !named(resource) && slices.ContainsFunc(l.resources, named)
}

// sharedToken looks for an attempt that used the token of one of the leases,
// on the same resource, while both were live.
func (l *ledgerBuilder) sharedToken(leases []*Lease, at int64, found map[string]bool) {
	if len(l.breaks[AssumptionToken]) == 0 {
		return
	}
	for _, lease := range leases {
		if lease.Token == "" {
			continue
		}
		own := l.life(lease)
		for _, use := range l.uses {
			other := use.token == lease.Token && use.lease != lease && use.resource == lease.Resource
			if other && use.at <= at && use.life.overlaps(own) {
				found[AssumptionToken] = true
			}
		}
	}
}
