package explain

import (
	"slices"
	"time"

	"redlocklab/sim"
)

// keySpan is the time in which one key of one node had one value.
type keySpan struct {
	node, key, owner  string
	value             string
	from, until       time.Duration
	fromSeq, untilSeq int      // of the events that set and ended it; untilSeq is 0 when the run ended first
	end               sim.Kind // the kind of event that ended it; "" when the run ended first
	ender             string   // the process whose command ended it
	counts            bool     // it is no vote, but a count that a command raised
}

// stretch is a time in which a node or process was down, a process was paused, or a
// rule on messages was in force.
type stretch struct {
	begin       *sim.Event // of the kind [sim.Crash], [sim.Pause] or [sim.Cut]
	end         *sim.Event // nil when the run ended first
	from, until time.Duration
}

// digest is a trace, joined into requests, rounds, operations and stretches.
type digest struct {
	run        *Run
	rounds     []*round
	operations []*operation
	moments    []*sim.Event           // events that get a line of their own
	changes    map[int]*sim.KeyChange // by Seq: what an event told about a key
	keys       []*keySpan
	stretches  []*stretch
	leases     map[string]*sim.Lease      // by id
	done       map[string]int             // by process: Seq of the event that ended it
	accesses   []access                   // to the protected resources, in order
	registers  []string                   // names of the lanes of registers, in order of appearance
	writes     map[string][]time.Duration // by client: when it wrote
	scripts    map[int]sim.Purpose        // what scripts are for, as [scriptPurposes] says
	requests   map[*sim.Request]*request
	end        time.Duration // of the run or of its last lease
	actors     map[string]*actor
}

// actor is what the digest keeps about one process while it reads the trace.
type actor struct {
	name      string
	operation *operation
	open      map[bool]*round        // what the next request may join, by whether it is about a lock
	last      map[sim.Purpose]*round // the latest round of each purpose
	dials     map[string]*sim.Event  // by node: the dial that has not led to a request yet
	dialled   map[string]*round      // the round for which a node was dialled
	attempts  map[string]*round      // the attempts of its operation, by their tokens
	failures  []*request             // dials that failed before a round was open
	orphans   []int                  // events of dials before a round was open
}

// newDigest reads the whole trace once.
func newDigest(run *Run) *digest {
	d := &digest{
		run: run, changes: map[int]*sim.KeyChange{}, requests: map[*sim.Request]*request{}, actors: map[string]*actor{},
		leases: map[string]*sim.Lease{}, done: map[string]int{}, writes: map[string][]time.Duration{},
		scripts: scriptPurposes(run.Events),
	}
	for _, name := range run.Processes {
		d.actors[name] = &actor{name: name, open: map[bool]*round{}, last: map[sim.Purpose]*round{},
			dials: map[string]*sim.Event{}, dialled: map[string]*round{}, attempts: map[string]*round{}}
	}
	if n := len(run.Events); n > 0 {
		d.end = run.Events[n-1].At
	}
	for _, l := range run.Leases {
		d.end = max(d.end, l.Until)
	}
	var reader sim.Reader
	for step := range reader.Steps(run.Events) {
		if step.Change != nil {
			d.changes[step.Event.Seq] = step.Change
			d.follow(step.Event, step.Change)
		}
		d.read(&step)
	}
	for _, r := range d.rounds {
		for _, q := range r.requests {
			if q.Message == 0 && q.Sent.Kind == sim.Dial {
				q.Dropped = d.failureOf(q.Sent)
			}
		}
	}
	return d
}

// failureOf returns the event with which a dial was lost or refused; nil when it was not.
func (d *digest) failureOf(dial *sim.Event) *sim.Event {
	for i := dial.Seq; i < len(d.run.Events); i++ {
		e := &d.run.Events[i]
		switch {
		case e.Process != dial.Process || e.Node != dial.Node:
		case e.Kind == sim.Dial:
			return nil // the next one: a drop has no number of its connection
		case e.Kind == sim.Refuse, e.Kind == sim.Drop && (e.Message == 0 || e.Conn == dial.Conn):
			return e
		}
	}
	return nil
}

// follow records the spans of keys.
func (d *digest) follow(e *sim.Event, c *sim.KeyChange) {
	if c.Before.Value == c.After.Value {
		return
	}
	for _, k := range slices.Backward(d.keys) {
		if k.node == c.Node && k.key == c.Key && k.end == "" {
			k.until, k.untilSeq, k.end, k.ender = e.At, e.Seq, e.Kind, e.Process
			break
		}
	}
	if c.After.Exists() {
		d.keys = append(d.keys, &keySpan{node: c.Node, key: c.Key, owner: c.After.Owner, value: c.After.Value,
			from: e.At, fromSeq: e.Seq, until: d.end,
			counts: sim.PurposeOf(e.Command) == sim.PurposeRead})
	}
}

// rateChanged reports whether an event gave a clock another rate error than it had.
func (d *digest) rateChanged(e *sim.Event) bool {
	before := int64(0)
	for _, m := range d.moments {
		if m.Seq >= e.Seq {
			break
		}
		if m.Kind == sim.ClockRate && m.Node == e.Node && m.Process == e.Process && m.Detail == e.Detail {
			before = m.PPM
		}
	}
	return e.PPM != before
}

// changed reports whether an event gave a node a new vote, or took one away.
func (d *digest) changed(seq int) bool {
	c := d.changes[seq]
	return c != nil && (c.Gained() || c.Lost())
}

// loser returns the owner of the key that an event took away; "" when nobody knows.
func (d *digest) loser(e *sim.Event) string {
	if c := d.changes[e.Seq]; c != nil {
		return c.Before.Owner
	}
	return ""
}

// read adds one event to the digest. Events of the network that belong to no round,
// and timers, are not kept.
func (d *digest) read(step *sim.Step) {
	e, a := step.Event, d.actors[step.Event.Process]
	if step.Lease != nil {
		d.leases[step.Lease.ID] = step.Lease
	}
	switch e.Kind {
	case sim.Access:
		d.enter(e)
	case sim.Done:
		d.done[e.Process] = e.Seq
	case sim.Call, sim.Acquired, sim.Failed, sim.Extended, sim.Released:
		if a != nil && step.Operation != nil {
			d.client(a, step)
			return
		}
	case sim.Dial, sim.Connect, sim.Refuse, sim.Send, sim.Deliver, sim.Execute, sim.Reply, sim.Drop, sim.Reset:
		if a != nil {
			d.message(a, step)
		}
		return
	case sim.Timer, sim.Close:
		return
	case sim.Crash, sim.Pause, sim.Cut:
		d.stretches = append(d.stretches, &stretch{begin: e, from: e.At, until: d.end})
	case sim.Restart, sim.Resume, sim.Heal:
		for _, s := range slices.Backward(d.stretches) {
			b := s.begin
			if s.end == nil && b.Kind == beginnings[e.Kind] && b.Process == e.Process && b.Node == e.Node &&
				(b.Kind != sim.Cut || b.Fault == e.Fault && b.Detail == e.Detail) { // one fault may have several cuts
				s.end, s.until = e, e.At
				break
			}
		}
	}
	d.moments = append(d.moments, e)
}

// began returns the Seq of the event that began a lease; 0 for none.
func (d *digest) began(lease string) int {
	if l := d.leases[lease]; l != nil {
		return l.Acquired().Seq
	}
	return 0
}

// ended returns the Seq of the event that ended a lease, or that noticed its end; 0 for none.
func (d *digest) ended(lease string) int {
	if l := d.leases[lease]; l != nil {
		return earliest(seqOf(l.Released), seqOf(l.Lapsed))
	}
	return 0
}
