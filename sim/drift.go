package sim

import (
	"time"

	"redlocklab/sim/shared"
)

// Drift is a rate error that changes as time passes. It returns the error of a
// step, counted from 0, in parts per million.
type Drift func(step int) (ppm int64)

// SetClockDrift makes the rate error of the node's clock follow a drift on behalf
// of a fault. nil ends the drift. Controller context only.
func (n *Node) SetClockDrift(d Drift, every time.Duration, fault string) {
	n.drifts.Set(fault, n.world.follow(n.drifts, fault, d, every,
		func(ppm int64) { n.SetClockRate(ppm, fault) }, func() { n.EndClockRate(fault) }))
}

// SetClockDrift makes the rate error of one of the process's clocks follow a drift
// on behalf of a fault. nil ends the drift. Controller context only.
func (p *Process) SetClockDrift(kind ClockKind, d Drift, every time.Duration, fault string) {
	p.drifts.Set(fault, p.world.follow(p.drifts, fault, d, every,
		func(ppm int64) { p.SetClockRate(kind, ppm, fault) }, func() { p.EndClockRate(kind, fault) }))
}

// follow ends the drift that the fault had begun, if any, and begins another
// unless d is nil. Setting *ended ends the new one.
func (w *World) follow(running shared.Value[*bool], fault string, d Drift, every time.Duration, set func(ppm int64), end func()) (ended *bool) {
	for _, s := range running {
		if s.Fault == fault {
			*s.Value = true
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
