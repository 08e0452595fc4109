package explain

import (
	"slices"
	"strings"
	"time"

	"redlocklab/sim"
	"redlocklab/sim/explain/purpose"
)

// client begins or ends an operation.
func (d *digest) client(a *actor, e *sim.Event) {
	if e.Kind == sim.Call {
		name := purpose.Operation(e.Detail)
		a.operation = &operation{process: e.Process, name: name, purpose: purpose.OfOperation(name), resource: e.Resource, call: e}
		a.round, a.failures = nil, nil
		clear(a.attempts)
		d.operations = append(d.operations, a.operation)
		return
	}
	op := a.operation
	if op == nil || op.returned != nil {
		d.moments = append(d.moments, e)
		return
	}
	op.returned = e
	if op.purpose.AboutLock() {
		if len(a.failures) > 0 && a.round == nil {
			d.open(a, op.purpose, op.resource, a.failures[0].sent)
		}
		for _, r := range slices.Backward(op.rounds) {
			if r.purpose == op.purpose {
				r.decided = e
				break
			}
		}
	}
	a.round = nil
}

// message adds an event of the network to its request and its round.
func (d *digest) message(a *actor, e *sim.Event) {
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
		return
	}
	q.round.events = append(q.round.events, e.Seq)
	switch e.Kind {
	case sim.Deliver:
		q.delivered = e.At
	case sim.Execute:
		if q.executed != none {
			return // what the command did to further keys, such as a counter
		}
		q.executed, q.executeSeq, q.answer, q.effect = e.At, e.Seq, e.Detail, d.changes[e.Seq]
		if q.effect != nil && q.effect.Gained() {
			q.token = q.effect.After.Value
		}
	case sim.Reply:
		q.replied, q.settledSeq, q.outcome = e.At, e.Seq, answered
	case sim.Drop, sim.Reset:
		if q.outcome == answered {
			return
		}
		q.dropped, q.settledSeq, q.outcome = e.At, e.Seq, requestLost
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
	p := purpose.Of(e.Command, e.Key, name)
	r := *a.current(p)
	if late := a.late(p, e); late != nil {
		r = late
	}
	if r == nil || r.purpose != p || !r.takes(e) {
		r = d.open(a, p, e.Key, e.At)
	}
	if r.key == "" {
		r.key = e.Key
	}
	if r.word == "" {
		r.word = wordBehindKey(e)
		if p == sim.PurposeAcquire {
			a.attempts[r.word] = r
		}
	}
	q := r.request(e.Node)
	if q == nil {
		q = r.add(&request{})
	}
	*q = *newRequest(e.Node, e.At, silent)
	q.round, q.message, q.command, q.token, q.sentSeq = r, e.Message, e.Command, e.Value, e.Seq
	d.requests[e.Message] = q
	delete(a.dials, e.Node)
	r.events = append(r.events, e.Seq)
}

// late returns the earlier round that a request belongs to, which waited for its
// connection: the one that dialled, or the one with its token. nil when there is none.
func (a *actor) late(p sim.Purpose, e *sim.Event) *round {
	rounds := []*round{a.dialled[e.Node]}
	if a.operation != nil && p == sim.PurposeAcquire {
		rounds = append(rounds, a.last[p], a.attempts[wordBehindKey(e)])
	}
	for _, r := range rounds {
		if r != nil && r.purpose == p && r.lacks(e.Node) && r.carries(e) {
			return r
		}
	}
	return nil
}

func (r *round) lacks(node string) bool {
	q := r.request(node)
	return q == nil || q.message == 0
}

// carries reports whether a request asks for the same as the round: each attempt to
// acquire has a token of its own, the word behind the key.
func (r *round) carries(e *sim.Event) bool {
	return r.purpose != sim.PurposeAcquire || r.word == "" || r.word == wordBehindKey(e)
}

func wordBehindKey(e *sim.Event) string {
	_, rest, _ := strings.Cut(e.Detail, " "+e.Key+" ")
	word, _, _ := strings.Cut(rest, " ")
	return word
}

// takes reports whether a request with the round's purpose may join it: it is about
// the same key, and the first one to its node. A command that the node does not know
// as a script does not count.
func (r *round) takes(e *sim.Event) bool {
	return (e.Key == "" || r.key == "" || r.key == e.Key) && r.carries(e) &&
		(r.lacks(e.Node) || strings.Contains(r.request(e.Node).answer, "NOSCRIPT"))
}

// open begins a round and adds the dials that were made for it.
func (d *digest) open(a *actor, p sim.Purpose, key string, at time.Duration) *round {
	r := &round{process: a.name, purpose: p, key: key, from: at}
	if p.AboutLock() {
		d.adopt(a, r)
	}
	op := a.operation
	if op != nil && (op.returned == nil || p != op.purpose) {
		r.operation = op
		op.rounds = append(op.rounds, r)
	}
	if previous := a.last[p]; previous != nil {
		previous.next = r
	}
	if failed := a.last[sim.PurposeAcquire]; p == sim.PurposeRelease && failed != nil && failed.cleanup == nil &&
		(failed.decided == nil || failed.decided.Kind == sim.Failed) && (op == nil || op.purpose != sim.PurposeRelease) {
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
		r.add(f)
	}
	r.events = append(r.events, a.orphans...)
	a.failures, a.orphans = nil, nil
	for _, node := range d.run.Nodes {
		begun, pending := a.dials[node]
		if !pending {
			continue
		}
		a.dialled[node] = r
		if r.request(node) == nil {
			r.add(newRequest(node, begun, unreachable))
		}
	}
}

// dial records what happens before there is a request.
func (d *digest) dial(a *actor, e *sim.Event) {
	if e.Kind == sim.Dial {
		a.dialled[e.Node] = nil
		if r := a.round; r != nil && r.request(e.Node) == nil {
			r.add(newRequest(e.Node, e.At, unreachable))
			a.dialled[e.Node] = r
		}
		a.dials[e.Node] = e.At
	}
	r := a.dialled[e.Node]
	if r != nil {
		r.events = append(r.events, e.Seq)
	} else {
		a.orphans = append(a.orphans, e.Seq)
	}
	how := unreachable
	switch e.Kind {
	case sim.Refuse:
		how = refused
	case sim.Drop:
	default:
		return
	}
	var failed *request
	if r != nil {
		failed = r.request(e.Node)
	} else {
		failed = a.failure(e)
	}
	if failed != nil && failed.message == 0 {
		failed.outcome, failed.dropped, failed.settledSeq, failed.fault = how, e.At, e.Seq, e.Fault
	}
}

// failure records that a dial failed before a round was open. Only the latest dial of
// a node counts.
func (a *actor) failure(e *sim.Event) *request {
	sent, pending := a.dials[e.Node]
	if !pending {
		sent = e.At
	}
	delete(a.dials, e.Node)
	failed := newRequest(e.Node, sent, unreachable)
	if at := slices.IndexFunc(a.failures, func(q *request) bool { return q.node == e.Node }); at >= 0 {
		a.failures[at] = failed
	} else {
		a.failures = append(a.failures, failed)
	}
	return failed
}
