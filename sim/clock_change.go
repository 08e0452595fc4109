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

// Step steps the clock on behalf of a fault. Redis keeps absolute deadlines: after a step
// forward of a node's clock keys expire earlier, after a step back later. Controller context only.
func (c *Clock) Step(by time.Duration, fault string) {
	c.host.before()
	c.change(c.host.world.now, by, func() {})
	c.host.stepped(by)
	c.emit(Event{Kind: ClockStep, Duration: by, Fault: fault})
}

// SetRate sets the rate error of the clock in ppm on behalf of a fault. If several faults
// set one, that of the fault that began last applies. The fault "" sets the configured
// error. Timers run on the monotonic clock. Controller context only.
func (c *Clock) SetRate(ppm int64, fault string) {
	if ppm < Frozen {
		panic(fmt.Sprintf("sim: clock rate %d ppm; allowed are %d (frozen) and more", ppm, Frozen))
	}
	c.rerate(fault, func() { c.errors.set(fault, ppm) })
}

// EndRate removes the rate error that a fault has set; the one before it applies again. The
// configured one cannot be removed. Controller context only.
func (c *Clock) EndRate(fault string) {
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
	c.host.world.Emit(e)
	c.host.changed()
}

// Drift is a rate error that changes as time passes. It returns the error of a
// step, counted from 0, in parts per million.
type Drift func(step int) (ppm int64)

// SetDrift makes the rate error of the clock follow a drift on behalf of a fault, in place of
// the fault's last one. nil ends the drift. Controller context only.
func (c *Clock) SetDrift(d Drift, every time.Duration, fault string) {
	for _, running := range c.drifts {
		if running.fault == fault {
			*running.value = true
		}
	}
	ended := new(bool)
	c.drifts.set(fault, ended)
	if d == nil {
		c.EndRate(fault)
		return
	}
	w := c.host.world
	var step func(n int)
	step = func(n int) {
		if !*ended {
			c.SetRate(d(n), fault)
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
// is closed. It is for observers and faults, not for the process's own code.
func (p *Process) Clock(kind ClockKind) *Clock { return p.clocks[kind] }
