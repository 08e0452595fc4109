package explain

import (
	"slices"
	"strings"
	"time"

	"redlocklab/sim"
)

// outcome is how one request of a round ended, as its process could know it.
type outcome int

const (
	silent      outcome = iota // no answer arrived
	unreachable                // no connection came about
	refused                    // the node said that it is down
	requestLost                // the request never arrived
	replyLost                  // the node executed it, the answer never arrived
	answered
)

// request is one command to one node within a round, or a failed dial.
type request struct {
	node    string
	message int // number in the run; 0 for a dial that failed
	command string
	outcome outcome
	fault   string // of the fault that stopped or delayed it

	sent, delivered, executed, replied, dropped time.Duration // none where it did not happen
	executeSeq                                  int

	answer string  // what the node's engine said
	effect *change // what it did to its key; nil when it has none
	token  string  // the value that it carried or left behind
	more   bool    // the key has more time than before
}

// none marks an instant that did not come.
const none = time.Duration(-1)

// round is a set of requests of one process with one purpose, at most one per
// node: one attempt of an acquisition, one extension, one release.
type round struct {
	process   string
	purpose   purpose
	key       string
	operation *operation
	requests  []*request
	from      time.Duration
	events    []int
	decided   *sim.Event // the client's event that ended it; nil for an attempt that was followed by another
	next      *round     // the next round of this process with the same purpose
	cleanup   *round     // the release that gave back what a failed attempt had won
	cleans    *round     // the failed attempt after which this one cleans up
	repeated  bool       // the story tells it together with an earlier attempt of the same kind
}

// request finds the request to a node.
func (r *round) request(node string) *request {
	for _, q := range r.requests {
		if q.node == node {
			return q
		}
	}
	return nil
}

// operation is one call of a client, up to its return.
type operation struct {
	process, name, resource string
	call                    sim.Event
	returned                *sim.Event
	events                  []int
	rounds                  []*round
}

// keySpan is the life of one value of one key on one node.
type keySpan struct {
	node, key, value, owner string
	from, until             time.Duration
	end                     sim.Kind // the kind of event that ended it; "" when it outlived the run
	ender                   string   // the process whose command ended it
}

// stretch is a time during which a node was down, a process paused, or a fault
// rule on messages in force.
type stretch struct {
	name        string // of the node, the process or the fault
	fault       string
	from, until time.Duration
	open        bool // the run ended first
}

// moment is an event that stands by itself in the story, with what it did.
type moment struct {
	event   sim.Event
	changes []change
}

// digest is a trace, joined and sorted.
type digest struct {
	run         *Run
	rounds      []*round
	operations  []*operation
	moments     []moment
	keys        []*keySpan
	down        []*stretch
	pauses      []*stretch
	cuts        []*stretch
	requests    map[int]*request // by message number
	roundOf     map[*request]*round
	dialNumbers map[int]bool // message numbers that dials have
	loose       []sim.Event  // events of the network and of timers that no round claims
	end         time.Duration

	state  *state
	actors map[string]*actor
}

// actor is what the digest must remember of one process while it reads on.
type actor struct {
	name      string
	operation *operation
	round     *round               // the round that the next request about a lock may join
	aside     *round               // the same for requests that are not about a lock
	last      map[purpose]*round   // the latest round of each purpose
	dials     map[string]sim.Event // dials that have not led to a request yet
	dialled   map[string]*round    // the round for which a node was dialled
	failures  []*request           // dials that failed before a round was open
	orphans   []int                // events of dials before a round was open
}

// newDigest reads the whole trace once.
func newDigest(run *Run) *digest {
	d := &digest{
		run:         run,
		requests:    map[int]*request{},
		roundOf:     map[*request]*round{},
		dialNumbers: map[int]bool{},
		state:       newState(run),
		actors:      map[string]*actor{},
	}
	for _, name := range run.Processes {
		d.actors[name] = &actor{name: name, last: map[purpose]*round{}, dials: map[string]sim.Event{}, dialled: map[string]*round{}}
	}
	for i := range run.Events {
		e := &run.Events[i]
		d.end = e.At
		changes := d.state.apply(e)
		d.follow(e, changes)
		d.read(e, changes)
	}
	for _, l := range run.Leases {
		d.end = max(d.end, l.Until)
	}
	for _, k := range d.keys {
		if k.end == "" {
			k.until = d.end
		}
	}
	for _, group := range [][]*stretch{d.down, d.pauses, d.cuts} {
		for _, s := range group {
			if s.open {
				s.until = d.end
			}
		}
	}
	return d
}

// follow keeps the lives of keys.
func (d *digest) follow(e *sim.Event, changes []change) {
	for _, c := range changes {
		if !c.had && !c.has || c.had && c.has && c.before.value == c.after.value {
			continue
		}
		if c.had {
			for i := len(d.keys) - 1; i >= 0; i-- {
				if k := d.keys[i]; k.node == c.node && k.key == c.key && k.end == "" {
					k.until, k.end, k.ender = e.At, e.Kind, e.Process
					break
				}
			}
		}
		if c.has {
			d.keys = append(d.keys, &keySpan{node: c.node, key: c.key, value: c.after.value, owner: c.after.owner, from: e.At})
		}
	}
}

// read sorts one event into the digest.
func (d *digest) read(e *sim.Event, changes []change) {
	a := d.actors[e.Process]
	switch e.Kind {
	case sim.Call, sim.Acquired, sim.Failed, sim.Extended, sim.Released:
		if a != nil {
			d.client(a, e)
			return
		}
	case sim.Dial, sim.Connect, sim.Refuse, sim.Send, sim.Deliver, sim.Execute, sim.Reply, sim.Drop, sim.Reset:
		if a != nil {
			d.message(a, e, changes)
			return
		}
		d.loose = append(d.loose, *e)
		return
	case sim.Timer, sim.Close:
		d.loose = append(d.loose, *e)
		return
	case sim.Delay:
		if q := d.requests[e.Message]; q != nil && e.Message != 0 {
			q.fault = e.Fault
		}
	case sim.Crash, sim.Restart, sim.Pause, sim.Resume, sim.Cut, sim.Heal:
		d.stretches(e)
	}
	d.moments = append(d.moments, moment{event: *e, changes: changes})
}

func (d *digest) stretches(e *sim.Event) {
	switch e.Kind {
	case sim.Crash:
		d.down = append(d.down, &stretch{name: e.Node + e.Process, fault: e.Fault, from: e.At, open: true})
	case sim.Restart:
		closeStretch(d.down, e.Node+e.Process, e.At)
	case sim.Pause:
		d.pauses = append(d.pauses, &stretch{name: e.Process, fault: e.Fault, from: e.At, open: true})
	case sim.Resume:
		closeStretch(d.pauses, e.Process, e.At)
	case sim.Cut:
		d.cuts = append(d.cuts, &stretch{name: cutName(e), fault: e.Fault, from: e.At, open: true})
	case sim.Heal:
		closeStretch(d.cuts, cutName(e), e.At)
	}
}

// cutName tells rules on messages apart: one fault may install several.
func cutName(e *sim.Event) string {
	return strings.Join([]string{e.Fault, e.Process, e.Node, e.Detail}, "\x00")
}

func closeStretch(all []*stretch, name string, at time.Duration) {
	for i := len(all) - 1; i >= 0; i-- {
		if s := all[i]; s.name == name && s.open {
			s.until, s.open = at, false
			return
		}
	}
}

// client begins or ends an operation.
func (d *digest) client(a *actor, e *sim.Event) {
	if e.Kind == sim.Call {
		a.operation = &operation{process: e.Process, name: operationName(e.Detail), resource: e.Resource, call: *e, events: []int{e.Seq}}
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
	op.events = append(op.events, e.Seq)
	if len(a.failures) > 0 && a.round == nil && operationPurpose(op.name).aboutLock() {
		d.open(a, operationPurpose(op.name), op.resource, a.failures[0].sent)
	}
	for i := len(op.rounds) - 1; i >= 0; i-- {
		if p := op.rounds[i].purpose; p == operationPurpose(op.name) && p.aboutLock() {
			op.rounds[i].decided = op.returned
			break
		}
	}
	a.round = nil
}

// message joins an event of the network to its request and its round.
func (d *digest) message(a *actor, e *sim.Event, changes []change) {
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
		q.executed, q.executeSeq, q.answer = e.At, e.Seq, e.Detail
		if len(changes) > 0 {
			c := changes[0]
			q.effect = &c
			q.more = c.had && c.has && c.before.value == c.after.value && c.after.ends > c.before.ends
			if c.gained() {
				q.token = c.after.value
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

// send opens a request, in the round that is open or in a new one.
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

// open begins a round and takes over the dials that were made for it.
func (d *digest) open(a *actor, p purpose, key string, at time.Duration) *round {
	r := &round{process: a.name, purpose: p, key: key, from: at}
	if p.aboutLock() {
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
	if failed := a.last[ask]; p == give && failed != nil && failed.cleanup == nil && failed.unsuccessful() &&
		(op == nil || operationPurpose(op.name) != give) {
		failed.cleanup, r.cleans = r, failed
	}
	a.last[p] = r
	*a.current(p) = r
	d.rounds = append(d.rounds, r)
	return r
}

// current is the round that a request with this purpose may join. A handshake
// between two requests for a lock must not split their round.
func (a *actor) current(p purpose) **round {
	if p.aboutLock() {
		return &a.round
	}
	return &a.aside
}

// adopt gives a round the dials that were made for it before its first request.
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

// unsuccessful reports that the round did not, so far, end in a lease.
func (r *round) unsuccessful() bool {
	return r.decided == nil || r.decided.Kind == sim.Failed
}

// dial keeps what happens before there is a request.
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
