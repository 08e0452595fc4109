package explain

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"redlocklab/sim"
	"redlocklab/sim/resp"
)

// client begins or ends an operation.
func (d *digest) client(a *actor, step *sim.Step) {
	e := step.Event
	if e.Kind == sim.Call {
		a.operation = &operation{Operation: step.Operation}
		a.open[true], a.failures = nil, nil
		clear(a.attempts)
		d.operations = append(d.operations, a.operation)
		return
	}
	op := a.operation
	if op.Purpose.AboutLock() {
		if len(a.failures) > 0 && a.open[true] == nil {
			d.open(a, op.Purpose, op.Resource, a.failures[0].sent())
		}
		for _, r := range slices.Backward(op.rounds) {
			if r.purpose == op.Purpose {
				r.decided = e
				break
			}
		}
	}
	a.open[true] = nil
}

// message adds an event of the network to its request and its round.
func (d *digest) message(a *actor, step *sim.Step) {
	switch q := d.requests[step.Request]; {
	case step.Request == nil:
		d.dial(a, step.Event)
	case step.Event.Kind == sim.Send:
		d.send(a, step.Request)
	case q != nil:
		q.round.events = append(q.round.events, step.Event.Seq)
	}
}

// send adds a request to the open round, or begins a new one with it.
func (d *digest) send(a *actor, sent *sim.Request) {
	if p, known := d.scripts[scriptOf(sent)]; known {
		sent.Purpose = p
	}
	p := sent.Purpose
	if p == sim.PurposeRead { // neither vote nor release, as what nobody knows
		p = sim.PurposeUnknown
	}
	r := cmp.Or(a.late(p, sent), a.open[p.AboutLock()])
	if r == nil || r.purpose != p || !r.takes(sent) {
		r = d.open(a, p, sent.Key, sent.Sent.At)
		a.cleanup(r, sent.Token())
	}
	r.key = cmp.Or(r.key, sent.Key)
	if r.word == "" {
		r.word = sent.Token()
		if p == sim.PurposeAcquire {
			a.attempts[r.word] = r
		}
	}
	q := r.request(sent.Node)
	if q == nil {
		q = r.add(&request{})
	}
	q.Request = sent
	d.requests[sent] = q
	delete(a.dials, sent.Node)
	r.events = append(r.events, sent.Sent.Seq)
}

// late returns the earlier round that a request belongs to, which waited for its
// connection: the one that dialled, or the one with its token. nil when there is none.
func (a *actor) late(p sim.Purpose, q *sim.Request) *round {
	rounds := []*round{a.dialled[q.Node]}
	if a.operation != nil && p == sim.PurposeAcquire {
		rounds = append(rounds, a.last[p], a.attempts[q.Token()])
	}
	for _, r := range rounds {
		if r != nil && r.purpose == p && r.lacks(q.Node) && r.carries(q) {
			return r
		}
	}
	return nil
}

func (r *round) lacks(node string) bool {
	q := r.request(node)
	return q == nil || q.Message == 0
}

// carries reports whether a request is about the same attempt as the round: each has a
// token of its own, with which it is released, too.
func (r *round) carries(q *sim.Request) bool {
	return r.purpose != sim.PurposeAcquire && r.purpose != sim.PurposeRelease || r.word == "" || r.word == q.Token()
}

// takes reports whether a request with the round's purpose may join it: it is about
// the same key, and the first one to its node. A command that the node does not know
// as a script does not count.
func (r *round) takes(q *sim.Request) bool {
	return (q.Key == "" || r.key == "" || r.key == q.Key) && r.carries(q) &&
		(r.lacks(q.Node) || strings.Contains(r.request(q.Node).answer(), "NOSCRIPT"))
}

// open begins a round and adds the dials that were made for it.
func (d *digest) open(a *actor, p sim.Purpose, key string, at time.Duration) *round {
	r := &round{process: a.name, purpose: p, key: key, from: at}
	if p.AboutLock() {
		d.adopt(a, r)
	}
	op := a.operation
	if op != nil && (op.Return == nil || p != op.Purpose) {
		r.operation = op
		op.rounds = append(op.rounds, r)
	}
	if previous := a.last[p]; previous != nil {
		previous.next = r
	}
	a.last[p] = r
	a.open[p.AboutLock()] = r
	d.rounds = append(d.rounds, r)
	return r
}

// cleanup ties a release to the failed attempt that it cleans up after. A release of an
// earlier attempt, which waited for its connection, ends no later one.
func (a *actor) cleanup(r *round, word string) {
	failed := a.last[sim.PurposeAcquire]
	if r.purpose != sim.PurposeRelease || failed == nil || failed.cleanup != nil ||
		failed.decided != nil && failed.decided.Kind != sim.Failed ||
		a.operation != nil && a.operation.Purpose == sim.PurposeRelease ||
		failed.word != "" && word != "" && failed.word != word {
		return
	}
	failed.cleanup, r.cleans = r, failed
}

// adopt adds the dials that were made for a round before its first request.
func (d *digest) adopt(a *actor, r *round) {
	for _, f := range a.failures {
		r.from = min(r.from, f.sent())
		r.add(f)
	}
	r.events = append(r.events, a.orphans...)
	a.failures, a.orphans = nil, nil
	for _, node := range d.run.Nodes {
		if begun := a.dials[node]; begun != nil {
			a.dialled[node] = r
			if r.request(node) == nil {
				r.add(failedDial(begun))
			}
		}
	}
}

// dial records what happens before there is a request.
func (d *digest) dial(a *actor, e *sim.Event) {
	if e.Kind == sim.Deliver || e.Kind == sim.Execute || e.Kind == sim.Reply {
		return // of a request that the trace does not show being sent
	}
	if e.Kind == sim.Dial {
		a.dialled[e.Node] = nil
		if r := a.open[true]; r != nil && r.request(e.Node) == nil {
			r.add(failedDial(e))
			a.dialled[e.Node] = r
		}
		a.dials[e.Node] = e
	}
	r := a.dialled[e.Node]
	if r != nil {
		r.events = append(r.events, e.Seq)
	} else {
		a.orphans = append(a.orphans, e.Seq)
	}
	if e.Kind != sim.Refuse && e.Kind != sim.Drop {
		return
	}
	var q *request
	if r != nil {
		q = r.request(e.Node)
	} else {
		q = a.failure(e)
	}
	if q != nil && q.Message == 0 {
		q.Dropped = e
	}
}

// failedDial returns a dial that has not led to a connection.
func failedDial(e *sim.Event) *request {
	return &request{Request: &sim.Request{Process: e.Process, Node: e.Node, Sent: e}}
}

// failure records that a dial failed before a round was open. Only the latest dial of
// a node counts.
func (a *actor) failure(e *sim.Event) *request {
	failed := failedDial(cmp.Or(a.dials[e.Node], e))
	delete(a.dials, e.Node)
	if at := slices.IndexFunc(a.failures, func(q *request) bool { return q.Node == e.Node }); at >= 0 {
		a.failures[at] = failed
	} else {
		a.failures = append(a.failures, failed)
	}
	return failed
}

// scriptOf tells scripts that nobody has registered apart: by how many words their commands have,
// which is the same for EVAL and EVALSHA. It is 0 for other commands.
func scriptOf(q *sim.Request) int {
	if !resp.IsEval(q.Command) {
		return 0
	}
	return len(strings.Fields(q.Sent.Detail))
}

// scriptPurposes says what such scripts are for, by what they do to keys in the whole run: the
// operation that is open does not tell, as a failed acquisition cleans up while it is. A script
// that does several things is left out.
func scriptPurposes(events []sim.Event) map[int]sim.Purpose {
	const several sim.Purpose = "several"
	purposes := map[int]sim.Purpose{}
	var reader sim.Reader
	for step := range reader.Steps(events) {
		q := step.Request
		if q == nil || q.Executed != step.Event || q.Effect == nil || scriptOf(q) == 0 {
			continue
		}
		var did sim.Purpose
		switch c := q.Effect; {
		case c.Gained():
			did = sim.PurposeAcquire
		case c.Lost():
			did = sim.PurposeRelease
		case c.Grown():
			did = sim.PurposeExtend
		default:
			continue
		}
		if before, known := purposes[scriptOf(q)]; known && before != did {
			did = several
		}
		purposes[scriptOf(q)] = did
	}
	maps.DeleteFunc(purposes, func(_ int, p sim.Purpose) bool { return p == several })
	return purposes
}
