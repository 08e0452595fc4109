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
	for i, op := range c.operations {
		o := checker.Operation{
			ID: operationID(c, i), Client: c.own.Name, Action: checker.Action(op.Name), Resource: op.Resource,
			Lease: op.Lease, CallNS: int64(op.Call), Outcome: checker.OutcomeOK, Token: op.Token,
		}
		switch {
		case op.Returned < 0:
			o.Outcome = checker.OutcomeUnknown
			if op.Name == "acquire" {
				o.Lease = ""
			}
		case op.Effective:
			o.Outcome, o.Class = checker.OutcomeUnknown, op.Failure
		case op.Failure != "":
			o.Outcome, o.Class = checker.OutcomeFail, op.Failure
		}
		if op.Returned >= 0 {
			o.ReturnNS = checker.At(int64(op.Returned))
		}
		h.Operations = append(h.Operations, o)
	}
	for _, l := range c.leases {
		if c.operations[l.Operation].Returned < 0 {
			continue // it crashed before the acquisition returned
		}
		record := checker.Lease{
			ID: l.ID, Client: c.own.Name, Resource: l.Resource, Token: l.Token, Operation: operationID(c, l.Operation),
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
		h.Operations[len(h.Operations)-len(c.operations)+l.Operation].Token = l.Token
		h.Leases = append(h.Leases, record)
	}
	if r.plan.Subject.Option("retry", "random") == "fixed" && len(r.clients) > 1 {
		h.Facts = append(h.Facts, checker.Fact{Fact: checker.FactRetryFixed, Client: c.own.Name})
	}
}

func operationID(c *client, i int) string { return c.own.Name + "." + strconv.Itoa(i+1) }
