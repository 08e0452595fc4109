package sim

import "time"

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
	p.clocks[kind].step(p.world.now, by)
	p.world.emit(Event{Kind: ClockStep, Process: p.Name, Duration: by, Detail: string(kind), Fault: fault})
	if kind == Monotonic {
		p.rearm()
	}
}

// SetClockRate sets the rate error of one of the process's clocks in ppm on behalf
// of a fault. If several faults set one, that of the fault that began last applies.
// The fault "" sets the configured error. Timers run on the monotonic clock.
// Controller context only.
func (p *Process) SetClockRate(kind ClockKind, ppm int64, fault string) {
	p.rateHolds(kind, p.clocks[kind].setRate(p.world.now, ppm, fault), fault)
}

// EndClockRate removes the rate error that a fault has set; the one before it
// applies again. Controller context only.
func (p *Process) EndClockRate(kind ClockKind, fault string) {
	p.rateHolds(kind, p.clocks[kind].endRate(p.world.now, fault), fault)
}

func (p *Process) rateHolds(kind ClockKind, now int64, fault string) {
	p.world.emit(Event{Kind: ClockRate, Process: p.Name, PPM: now, Detail: string(kind), Fault: fault})
	if kind == Monotonic {
		p.rearm()
	}
}
