package checker

import "fmt"

// lateWork records a break of A-WORK for each request that arrives at the
// resource when its lease was believed before but is no longer, and for each
// holder that goes on working then. The break is dated at the end of the belief.
// Its event is the pause that covers that instant, or else the late arrival.
func (l *ledgerBuilder) lateWork() {
	for _, access := range l.accesses {
		lease := l.leases[access.Lease]
		if lease == nil {
			continue
		}
		if end, late := l.lateAt(lease, access.AtNS); late {
			l.late(lease, end, access.AtNS, Break{Event: access.Event, Line: access.Line, Reason: fmt.Sprintf(
				"a %s of %s, sent %s, arrived %s, after its belief ended %s",
				access.Action, lease.ID, instant(access.SentNS), instant(access.AtNS), instant(end))})
		}
	}
	for lease := range each(l.Leases) {
		end := l.endOf(lease)
		// Work that is done at the instant of the end is done in time.
		if lease.WorkDoneNS == nil || *lease.WorkDoneNS <= end {
			continue
		}
		l.late(lease, end, *lease.WorkDoneNS, Break{Line: lease.Line, Reason: fmt.Sprintf(
			"the work under %s went on until %s, after its belief ended %s", lease.ID, instant(*lease.WorkDoneNS), instant(end))})
	}
}

// late records work at an instant after the end of a belief.
func (l *ledgerBuilder) late(lease *Lease, end, at int64, entry Break) {
	entry.AtNS, entry.UntilNS = end, At(at)
	entry.Subject, entry.Key, entry.Lease = lease.Client, lease.Resource, lease.ID
	// A pause that covers the end began before the late work and lasted beyond the end.
	if pause := find(l.Facts, func(fact *Fact) bool {
		return fact.stops(lease.Client) && fact.AtNS <= at && lasting(fact).until > end
	}); pause != nil {
		entry.Event = pause.Event
		entry.Reason += fmt.Sprintf("; its client was paused from %s", instant(pause.AtNS))
	}
	l.breaks[AssumptionWork] = append(l.breaks[AssumptionWork], entry)
}

// lateAt reports whether a lease was believed before an instant but not at it,
// and when that belief ended.
func (idx *index) lateAt(lease *Lease, at int64) (end int64, late bool) {
	beliefs := idx.beliefs[lease.ID]
	if len(beliefs) == 0 {
		return lease.AcquiredNS(), at >= lease.AcquiredNS()
	}
	for _, belief := range beliefs {
		if at < belief.from {
			return end, late
		}
		if at < belief.until {
			return 0, false
		}
		end, late = belief.until, true
	}
	return end, late
}
