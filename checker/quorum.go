package checker

import (
	"fmt"
	"slices"
)

// judgeQuorum checks what the nodes' logs say of the leases of one resource: a
// quorum of nodes voted for each by the return of its acquisition, and no belief
// goes on when fewer than a quorum of these votes can live. If any node logged a
// set for the resource, the logs of that resource count as complete. A lease that
// was over when it was learned of is not judged, nor is a history in which the set
// of nodes changes: it has more than one quorum.
func judgeQuorum(ledger *ledgerBuilder, resource string) []Finding {
	changes := slices.ContainsFunc(ledger.Facts, func(fact Fact) bool { return fact.Fact == FactMembership })
	if changes || !ledger.logged[resource] {
		return nil
	}
	var findings []Finding
	for _, lease := range ledger.leasesOf[resource] {
		if len(ledger.beliefs[lease.ID]) == 0 {
			continue
		}
		if voted := ledger.votesFor(lease).by(lease.Client, lease.AcquiredNS()); voted < ledger.Header.Quorum {
			findings = append(findings, quorumFinding(lease, lease.AcquiredNS(), fmt.Sprintf(
				"%s was acquired at %s, and %d nodes had voted for it; the quorum is %d", lease.ID, instant(lease.AcquiredNS()), voted, ledger.Header.Quorum)))
			continue
		}
		if end, late := ledger.outlivesVotes(lease); late {
			findings = append(findings, quorumFinding(lease, end, fmt.Sprintf(
				"%s is believed beyond %s, when fewer than %d of its votes can live", lease.ID, instant(end), ledger.Header.Quorum)))
		}
	}
	return findings
}

func quorumFinding(lease *Lease, at int64, text string) Finding {
	return Finding{Sort: SortQuorum, Resource: lease.Resource, AtNS: at, Leases: []string{lease.ID},
		Events: events(lease.Validity[0].Event), Lines: []int{lease.Line}, Text: text}
}

// outlivesVotes reports whether a lease is believed after the last instant at
// which a quorum of its votes can live, and that instant. It counts the lifetimes
// that the nodes logged, and allows the holder's clock the error of A-RATE. If
// that clock did worse, the end of the belief says nothing of the lock.
func (l *ledgerBuilder) outlivesVotes(lease *Lease) (int64, bool) {
	existence := l.existence(lease)
	for fact := range each(l.Facts) {
		itsClock := false
		if fact.Who == lease.Client {
			_, itsClock = l.clockMatters(fact)
		}
		switch {
		case fact.Fact == FactClockStep && itsClock && existence.contains(fact.AtNS),
			fact.Fact == FactClockRate && itsClock && !l.rateAllowed(fact),
			fact.Fact == FactSuspended && fact.Client == lease.Client:
			return 0, false
		}
	}
	for position, validity := range lease.Validity {
		belief := believed(lease, position)
		var ends []int64
		for _, lives := range l.votesFor(lease).held {
			end := int64(0)
			for _, life := range lives {
				for _, given := range life.given {
					if given.from <= validity.AtNS {
						end = max(end, given.until)
					}
				}
			}
			ends = append(ends, end)
		}
		slices.Sort(ends)
		last := ends[len(ends)-l.Header.Quorum]
		allowed := drift(l.Header.RateErrorPPM, belief.until-existence.from)
		if !belief.empty() && belief.until > last+allowed {
			return last, true
		}
	}
	return 0, false
}
