package play

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"redlocklab/checker"
)

// clientRecords adds the operations and leases that one client noted.
func (r *Referee) clientRecords(h *checker.History, c *client) {
	record := checker.Client{
		Name: c.own.Name, Subject: r.plan.Subject.Title(), Clock: cmp.Or(checker.Clock(c.clock), checker.ClockNone),
		Validity: checker.ValidityLaboratory, ReleaseConfirms: r.subject.ReleaseConfirms,
	}
	if slices.ContainsFunc(c.leases, func(l *lease) bool { return l.Reported }) {
		record.Validity = checker.ValidityReported
	}
	h.Header.Clients = append(h.Header.Clients, record)
	for _, op := range c.operations {
		h.Operations = append(h.Operations, op.Operation)
	}
	for _, l := range c.leases {
		if c.operations[l.Operation].ReturnNS == nil {
			continue // it crashed before the acquisition returned
		}
		record := checker.Lease{
			ID: l.ID, Client: c.own.Name, Resource: l.Resource, Token: l.Token, Operation: operationID(c.own.Name, l.Operation),
		}
		if l.Fence > 0 {
			record.Fence = checker.At(int64(l.Fence))
		}
		for _, v := range l.Validity {
			until, ok := c.whenReads(v.Reading, v.At)
			if !ok {
				until = v.At + 365*24*time.Hour // a frozen clock never gets there
			}
			if v.Lost > 0 {
				until = min(until, v.Lost) // its clock may have been set back meanwhile
			}
			validity := checker.Validity{AtNS: int64(v.At), UntilNS: int64(until), Renewed: v.Renewed}
			record.Validity = append(record.Validity, validity)
		}
		if at, crashed := r.crashed[c.own.Name]; crashed && l.Contexted {
			record.Validity = slices.DeleteFunc(record.Validity, func(v checker.Validity) bool {
				return v.AtNS >= int64(at)
			})
			record.Validity = append(record.Validity, checker.Validity{AtNS: int64(at), UntilNS: int64(at)})
		}
		if l.ReleasedAt >= 0 {
			record.ReleasedNS = checker.At(int64(l.ReleasedAt))
		}
		h.Leases = append(h.Leases, record)
	}
	if r.plan.Subject.Option("retry", "random") == "fixed" && len(r.clients) > 1 {
		h.Facts = append(h.Facts, checker.Fact{Fact: checker.FactRetryFixed, Client: c.own.Name})
	}
}

func operationID(client string, i int) string { return client + "." + strconv.Itoa(i+1) }
