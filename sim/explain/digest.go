package explain

import (
	"strings"
	"time"

	"redlocklab/sim"
)

// keySpan is the time in which one key of one node had one value.
type keySpan struct {
	node, key, owner string
	from, until      time.Duration
	end              sim.Kind // the kind of event that ended it; "" when the run ended first
	ender            string   // the process whose command ended it
}

// stretch is a time in which a node was down, a process was paused, or a rule on
// messages was in force.
type stretch struct {
	name        string // of the node, the process or the fault
	fault       string
	from, until time.Duration
	open        bool // the run ended first
}

// moment is an event that gets a line of its own.
type moment struct {
	event  sim.Event
	change *sim.KeyChange // nil when the event told nothing about a key
}

// digest is a trace, joined into requests, rounds, operations and stretches.
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
	dialNumbers map[int]bool // numbers of messages that are dials
	loose       []sim.Event  // events of the network and of timers that belong to no round
	end         time.Duration

	state  *state
	actors map[string]*actor
}

// actor is what the digest keeps about one process while it reads the trace.
type actor struct {
	name      string
	operation *operation
	round     *round                 // the round that the next request about a lock may join
	aside     *round                 // the same for requests that are not about a lock
	last      map[sim.Purpose]*round // the latest round of each purpose
	dials     map[string]sim.Event   // dials that have not led to a request yet
	dialled   map[string]*round      // the round for which a node was dialled
	failures  []*request             // dials that failed before a round was open
	orphans   []int                  // events of dials before a round was open
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
		d.actors[name] = &actor{name: name, last: map[sim.Purpose]*round{}, dials: map[string]sim.Event{}, dialled: map[string]*round{}}
	}
	for i := range run.Events {
		e := &run.Events[i]
		d.end = e.At
		change := d.state.apply(e)
		d.follow(e, change)
		d.read(e, change)
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

// follow records the spans of keys.
func (d *digest) follow(e *sim.Event, c *sim.KeyChange) {
	if c == nil || c.Before.Value == c.After.Value {
		return
	}
	if c.Before.Exists() {
		for i := len(d.keys) - 1; i >= 0; i-- {
			if k := d.keys[i]; k.node == c.Node && k.key == c.Key && k.end == "" {
				k.until, k.end, k.ender = e.At, e.Kind, e.Process
				break
			}
		}
	}
	if c.After.Exists() {
		d.keys = append(d.keys, &keySpan{node: c.Node, key: c.Key, owner: c.After.Owner, from: e.At})
	}
}

// read adds one event to the digest.
func (d *digest) read(e *sim.Event, change *sim.KeyChange) {
	a := d.actors[e.Process]
	switch e.Kind {
	case sim.Call, sim.Acquired, sim.Failed, sim.Extended, sim.Released:
		if a != nil {
			d.client(a, e)
			return
		}
	case sim.Dial, sim.Connect, sim.Refuse, sim.Send, sim.Deliver, sim.Execute, sim.Reply, sim.Drop, sim.Reset:
		if a != nil {
			d.message(a, e, change)
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
	d.moments = append(d.moments, moment{event: *e, change: change})
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

// cutName identifies a rule on messages: one fault may have several.
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
