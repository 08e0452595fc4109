package explain

import (
	"slices"
	"time"

	"redlocklab/sim"
)

// cause decides which events matter for the violations of a run.
type cause struct {
	parts     []part
	resources []string
	voters    []string // nodes that had a key of one of these clients
	from      time.Duration
	until     time.Duration
}

// part is the time in which the events of one client matter. For a lease it begins
// with the attempt that won it. For a missed goal it begins with the time of the
// goal, or when the client took the key that was in the way. It ends with the
// violation.
type part struct {
	lease, client string
	from, until   time.Duration
}

func newCause(d *digest) *cause {
	c := &cause{from: d.end}
	for _, v := range d.run.Violations {
		_, until := d.run.span(v)
		if v.Event > 0 {
			until = max(until, d.run.Events[v.Event-1].At)
		}
		for _, id := range v.Leases {
			c.add(d, d.run.lease(id), until)
		}
		if v.Goal != nil {
			c.miss(d, v.Goal, until)
		}
	}
	if len(c.parts) == 0 {
		c.from, c.until = 0, d.end
	}
	for _, k := range d.keys {
		if c.hasPart(k.owner, k.from, k.until) {
			c.voters = append(c.voters, k.node)
		}
	}
	return c
}

func (c *cause) add(d *digest, l *Lease, until time.Duration) {
	p := part{lease: l.ID, client: l.Client, from: l.From, until: until}
	for _, op := range d.operations {
		if op.Return == nil || op.Return.Kind != sim.Acquired || op.Return.Lease != l.ID {
			continue
		}
		p.from = op.Call.At
		for _, r := range op.rounds {
			if r.purpose == sim.PurposeAcquire && len(r.requests) > 0 {
				p.from = r.from
			}
		}
	}
	c.parts = append(c.parts, p)
	c.resources = append(c.resources, l.Resource)
	c.from, c.until = min(c.from, p.from), max(c.until, p.until)
}

// miss adds the parts of a missed goal: those of the clients that waited, and of the
// owners of keys that were in their way.
func (c *cause) miss(d *digest, goal *Goal, until time.Duration) {
	for _, client := range goal.Clients {
		c.parts = append(c.parts, part{client: client, from: goal.From, until: until})
	}
	c.from, c.until = min(c.from, goal.From), max(c.until, until)
	for _, op := range d.operations {
		if slices.Contains(goal.Clients, op.Process) && (goal.Resource == "" || op.Resource == goal.Resource) {
			c.resources = append(c.resources, op.Resource)
		}
	}
	for _, k := range d.keys {
		if k.owner == "" || !slices.Contains(c.resources, k.key) || k.from > until || k.until < goal.From {
			continue
		}
		p := part{client: k.owner, from: k.from, until: min(k.until, until)}
		for _, r := range d.rounds {
			if q := r.request(k.node); r.process == k.owner && q != nil && q.executed() == k.from {
				p.from = min(p.from, r.from)
				if r.decided != nil {
					p.lease = r.decided.Lease
				}
			}
		}
		c.parts = append(c.parts, p)
		c.from = min(c.from, p.from)
	}
}

// hasPart reports whether the events of a client matter at some time in an interval.
func (c *cause) hasPart(client string, from, until time.Duration) bool {
	return slices.ContainsFunc(c.parts, func(p part) bool {
		return p.client == client && from <= p.until && until >= p.from
	})
}

// matters reports whether an event is part of the cause. changed says that it changed
// a key. Without a cause, everything matters.
func (c *cause) matters(e *sim.Event, changed bool) bool {
	if c == nil || isFault(e) || c.hasPart(e.Process, e.At, e.At) {
		return true
	}
	return changed && slices.Contains(c.voters, e.Node) && slices.Contains(c.resources, e.Key) &&
		c.from <= e.At && e.At <= c.until
}

// isFault reports whether an event is a fault itself, and not a message that one
// affected.
func isFault(e *sim.Event) bool {
	return marks[e.Kind] == MarkFault && e.Kind != sim.Delay
}

// keep leaves only the entries that matter.
func (t *teller) keep(c *cause) {
	kept := func(e *entry) bool {
		switch {
		case e.mark == MarkViolation || t.run.broke(e.events):
			return true
		case e.lease != "":
			return e.at <= c.until && slices.ContainsFunc(c.parts, func(p part) bool { return p.lease == e.lease })
		}
		return slices.ContainsFunc(e.events, func(seq int) bool { return c.matters(t.eventAt(seq), t.d.changed(seq)) })
	}
	rounds := map[*round]bool{} // a question and its answer are kept together or not at all
	for _, e := range t.entries {
		rounds[e.round] = rounds[e.round] || e.round != nil && e.round.purpose != sim.PurposeInspect && kept(e)
	}
	t.entries = slices.DeleteFunc(t.entries, func(e *entry) bool {
		return !rounds[e.round] && (e.round != nil || !kept(e))
	})
}

// leaveUnused removes the entries of nodes that no client uses, unless one broke an
// assumption.
func (t *teller) leaveUnused() {
	used := map[string]bool{"": true}
	for _, client := range t.run.Processes {
		for _, node := range t.run.asked(client) {
			used[node] = true
		}
	}
	for i := range t.run.Events {
		if e := &t.run.Events[i]; e.Process != "" {
			used[e.Node] = true
		}
	}
	t.entries = slices.DeleteFunc(t.entries, func(e *entry) bool { return !used[e.node] && !t.run.broke(e.events) })
}
