package sim

import "time"

// Drift is a rate error that changes as time passes: what it is in the step
// with that number, from 0, in parts per million.
type Drift func(step int) (ppm int64)

// SetClockDrift lets the rate error of the node's clock follow a drift, on
// behalf of a fault; nil ends it. Controller context only.
func (n *Node) SetClockDrift(d Drift, every time.Duration, fault string) {
	n.drifts.set(fault, n.world.follow(n.drifts, fault, d, every,
		func(ppm int64) { n.SetClockRate(ppm, fault) }, func() { n.EndClockRate(fault) }))
}

// SetClockDrift lets the rate error of one of the process' clocks follow a
// drift, on behalf of a fault; nil ends it. Controller context only.
func (p *Process) SetClockDrift(kind ClockKind, d Drift, every time.Duration, fault string) {
	p.drifts.set(fault, p.world.follow(p.drifts, fault, d, every,
		func(ppm int64) { p.SetClockRate(kind, ppm, fault) }, func() { p.EndClockRate(kind, fault) }))
}

// follow begins a drift, or ends the one that the fault had begun. It returns
// the switch that ends it.
func (w *World) follow(running caused[*bool], fault string, d Drift, every time.Duration, set func(ppm int64), end func()) (ended *bool) {
	for _, s := range running {
		if s.fault == fault {
			*s.value = true
		}
	}
	ended = new(bool)
	if d == nil {
		*ended = true
		end()
		return ended
	}
	var step func(n int)
	step = func(n int) {
		if *ended {
			return
		}
		set(d(n))
		w.At(w.now+every, func() { step(n + 1) })
	}
	step(0)
	return ended
}
