package checker

import "fmt"

// work enters A-WORK: a message of a holder that arrives at the resource, or
// work that goes on, outside of the lease's belief and after it began. It is
// broken at the end of the belief, when the work was not done yet; the event is
// the pause that covers that instant, or else the late arrival.
func (book *bookkeeper) work() {
	for _, access := range book.accessTime {
		lease := book.leases[access.Lease]
		if lease == nil {
			continue
		}
		if end, late := book.lateAt(lease, access.AtNS); late {
			pause := book.pauseAt(lease.Client, end, access.AtNS)
			book.lateWork(end, access.Event, access.Line, pause, fmt.Sprintf(
				"a %s of %s, sent %s, arrived %s, after its belief ended %s",
				access.Action, lease.ID, instant(access.SentNS), instant(access.AtNS), instant(end)))
		}
	}
	for i := range book.Leases {
		lease := &book.Leases[i]
		// Work that is done at the instant of the end is done in time.
		if lease.WorkDoneNS == nil || *lease.WorkDoneNS <= book.endOf(lease) {
			continue
		}
		end := book.endOf(lease)
		pause := book.pauseAt(lease.Client, end, *lease.WorkDoneNS)
		book.lateWork(end, 0, lease.Line, pause, fmt.Sprintf(
			"the work under %s went on until %s, after its belief ended %s", lease.ID, instant(*lease.WorkDoneNS), instant(end)))
	}
}

func (book *bookkeeper) lateWork(end, event int64, line int, pause *Fact, reason string) {
	if pause != nil {
		event = pause.Event
		reason += fmt.Sprintf("; its client was paused from %s", instant(pause.AtNS))
	}
	book.breaks[AssumptionWork] = append(book.breaks[AssumptionWork], Break{AtNS: end, Event: event, Line: line, Reason: reason})
}

// lateAt says whether a lease was believed before an instant but not at it,
// and when that belief ended.
func (idx *index) lateAt(lease *Lease, at int64) (end int64, late bool) {
	beliefs := idx.beliefs[lease.ID]
	if len(beliefs) == 0 {
		return lease.Validity[0].AtNS, at >= lease.Validity[0].AtNS
	}
	for _, stretch := range beliefs {
		if at < stretch.from {
			return end, late
		}
		if at < stretch.until {
			return 0, false
		}
		end, late = stretch.until, true
	}
	return end, late
}

// pauseAt finds a pause or suspension of a client that began before the late
// work and lasted beyond the end of its belief.
func (book *bookkeeper) pauseAt(client string, end, late int64) *Fact {
	for i := range book.Facts {
		fact := &book.Facts[i]
		if (fact.Fact == FactPaused || fact.Fact == FactSuspended) && fact.Client == client && fact.AtNS <= late && duration(fact).until > end {
			return fact
		}
	}
	return nil
}
