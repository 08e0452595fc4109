package play

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// history makes the checker's records from the clients' notes and the trace. The history
// states the events of the run, not the schedule.
func (r *Referee) history(end time.Duration, events []sim.Event) *checker.History {
	h := &checker.History{Header: checker.Header{
		Version: checker.Version, Name: fmt.Sprintf("%s/%s/%d", r.plan.Scenario, r.plan.Subject.Title(), r.plan.Seed),
		EndNS: int64(end), TTLNS: int64(r.plan.Lock.TTL),
		RateErrorPPM: r.plan.Lock.RateErrorPPM, WallErrorNS: int64(r.plan.Lock.WallError),
	}}
	for _, n := range r.plan.World.Nodes {
		if r.uses(n.Name) {
			h.Header.Nodes = append(h.Header.Nodes, n.Name)
		}
	}
	asked := 0 // nodes, by the client that asks most
	for _, c := range r.plan.Clients {
		asked = max(asked, len(nodesOf(&c, h.Header.Nodes)))
	}
	h.Header.Quorum = asked/2 + 1
	for _, c := range r.clients {
		r.clientRecords(h, c)
	}
	h.Accesses = r.accesses
	if r.plan.Stock != 0 {
		for _, resource := range slices.Sorted(maps.Keys(r.registers)) {
			for _, register := range r.registers[resource] {
				start := checker.RegisterStart{Resource: resource, Register: register.kind, Value: r.plan.Stock}
				h.Header.Registers = append(h.Header.Registers, start)
			}
		}
	}
	readTrace(r.plan, r.uses, h, events, r.walls(events))
	h.Facts = append(h.Facts, r.gaveUp(h)...)
	h.Goals = goalRecords(r.plan.Liveness, r.starts, end)
	return h
}

// watchGoals notes when the time of each goal begins to run.
func (r *Referee) watchGoals() {
	for i, g := range r.plan.Liveness {
		r.starts = append(r.starts, -1)
		r.installed.Watch(g.From, func() {
			if r.starts[i] >= 0 {
				return
			}
			r.starts[i] = r.world.Now()
			if g.From.When.IsZero() { // the world acts a little later, and calls at this very instant count
				r.starts[i] = g.From.At
			}
		})
	}
}

// goalForms are the checker's words.
var goalForms = map[plan.Each]checker.GoalForm{
	plan.EachNone: checker.GoalSome, plan.EachReturns: checker.GoalEachReturns,
	plan.EachSucceeds: checker.GoalEachSucceeds, plan.EachFails: checker.GoalEachFails,
	plan.EachNever: checker.GoalNeverSent, plan.EachClears: checker.GoalEachClears,
	plan.EachInTime: checker.GoalSentInTime,
}

// goalRecords are the goals as the checker reads them. starts says when the time of each
// began to run; -1: never. end is the end of the run.
func goalRecords(goals []plan.Goal, starts []time.Duration, end time.Duration) []checker.Goal {
	var records []checker.Goal
	for i, g := range goals {
		from, bound := starts[i], fmt.Sprintf("%s = %v", g.Within.Text, g.Within.Value)
		if from < 0 { // such a goal is inconclusive, not met
			from = end
			bound += ", from what never happened"
		}
		goal := checker.Goal{
			ID: "goal " + strconv.Itoa(i+1), Claim: g.Claim, Bound: bound,
			Form: goalForms[g.Each], Client: g.Client, Except: g.Except,
			Resource: g.Resource, Action: checker.Action(g.Does),
			FromNS: int64(from), WithinNS: int64(g.Within.Value), Needs: g.Needs,
		}
		if goal.Client == plan.AnyClient {
			goal.Client = ""
		}
		if g.Heal != nil {
			goal.HealNS = int64(g.Heal.Value)
		}
		records = append(records, goal)
	}
	return records
}

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
			ID: l.ID, Client: c.own.Name, Resource: l.Resource, Token: l.Token, Operation: c.operations[l.Operation].ID,
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
