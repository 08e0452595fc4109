package explain

import (
	"slices"
	"time"

	"redlocklab/sim"
)

// cause knows which events matter for the violations of a run.
type cause struct {
	parts     []part
	resources []string
	voters    []string // nodes that had a key of a participant
	from      time.Duration
	until     time.Duration
}

// part is one client's part in a violation: from the call of its acquisition to
// the end of its lease, of the release that ended it, or of the violation,
// whichever is latest.
type part struct {
	lease, client string
	from, until   time.Duration
}

func newCause(d *digest) *cause {
	c := &cause{from: d.end}
	for i := range d.run.Violations {
		v := &d.run.Violations[i]
		_, until := d.run.span(v)
		if v.Event > 0 {
			until = max(until, d.run.Events[v.Event-1].At)
		}
		for _, id := range v.Leases {
			c.add(d, d.run.lease(id), until)
		}
	}
	if len(c.parts) == 0 {
		c.from, c.until = 0, d.end
	}
	for _, k := range d.keys {
		mine := slices.ContainsFunc(c.parts, func(p part) bool { return p.client == k.owner && k.from <= p.until && k.until >= p.from })
		if mine && !slices.Contains(c.voters, k.node) {
			c.voters = append(c.voters, k.node)
		}
	}
	return c
}

func (c *cause) add(d *digest, l *Lease, until time.Duration) {
	p := part{lease: l.ID, client: l.Client, from: l.From, until: max(until, l.Until)}
	for _, op := range d.operations {
		switch {
		case op.returned != nil && op.returned.Kind == sim.Acquired && op.returned.Lease == l.ID:
			p.from = op.call.At
		case op.call.Lease == l.ID && op.call.At <= l.Until && operationPurpose(op.name) == give:
			p.until = max(p.until, op.end(d))
		}
	}
	c.parts = append(c.parts, p)
	if !slices.Contains(c.resources, l.Resource) {
		c.resources = append(c.resources, l.Resource)
	}
	c.from, c.until = min(c.from, p.from), max(c.until, p.until)
}

// end is when the last event of an operation happened.
func (op *operation) end(d *digest) time.Duration {
	end := op.call.At
	if op.returned != nil {
		end = op.returned.At
	}
	for _, r := range op.rounds {
		for _, seq := range r.events {
			end = max(end, d.run.Events[seq-1].At)
		}
	}
	return end
}

// matters reports whether an event belongs to the cause.
func (c *cause) matters(e *sim.Event, changed bool) bool {
	if isFault(e) {
		return true
	}
	for _, p := range c.parts {
		if e.Process == p.client && p.from <= e.At && e.At <= p.until {
			return true
		}
	}
	return changed && slices.Contains(c.voters, e.Node) && slices.Contains(c.resources, e.Key) &&
		c.from <= e.At && e.At <= c.until
}

// isFault reports that an event is a fault itself, and not a message that one touched.
func isFault(e *sim.Event) bool {
	switch e.Kind {
	case sim.Crash, sim.Restart, sim.Forget, sim.Revive, sim.ClockStep, sim.ClockRate, sim.Pause, sim.Resume,
		sim.Cut, sim.Heal, sim.Impair, sim.Recover, sim.NodeCall:
		return true
	}
	return false
}

// keep leaves only the entries that matter.
func (t *teller) keep(c *cause) {
	changed := make([]bool, len(t.run.Events)+1)
	s := newState(t.run)
	for i := range t.run.Events {
		for _, change := range s.apply(&t.run.Events[i]) {
			if change.gained() || change.lost() {
				changed[i+1] = true
			}
		}
	}
	broke := map[int]bool{}
	for _, b := range t.run.Broken {
		broke[b.Event] = true
	}
	t.entries = slices.DeleteFunc(t.entries, func(e *entry) bool {
		if e.mark == MarkViolation || e.lease != "" {
			return e.lease != "" && !slices.ContainsFunc(c.parts, func(p part) bool { return p.lease == e.lease })
		}
		return !slices.ContainsFunc(e.events, func(seq int) bool {
			return broke[seq] || c.matters(t.eventAt(seq), changed[seq])
		})
	})
}
