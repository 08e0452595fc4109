package play

import (
	"strconv"
	"time"

	"redlocklab/checker"
)

// clientRecords are what one client noted: its operations and its leases.
func (r *run) clientRecords(h *checker.History, c *client) {
	record := checker.Client{
		Name: c.plan.Name, Subject: r.plan.Subject.Title(), Clock: checker.Clock(c.clock),
		Validity: checker.ValidityLaboratory, ReleaseConfirms: r.subject.ReleaseConfirms,
	}
	if c.clock == "" {
		record.Clock = checker.ClockNone
	}
	for _, l := range c.leases {
		if l.reported {
			record.Validity = checker.ValidityReported
		}
	}
	h.Header.Clients = append(h.Header.Clients, record)
	for i, op := range c.operations {
		o := checker.Operation{
			ID: operationID(c, i), Client: c.plan.Name, Action: checker.Action(op.name), Resource: op.resource,
			Lease: op.lease, CallNS: int64(op.call), Outcome: checker.OutcomeOK, Token: op.token,
		}
		switch {
		case op.returned < 0:
			o.Outcome, o.Lease = checker.OutcomeUnknown, ""
			if op.name != "acquire" {
				o.Lease = op.lease
			}
		case op.failure != "":
			o.Outcome, o.Class = checker.OutcomeFail, op.failure
		}
		if op.returned >= 0 {
			o.ReturnNS = checker.At(int64(op.returned))
		}
		h.Operations = append(h.Operations, o)
	}
	for _, l := range c.leases {
		if c.operations[l.operation].returned < 0 {
			continue // it crashed before it knew
		}
		record := checker.Lease{
			ID: l.id, Client: c.plan.Name, Resource: l.resource, Token: l.token, Operation: operationID(c, l.operation),
		}
		if l.fence > 0 {
			record.Fence = checker.At(int64(l.fence))
		}
		for _, v := range l.validity {
			until, ok := c.whenReads(v.reading, v.at)
			if !ok {
				until = v.at + 365*24*time.Hour // a frozen clock never gets there
			}
			record.Validity = append(record.Validity, checker.Validity{AtNS: int64(v.at), UntilNS: int64(until)})
		}
		if l.releasedAt >= 0 {
			record.ReleasedNS = checker.At(int64(l.releasedAt))
		}
		h.Operations[len(h.Operations)-len(c.operations)+l.operation].Token = l.token
		h.Leases = append(h.Leases, record)
	}
	if r.fixedRetry() {
		h.Facts = append(h.Facts, checker.Fact{Fact: checker.FactRetryFixed, Client: c.plan.Name})
	}
}

// fixedRetry reports whether several clients retry after one and the same delay.
func (r *run) fixedRetry() bool {
	return r.plan.Subject.Option("retry", "random") == "fixed" && len(r.clients) > 1
}

func operationID(c *client, i int) string { return c.plan.Name + "." + strconv.Itoa(i+1) }
