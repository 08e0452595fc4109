package faults

import (
	"fmt"
	"slices"
	"time"

	"redlocklab/sim"
	"redlocklab/sim/random"
)

// fake is a target that only records what is done to it.
type fake struct {
	now       time.Duration
	due       []timed
	observers []func(sim.Event)
	rules     []sim.Rule
	log       []string
	down      map[string]bool
}

type timed struct {
	at time.Duration
	f  func()
}

func newFake() *fake { return &fake{down: map[string]bool{}} }

func (w *fake) Now() time.Duration                        { return w.now }
func (w *fake) Random(stream string, index uint64) uint64 { return random.Value(7, stream, index) }
func (w *fake) At(t time.Duration, f func())              { w.due = append(w.due, timed{t, f}) }
func (w *fake) Observe(f func(sim.Event))                 { w.observers = append(w.observers, f) }
func (w *fake) Node(name string) NodeHandle               { return fakeNode{fake: w, name: name} }
func (w *fake) Process(name string) ProcessHandle         { return fakeProcess{fake: w, name: name} }

// did records what was done, in whose name.
func (w *fake) did(fault string, what ...any) {
	w.log = append(w.log, fmt.Sprint(w.now, " ", fault, " ", what))
}

func (w *fake) AddRule(r sim.Rule) {
	w.rules = append(w.rules, r)
	w.did(r.Fault, "cut")
}

func (w *fake) RemoveRule(name, fault string) {
	w.rules = slices.DeleteFunc(w.rules, func(r sim.Rule) bool { return r.Name == name && r.Fault == fault })
	w.did(fault, "heal")
}

func (w *fake) ResetConnections(among func(client, node string) bool, fault string) {
	for _, c := range []string{"A", "B"} {
		for _, n := range []string{"n1", "n2"} {
			if among(c, n) {
				w.did(fault, "reset", c, n)
			}
		}
	}
}

func (w *fake) Emit(e sim.Event) { w.did(e.Fault, e.Kind, e.Resource, e.Detail) }

// emit reports an event, as the world does before the event takes effect.
func (w *fake) emit(e sim.Event) {
	for _, f := range w.observers {
		f(e)
	}
}

// advance runs what is due until t, in order of time and then of request.
func (w *fake) advance(t time.Duration) {
	for {
		slices.SortStableFunc(w.due, func(a, b timed) int { return int(a.at - b.at) })
		if len(w.due) == 0 || w.due[0].at > t {
			w.now = t
			return
		}
		d := w.due[0]
		w.due = w.due[1:]
		w.now = max(w.now, d.at)
		d.f()
	}
}

// fakeNode and fakeProcess panic when they are told what they do not record.
type fakeNode struct {
	NodeHandle
	*fake
	name string
}

func (n fakeNode) Up() bool { return !n.down[n.name] }

func (n fakeNode) Crash(how sim.End, fault string) {
	n.down[n.name] = true
	n.did(fault, "crash", n.name, how)
	n.emit(sim.Event{Kind: sim.Crash, Node: n.name, Fault: fault})
}

func (n fakeNode) Restart(fault string) {
	n.down[n.name] = false
	n.did(fault, "restart", n.name)
	n.emit(sim.Event{Kind: sim.Restart, Node: n.name, Fault: fault})
}

func (n fakeNode) Promote(fault string) {
	n.down[n.name] = false
	n.did(fault, "promote", n.name)
	n.emit(sim.Event{Kind: sim.Restart, Node: n.name, Detail: sim.Promoted, Fault: fault})
}

func (n fakeNode) Clock() Clock { return fakeClock{n.fake, []any{n.name}} }

// WhenClockAdvanced counts on a clock that runs at double speed.
func (n fakeNode) WhenClockAdvanced(d time.Duration, f func()) { n.At(n.now+d/2, f) }

func (n fakeNode) Operator(fault string, args ...string) {
	n.did(fault, "operator", n.name, args)
}

func (n fakeNode) Refuse(why, fault string)              { n.did(fault, "refuse", n.name, why) }
func (n fakeNode) Grant(why, fault string)               { n.did(fault, "grant", n.name, why) }
func (n fakeNode) Evict(keys int, fault string)          { n.did(fault, "evict", n.name, keys) }
func (n fakeNode) FillDisk(fault string)                 { n.did(fault, "fill", n.name) }
func (n fakeNode) FreeDisk(fault string)                 { n.did(fault, "free", n.name) }
func (n fakeNode) Demote(fault string)                   { n.did(fault, "demote", n.name) }
func (n fakeNode) PromoteAgain(fault string)             { n.did(fault, "promote again", n.name) }
func (n fakeNode) Replicate(lag time.Duration)           { n.did("start", "replicate", n.name, lag) }
func (n fakeNode) LoadFor(d time.Duration, fault string) { n.did(fault, "load", n.name, d) }
func (n fakeNode) Stop(fault string)                     { n.did(fault, "stop", n.name) }
func (n fakeNode) Continue(fault string)                 { n.did(fault, "continue", n.name) }

func (n fakeNode) SlowDisk(takes time.Duration, fault string) { n.did(fault, "sync", n.name, takes) }

func (n fakeNode) SetService(takes func(*sim.Message) time.Duration, fault string) {
	if takes == nil {
		n.did(fault, "service", n.name, "nothing")
		return
	}
	n.did(fault, "service", n.name, takes(&sim.Message{}))
}

// fakeClock is the clock of a node, or of a process by its kind.
type fakeClock struct {
	*fake
	whose []any
}

func (c fakeClock) Step(by time.Duration, fault string) {
	c.did(fault, slices.Concat([]any{"step"}, c.whose, []any{by})...)
	if len(c.whose) == 1 {
		c.emit(sim.Event{Kind: sim.ClockStep, Node: c.whose[0].(string), Duration: by, Fault: fault})
	}
}

func (c fakeClock) SetRate(ppm int64, fault string) {
	c.did(fault, slices.Concat([]any{"rate"}, c.whose, []any{ppm})...)
}

func (c fakeClock) EndRate(fault string) {
	c.did(fault, slices.Concat([]any{"rate"}, c.whose, []any{"no more"})...)
}

func (c fakeClock) SetDrift(d sim.Drift, every time.Duration, fault string) {
	c.did(fault, append(slices.Clone(c.whose), drifts(d, every))...)
}

type fakeProcess struct {
	ProcessHandle
	*fake
	name string
}

func (p fakeProcess) Pause(fault string) {
	p.did(fault, "pause", p.name)
	p.emit(sim.Event{Kind: sim.Pause, Process: p.name, Fault: fault})
}

func (p fakeProcess) Resume(fault string)  { p.did(fault, "resume", p.name) }
func (p fakeProcess) Suspend(fault string) { p.did(fault, "suspend", p.name) }
func (p fakeProcess) Wake(fault string)    { p.did(fault, "wake", p.name) }
func (p fakeProcess) Crash(fault string)   { p.did(fault, "crash", p.name) }

func (p fakeProcess) Clock(kind sim.ClockKind) Clock { return fakeClock{p.fake, []any{p.name, kind}} }

func (p fakeProcess) SetNotice(late func(int) time.Duration, fault string) {
	if late == nil {
		p.did(fault, "notice", p.name, "nothing")
		return
	}
	p.did(fault, "notice", p.name, late(1))
}

// drifts tells some steps of a drift.
func drifts(d sim.Drift, every time.Duration) string {
	if d == nil {
		return "drifts no more"
	}
	return fmt.Sprint("drifts ", every, " ", d(0), d(2), d(8), d(18))
}

func (n fakeNode) Move(to string, fault string) { n.did(fault, "move", n.name, to) }
func (n fakeNode) MoveBack(fault string)        { n.did(fault, "move back", n.name) }
func (p fakeProcess) SetTimerDelay(delay func(time.Duration) time.Duration, fault string) {
	if delay == nil {
		p.did(fault, "timers", p.name, "in time")
		return
	}
	p.did(fault, "timers", p.name, delay(1))
}
