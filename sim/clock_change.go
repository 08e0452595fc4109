package sim

import (
	"fmt"
	"time"
)

// clockHost is the node or process whose clock it is, and what changes of the clock do there.
type clockHost struct {
	world   *World
	event   Event                  // with the Node or Process, and the name of the clock as Detail
	before  func()                 // called before a change
	stepped func(by time.Duration) // called after a step, before its event
	changed func()                 // called after the event of a change
}

// stepBy steps the clock on behalf of a fault.
func (c *Clock) stepBy(by time.Duration, fault string) {
	c.host.before()
	c.change(c.host.world.now, by, func() {})
	c.host.stepped(by)
	c.emit(Event{Kind: ClockStep, Duration: by, Fault: fault})
}

// setRate sets a fault's rate error.
func (c *Clock) setRate(ppm int64, fault string) {
	if ppm < Frozen {
		panic(fmt.Sprintf("sim: clock rate %d ppm; allowed are %d (frozen) and more", ppm, Frozen))
	}
	c.rerate(fault, func() { c.errors.set(fault, ppm) })
}

// endRate removes a fault's rate error. The configured one cannot be removed.
func (c *Clock) endRate(fault string) {
	c.rerate(fault, func() {
		if fault != "" {
			c.errors.drop(fault)
		}
	})
}

func (c *Clock) rerate(fault string, edit func()) {
	c.host.before()
	c.emit(Event{Kind: ClockRate, PPM: c.change(c.host.world.now, 0, edit), Fault: fault})
}

func (c *Clock) emit(e Event) {
	e.Node, e.Process, e.Detail = c.host.event.Node, c.host.event.Process, c.host.event.Detail
	c.host.world.emit(e)
	c.host.changed()
}

// Drift is a rate error that changes as time passes. It returns the error of a
// step, counted from 0, in parts per million.
type Drift func(step int) (ppm int64)

// follow ends the drift that the fault has begun, if any, and begins another unless d is nil.
func (c *Clock) follow(d Drift, every time.Duration, fault string) {
	for _, running := range c.drifts {
		if running.fault == fault {
			*running.value = true
		}
	}
	ended := new(bool)
	c.drifts.set(fault, ended)
	if d == nil {
		c.endRate(fault)
		return
	}
	w := c.host.world
	var step func(n int)
	step = func(n int) {
		if !*ended {
			c.setRate(d(n), fault)
			w.At(w.now+every, func() { step(n + 1) })
		}
	}
	step(0)
}

// Now returns the reading of one of the process's clocks, once the gate is open.
func (p *Process) Now(kind ClockKind) time.Duration {
	_ = p.pass("clock") // a reading after the end of the run is harmless
	return p.clocks[kind].Read(p.world.Now())
}

// Clock returns one of the process's clocks, which can be read even while the gate
// is closed. It is for observers, not for the process's own code.
func (p *Process) Clock(kind ClockKind) *Clock { return p.clocks[kind] }

// StepClock steps one of the process's clocks on behalf of a fault. Controller
// context only.
func (p *Process) StepClock(kind ClockKind, by time.Duration, fault string) {
	p.clocks[kind].stepBy(by, fault)
}

// SetClockRate sets the rate error of one of the process's clocks in ppm on behalf
// of a fault. If several faults set one, that of the fault that began last applies.
// The fault "" sets the configured error. Timers run on the monotonic clock.
// Controller context only.
func (p *Process) SetClockRate(kind ClockKind, ppm int64, fault string) {
	p.clocks[kind].setRate(ppm, fault)
}

// EndClockRate removes the rate error that a fault has set; the one before it
// applies again. Controller context only.
func (p *Process) EndClockRate(kind ClockKind, fault string) { p.clocks[kind].endRate(fault) }

// SetClockDrift makes the rate error of one of the process's clocks follow a drift
// on behalf of a fault. nil ends the drift. Controller context only.
func (p *Process) SetClockDrift(kind ClockKind, d Drift, every time.Duration, fault string) {
	p.clocks[kind].follow(d, every, fault)
}
