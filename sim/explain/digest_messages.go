package explain

import (
	"slices"
	"strings"
	"time"

	"redlocklab/sim"
)

// client begins or ends an operation.
func (d *digest) client(a *actor, e *sim.Event) {
	if e.Kind == sim.Call {
		a.operation = &operation{process: e.Process, name: operationName(e.Detail), resource: e.Resource, call: *e}
		a.round, a.failures = nil, nil
		d.operations = append(d.operations, a.operation)
		return
	}
	op := a.operation
	if op == nil || op.returned != nil {
		d.moments = append(d.moments, moment{event: *e})
		return
	}
	returned := *e
	op.returned = &returned
	if len(a.failures) > 0 && a.round == nil && operationPurpose(op.name).AboutLock() {
		d.open(a, operationPurpose(op.name), op.resource, a.failures[0].sent)
	}
	for i := len(op.rounds) - 1; i >= 0; i-- {
		if p := op.rounds[i].purpose; p == operationPurpose(op.name) && p.AboutLock() {
			op.rounds[i].decided = op.returned
			break
		}
	}
	a.round = nil
}

// message adds an event of the network to its request and its round.
func (d *digest) message(a *actor, e *sim.Event, change *sim.KeyChange) {
	if e.Kind == sim.Dial || e.Kind == sim.Connect || e.Kind == sim.Refuse || e.Message == 0 || d.dialNumbers[e.Message] {
		d.dialNumbers[e.Message] = e.Message != 0
		d.dial(a, e)
		return
	}
	if e.Kind == sim.Send {
		d.send(a, e)
		return
	}
	q := d.requests[e.Message]
	if q == nil {
		d.loose = append(d.loose, *e)
		return
	}
	r := d.roundOf[q]
	r.events = append(r.events, e.Seq)
	switch e.Kind {
	case sim.Deliver:
		q.delivered = e.At
	case sim.Execute:
		if q.executed != none {
			return // what the command did to further keys, such as a counter
		}
		q.executed, q.executeSeq, q.answer = e.At, e.Seq, e.Detail
		if c := change; c != nil {
			q.effect = c
			q.more = c.After.Exists() && c.Before.Value == c.After.Value && c.After.Ends > c.Before.Ends
			if c.Gained() {
				q.token = c.After.Value
			}
		}
	case sim.Reply:
		q.replied, q.outcome = e.At, answered
	case sim.Drop, sim.Reset:
		if q.outcome == answered {
			return
		}
		q.dropped, q.outcome = e.At, requestLost
		if q.executed != none {
			q.outcome = replyLost
		}
		if e.Fault != "" {
			q.fault = e.Fault
		}
	}
}

// send adds a request to the open round, or begins a new one with it.
func (d *digest) send(a *actor, e *sim.Event) {
	name := ""
	if a.operation != nil && a.operation.returned == nil {
		name = a.operation.name
	}
	p := purposeOf(e.Command, e.Key, name)
	r := *a.current(p)
	if late := a.dialled[e.Node]; late != nil && late.purpose == p && (late.request(e.Node) == nil || late.request(e.Node).message == 0) {
		r = late
	}
	again := (*request)(nil)
	if r != nil {
		again = r.request(e.Node)
	}
	scriptMissing := again != nil && strings.Contains(again.answer, "NOSCRIPT")
	if r == nil || r.purpose != p || e.Key != "" && r.key != "" && r.key != e.Key || again != nil && again.message != 0 && !scriptMissing {
		r = d.open(a, p, e.Key, e.At)
		again = r.request(e.Node)
	}
	if r.key == "" {
		r.key = e.Key
	}
	fresh := request{node: e.Node, message: e.Message, command: e.Command, token: e.Value, sent: e.At,
		delivered: none, executed: none, replied: none, dropped: none}
	q := again
	if q == nil {
		q = &request{}
		r.requests = append(r.requests, q)
	}
	*q = fresh
	d.requests[e.Message], d.roundOf[q] = q, r
	delete(a.dials, e.Node)
	r.events = append(r.events, e.Seq)
}

// open begins a round and adds the dials that were made for it.
func (d *digest) open(a *actor, p sim.Purpose, key string, at time.Duration) *round {
	r := &round{process: a.name, purpose: p, key: key, from: at}
	if p.AboutLock() {
		d.adopt(a, r)
	}
	op := a.operation
	if op != nil && (op.returned == nil || p != operationPurpose(op.name)) {
		r.operation = op
		op.rounds = append(op.rounds, r)
	}
	if previous := a.last[p]; previous != nil {
		previous.next = r
	}
	if failed := a.last[sim.PurposeAcquire]; p == sim.PurposeRelease && failed != nil && failed.cleanup == nil && failed.unsuccessful() &&
		(op == nil || operationPurpose(op.name) != sim.PurposeRelease) {
		failed.cleanup, r.cleans = r, failed
	}
	a.last[p] = r
	*a.current(p) = r
	d.rounds = append(d.rounds, r)
	return r
}

// current returns the round that a request with this purpose may join. Requests
// about a lock have one of their own, so that a handshake does not split a round.
func (a *actor) current(p sim.Purpose) **round {
	if p.AboutLock() {
		return &a.round
	}
	return &a.aside
}

// adopt adds the dials that were made for a round before its first request.
func (d *digest) adopt(a *actor, r *round) {
	for _, f := range a.failures {
		r.from = min(r.from, f.sent)
		r.requests = append(r.requests, f)
		d.roundOf[f] = r
	}
	r.events = append(r.events, a.orphans...)
	a.failures, a.orphans = nil, nil
	for _, node := range d.run.Nodes {
		dial, pending := a.dials[node]
		if !pending {
			continue
		}
		a.dialled[node] = r
		if r.request(node) == nil {
			q := &request{node: node, outcome: unreachable, sent: dial.At, delivered: none, executed: none, replied: none, dropped: none}
			r.requests = append(r.requests, q)
			d.roundOf[q] = r
		}
	}
}

// unsuccessful reports whether the round has not ended in a lease so far.
func (r *round) unsuccessful() bool {
	return r.decided == nil || r.decided.Kind == sim.Failed
}

// dial records what happens before there is a request.
func (d *digest) dial(a *actor, e *sim.Event) {
	r := a.dialled[e.Node]
	if e.Kind == sim.Dial {
		if a.round != nil && a.round.request(e.Node) == nil {
			r = a.round
			q := &request{node: e.Node, outcome: unreachable, sent: e.At, delivered: none, executed: none, replied: none, dropped: none}
			r.requests = append(r.requests, q)
			d.roundOf[q] = r
		} else {
			r = nil
		}
		a.dialled[e.Node] = r
		a.dials[e.Node] = *e
	}
	if r != nil {
		r.events = append(r.events, e.Seq)
	} else {
		a.orphans = append(a.orphans, e.Seq)
	}
	if e.Kind != sim.Refuse && e.Kind != sim.Drop {
		return
	}
	how := unreachable
	if e.Kind == sim.Refuse {
		how = refused
	}
	if r != nil {
		if q := r.request(e.Node); q != nil && q.message == 0 {
			q.outcome, q.dropped, q.fault = how, e.At, e.Fault
		}
		return
	}
	sent := e.At
	if begun, pending := a.dials[e.Node]; pending {
		sent = begun.At
	}
	delete(a.dials, e.Node)
	at := slices.IndexFunc(a.failures, func(q *request) bool { return q.node == e.Node })
	if at < 0 {
		a.failures = append(a.failures, &request{node: e.Node})
		at = len(a.failures) - 1
	}
	*a.failures[at] = request{node: e.Node, outcome: how, fault: e.Fault, sent: sent,
		delivered: none, executed: none, replied: none, dropped: e.At}
}
