package faults

import (
	"time"

	"redlocklab/sim"
)

// ownTime is an effect that may last by another clock than true time. It returns
// false when this one does not.
type ownTime interface {
	endAfter(w Stage, d time.Duration, f func()) bool
}

// preparing is an effect that needs something of the world from the start.
type preparing interface{ prepare(w Stage) }

// Count says how often a fault of the schedule began and ended in one run, and
// of how many of its beginnings something came: a crash of a node that is down
// is none, unless it keeps the node down for longer, nor is a reset of
// connections that nobody has.
type Count struct {
	Fault string `json:"fault"`
	Began int    `json:"began"`
	Acted int    `json:"acted"`
	Ended int    `json:"ended"`
}

// Installed is a schedule at work in one world. It is used in controller
// context only, and read when the run is over.
type Installed struct {
	world    *scene
	schedule Schedule
	states   []state
	watchers []*watcher
	queue    []func() // what the event or beginning at hand set off, in order
	draining bool
}

// state is how far one fault has come.
type state struct {
	matches int // of its trigger
	armed   bool
	active  bool // began, lasts, and has not ended
	idle    bool // began, and no event of the world has its name since
	count   Count
}

// watcher waits for a trigger without being a fault.
type watcher struct {
	trigger Trigger
	matches int
	done    bool
	call    func()
}

// Install makes a schedule happen in a world. The schedule must have passed
// [Schedule.Validate] against the world's nodes and clients. What an event sets
// off without delay happens before that event's effect goes on.
func Install(w *sim.World, s Schedule) *Installed { return InstallOn(simulated{w}, s) }

// InstallOn is [Install] for another stage.
func InstallOn(w Stage, s Schedule) *Installed {
	i := &Installed{schedule: s, states: make([]state, len(s))}
	i.world = &scene{Stage: w, down: map[NodeHandle]*sim.Causes{}, acted: i.credit}
	for n, f := range s {
		i.states[n].count.Fault = f.Name
		if p, ok := f.Effect.(preparing); ok {
			p.prepare(w)
		}
		i.states[n].armed = !f.Begin.When.IsZero()
		if f.Begin.When.IsZero() {
			w.At(f.Begin.At, func() { i.run(func() { i.begin(n) }) })
		}
	}
	w.Observe(func(e sim.Event) {
		i.credit(e.Fault)
		i.notify(func(p Pattern) bool { return p.Match(e) })
	})
	return i
}

// Watch calls f, in controller context, when a trigger comes: what begins with
// a fault, or with an event, can be timed by it. Call it before the run begins.
func (i *Installed) Watch(t Trigger, f func()) {
	if t.When.IsZero() {
		i.world.At(t.At, f)
		return
	}
	i.watchers = append(i.watchers, &watcher{trigger: t, call: f})
}

// Fired counts, in the schedule's order, how often each fault happened.
func (i *Installed) Fired() []Count {
	counts := make([]Count, len(i.states))
	for n := range i.states {
		counts[n] = i.states[n].count
	}
	return counts
}

// credit notes that a fault has done something. None has an empty name.
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

// notify tells all waiting triggers, in the schedule's order, what happened.
// All of them see it before the first of them acts, so that what one fault
// causes comes after what it was caused by.
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

// after does something later, or at once when there is nothing to wait for.
func (i *Installed) after(d time.Duration, f func()) {
	if d == 0 {
		f()
		return
	}
	i.world.At(i.world.Now()+d, func() { i.run(f) })
}

// run does something and then all that it sets off.
func (i *Installed) run(f func()) {
	i.queue = append(i.queue, f)
	i.drain()
}

// drain works the queue off in order. What an action sets off, through events
// that the world reports while it acts, waits behind what is queued already.
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
		i.world.At(i.world.Now()+f.Again.Every, func() { i.run(func() { i.begin(n) }) })
	}
	if s.active { // it lasts still: this beginning is left out, and another match may take its place
		s.armed = s.armed || f.Again.Every == 0 && s.count.Began < f.Again.Times && !f.Begin.When.IsZero()
		return
	}
	s.active, s.idle = f.End.Ends, true
	f.Effect.begin(i.world, f.Name)
	i.notify(func(p Pattern) bool { return p.Fault == f.Name && p.Word == "began" })
	if !f.End.Ends || !f.End.When.IsZero() {
		return
	}
	own, ok := f.Effect.(ownTime)
	if !ok || !own.endAfter(i.world, f.End.For, func() { i.run(func() { i.end(n) }) }) {
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
	f.Effect.end(i.world, f.Name)
	i.notify(func(p Pattern) bool { return p.Fault == f.Name && p.Word == "ended" })
}
