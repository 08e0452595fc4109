package faults

import (
	"time"

	"redlocklab/sim"
)

// Count says how often a fault of the schedule began and ended in one run, and
// how many of its beginnings had an effect. The crash of a node that is down has
// none, unless it keeps the node down for longer; nor has a reset where nobody
// has a connection.
type Count struct {
	Fault string `json:"fault"`
	Began int    `json:"began"`
	Acted int    `json:"acted"`
	Ended int    `json:"ended"`
}

// Installed is a schedule at work in one run. It is for controller context, and
// for reading when the run is over.
type Installed struct {
	target   Target
	outages  *outages
	schedule Schedule
	states   []state
	watchers []*watcher
	purposes sim.Purposes
	asks     bool     // a trigger waits for a command about a lock, and so needs purposes
	queue    []func() // what the current event or beginning set off, in order
	draining bool
}

// state is how far one fault has come.
type state struct {
	matches int // of its trigger
	armed   bool
	active  bool // began and lasts
	idle    bool // began, and no event has carried its name since
	count   Count
}

// watcher is a trigger that belongs to no fault.
type watcher struct {
	trigger Trigger
	matches int
	done    bool
	call    func()
}

// Install makes a schedule happen in the simulator's world. The schedule must have
// passed [Schedule.Validate] against the world's nodes and clients. What an event
// sets off without delay happens before the event takes effect.
func Install(w *sim.World, s Schedule) *Installed { return InstallOn(world{w}, s) }

// InstallOn is [Install] for any target.
func InstallOn(t Target, s Schedule) *Installed {
	i := &Installed{target: t, schedule: s, states: make([]state, len(s))}
	i.outages = &outages{faults: map[NodeHandle]*sim.Causes{}, acted: i.credit}
	for n, f := range s {
		i.states[n].count.Fault = f.Name
		if prepare := f.Effect.definition().prepare; prepare != nil {
			prepare(action{t, i.outages, f.Name})
		}
		i.asks = i.asks || f.Begin.When.purpose().AboutLock() || f.End.When.purpose().AboutLock()
		i.states[n].armed = !f.Begin.When.IsZero()
		if f.Begin.When.IsZero() {
			t.At(f.Begin.At, func() { i.run(func() { i.begin(n) }) })
		}
	}
	t.Observe(func(e sim.Event) {
		i.credit(e.Fault)
		purpose := sim.PurposeUnknown
		if i.asks {
			seen := e // so that other events need no place in the heap
			purpose = i.purposes.Apply(&seen)
		}
		i.notify(func(p Pattern) bool { return p.Match(e, purpose) })
	})
	return i
}

// Watch calls f, in controller context, when a trigger fires. Call it before the
// run begins.
func (i *Installed) Watch(t Trigger, f func()) {
	if t.When.IsZero() {
		i.target.At(t.At, f)
		return
	}
	i.watchers = append(i.watchers, &watcher{trigger: t, call: f})
	i.asks = i.asks || t.When.purpose().AboutLock()
}

// Fired counts, in the schedule's order, how often each fault happened.
func (i *Installed) Fired() []Count {
	counts := make([]Count, len(i.states))
	for n := range i.states {
		counts[n] = i.states[n].count
	}
	return counts
}

// credit notes that the last beginning of a fault had an effect. "" is no fault.
func (i *Installed) credit(fault string) {
	if fault == "" {
		return
	}
	for n := range i.states {
		if s := &i.states[n]; s.idle && s.count.Fault == fault {
			s.idle = false
			s.count.Acted++
		}
	}
}

// notify asks all waiting triggers, in the schedule's order, whether an event matches.
// All of them see it before the first of them acts, so that a consequence never
// comes before its cause.
func (i *Installed) notify(matches func(Pattern) bool) {
	for n := range i.schedule {
		f, s := &i.schedule[n], &i.states[n]
		if s.active && matches(f.End.When) {
			i.queue = append(i.queue, func() { i.end(n) })
		}
		if s.armed && matches(f.Begin.When) {
			s.matches++
			if s.matches >= f.Begin.Nth {
				s.armed = f.Again.Every == 0 && f.Again.Times > 1 && s.count.Began+1 < f.Again.Times
				i.queue = append(i.queue, func() { i.after(f.Begin.After, func() { i.begin(n) }) })
			}
		}
	}
	for _, w := range i.watchers {
		if !w.done && matches(w.trigger.When) {
			w.matches++
			if w.done = w.matches >= w.trigger.Nth; w.done {
				i.queue = append(i.queue, func() { i.after(w.trigger.After, w.call) })
			}
		}
	}
	i.drain()
}

// after runs f after a delay, or at once when there is none.
func (i *Installed) after(d time.Duration, f func()) {
	if d == 0 {
		f()
		return
	}
	i.target.At(i.target.Now()+d, func() { i.run(f) })
}

// run runs f and then all that it sets off.
func (i *Installed) run(f func()) {
	i.queue = append(i.queue, f)
	i.drain()
}

// drain runs the queue in order. What an action sets off, through the events that
// it causes, goes to the end of the queue.
func (i *Installed) drain() {
	if i.draining {
		return
	}
	i.draining = true
	defer func() { i.draining = false }()
	for len(i.queue) > 0 {
		next := i.queue[0]
		i.queue = i.queue[1:]
		next()
	}
}

func (i *Installed) begin(n int) {
	f, s := i.schedule[n], &i.states[n]
	if f.Again.Every == 0 && s.count.Began >= max(f.Again.Times, 1) {
		return // a match came while the last beginning was waiting for its time
	}
	if !s.active {
		s.count.Began++
	}
	if f.Again.Every > 0 && (f.Again.Times == 0 || s.count.Began < f.Again.Times) {
		i.target.At(i.target.Now()+f.Again.Every, func() { i.run(func() { i.begin(n) }) })
	}
	if s.active { // this beginning is skipped, and another match may take its place
		s.armed = s.armed || f.Again.Every == 0 && s.count.Began < f.Again.Times && !f.Begin.When.IsZero()
		return
	}
	s.active, s.idle = f.End.Ends, true
	d := f.Effect.definition()
	d.start(action{i.target, i.outages, f.Name})
	i.notify(func(p Pattern) bool { return p.Fault == f.Name && p.Word == "began" })
	switch {
	case !f.End.Ends || !f.End.When.IsZero():
	case d.endAfter != nil:
		d.endAfter(i.target, f.End.For, func() { i.run(func() { i.end(n) }) })
	default:
		i.after(f.End.For, func() { i.end(n) })
	}
}

func (i *Installed) end(n int) {
	f, s := i.schedule[n], &i.states[n]
	if !s.active {
		return
	}
	s.active = false
	s.count.Ended++
	f.Effect.definition().stop(action{i.target, i.outages, f.Name})
	i.notify(func(p Pattern) bool { return p.Fault == f.Name && p.Word == "ended" })
}
