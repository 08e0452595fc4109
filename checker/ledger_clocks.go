package checker

import "slices"

// vote is a stretch of true time in which a node held a client's vote.
type vote struct {
	interval
	client string
}

// votes reads from the nodes' logs how long each node held which vote: from a
// set until the key is deleted, or its TTL as last extended runs out.
func votes(idx *index) map[string][]vote {
	type key struct{ node, resource string }
	result := map[string][]vote{}
	held := map[key]vote{}
	end := func(at key, until int64) {
		if current, ok := held[at]; ok {
			current.until = min(current.until, until)
			result[at.node] = append(result[at.node], current)
			delete(held, at)
		}
	}
	var order []key
	for _, event := range idx.nodeTime {
		at := key{event.Node, event.Resource}
		ttl := event.TTLNS
		if ttl == 0 {
			ttl = idx.Header.TTLNS
		}
		switch event.What {
		case NodeSet:
			end(at, event.AtNS)
			held[at] = vote{interval{event.AtNS, event.AtNS + ttl}, event.Client}
			order = append(order, at)
		case NodeExtend:
			if current, ok := held[at]; ok {
				current.until = event.AtNS + ttl
				held[at] = current
			}
		case NodeDelete:
			end(at, event.AtNS)
		}
	}
	for _, at := range order {
		end(at, forever)
	}
	return result
}

func (book *bookkeeper) voteDuring(node string, window interval) (vote, bool) {
	for _, held := range book.votes[node] {
		if held.overlaps(window) {
			return vote{interval{max(held.from, window.from), held.until}, held.client}, true
		}
	}
	return vote{}, false
}

// clockMatters says whether a fact about somebody's clock concerns a clock that
// matters, and whose leases it matters to: a node's clock to all (client
// ""), a client's clock to its own, if it is the one that its lock reads.
func (book *bookkeeper) clockMatters(fact *Fact) (client string, matters bool) {
	if slices.Contains(book.Header.Nodes, fact.Who) {
		return "", true
	}
	reads := book.clients[fact.Who].Clock
	return fact.Who, reads == fact.Clock && reads != ClockTrue && reads != ClockNone
}

// disturbs finds what a disturbance of a clock in a window meets first: a
// lease, or on a node a vote. The words end the reason.
func (book *bookkeeper) disturbs(fact *Fact, client string, window interval) (at int64, words string, found bool) {
	if lease, met := book.leaseDuring(window, client); lease != nil {
		at, words, found = met, "while "+lease.ID+" existed", true
	}
	if client == "" {
		if held, ok := book.voteDuring(fact.Who, window); ok && (!found || held.from < at) {
			at, words, found = held.from, "while it held a vote of "+held.client, true
		}
	}
	return at, words, found
}

func (book *bookkeeper) clockStep(fact *Fact) {
	client, matters := book.clockMatters(fact)
	if !matters {
		return
	}
	if at, words, found := book.disturbs(fact, client, interval{fact.AtNS, fact.AtNS + 1}); found {
		book.broken(AssumptionStep, at, fact, "%s's%s clock was stepped by %s %s", fact.Who, clockName(fact.Clock), span(fact.DeltaNS), words)
	}
}

func (book *bookkeeper) clockRate(fact *Fact) {
	client, matters := book.clockMatters(fact)
	within := fact.ErrorPPM <= book.Header.RateErrorPPM && fact.ErrorPPM >= -book.Header.RateErrorPPM
	if !matters || within {
		return
	}
	if at, words, found := book.disturbs(fact, client, duration(fact)); found {
		book.broken(AssumptionRate, at, fact, "%s's%s clock erred by %d ppm (%d allowed) %s",
			fact.Who, clockName(fact.Clock), fact.ErrorPPM, book.Header.RateErrorPPM, words)
	}
}

// suspended: only a monotonic clock stands still while the host sleeps. The
// laboratory tells of suspension as a rate of that clock and a pause; this fact is
// for histories from elsewhere.
func (book *bookkeeper) suspended(fact *Fact) {
	if book.clients[fact.Client].Clock != ClockMonotonic {
		return
	}
	if lease, at := book.leaseDuring(duration(fact), fact.Client); lease != nil {
		book.broken(AssumptionRate, at, fact, "%s's host was suspended while %s existed, and its monotonic clock does not count that", fact.Client, lease.ID)
	}
}

func duration(fact *Fact) interval {
	if fact.UntilNS == nil {
		return interval{fact.AtNS, forever}
	}
	return interval{fact.AtNS, *fact.UntilNS}
}

func clockName(clock Clock) string {
	if clock == "" {
		return ""
	}
	return " " + string(clock)
}
