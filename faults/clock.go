package faults

import (
	"time"

	"redlocklab/sim"
)

// Clock names one of the three clocks of a client, with the simulator's words.
type Clock string

// The clocks of a client.
const (
	Wall      Clock = "wall"      // the time of day
	Monotonic Clock = "monotonic" // stops while the host is suspended
	Boottime  Clock = "boottime"  // counts suspension
)

// NodeClockStep steps the clocks of nodes: their keys expire earlier (forwards)
// or later (backwards).
type NodeClockStep struct {
	Nodes []string
	By    time.Duration
}

// Kind implements [Effect].
func (*NodeClockStep) Kind() string { return "node_clock_step" }

func (s *NodeClockStep) parameters() []parameter {
	return []parameter{
		nodeList("node_clock_step", &s.Nodes, false, "the nodes whose clocks are stepped"),
		step("by", &s.By, "size of the step"),
	}
}

// NodeClockRate makes the clocks of nodes run fast or slow, until it ends and
// they run true again.
type NodeClockRate struct {
	Nodes []string
	PPM   int64
}

// Kind implements [Effect].
func (*NodeClockRate) Kind() string { return "node_clock_rate" }

func (r *NodeClockRate) parameters() []parameter {
	return []parameter{
		nodeList("node_clock_rate", &r.Nodes, false, "the nodes whose clocks err"),
		rate("ppm", &r.PPM, "the rate error from now on"),
	}
}

// ClientClockStep steps one of the clocks of clients.
type ClientClockStep struct {
	Clients []string
	Clock   Clock
	By      time.Duration
}

// Kind implements [Effect].
func (*ClientClockStep) Kind() string { return "client_clock_step" }

func (s *ClientClockStep) parameters() []parameter {
	return []parameter{
		clientList("client_clock_step", &s.Clients, false, "the clients whose clock is stepped"),
		clockKind(&s.Clock),
		step("by", &s.By, "size of the step"),
	}
}

// ClientClockRate makes one of the clocks of clients run fast or slow, until it
// ends and they run true again.
type ClientClockRate struct {
	Clients []string
	Clock   Clock
	PPM     int64
}

// Kind implements [Effect].
func (*ClientClockRate) Kind() string { return "client_clock_rate" }

func (r *ClientClockRate) parameters() []parameter {
	return []parameter{
		clientList("client_clock_rate", &r.Clients, false, "the clients whose clock errs"),
		clockKind(&r.Clock),
		rate("ppm", &r.PPM, "the rate error from now on"),
	}
}

// Shape says how a drifting clock's rate error changes.
type Shape string

// The shapes of a drift.
const (
	Periodic Shape = "periodic"  // a wave between +ppm and -ppm
	NonIdeal Shape = "non-ideal" // drawn anew, sixteen times a period, between +ppm and -ppm
)

// driftSteps is how many steps one period of a drift has.
const driftSteps = 16

// wave is the cosine at the steps of a period, in thousandths.
var wave = [driftSteps]int64{1000, 924, 707, 383, 0, -383, -707, -924, -1000, -924, -707, -383, 0, 383, 707, 924}

// drift is what both kinds of drift have.
type drift struct {
	Shape  Shape
	PPM    int64
	Period time.Duration
}

func (d *drift) words() []parameter {
	return []parameter{
		choice("shape", &d.Shape, "periodic: the error swings like a wave; non-ideal: it is drawn anew sixteen times a period", Periodic, NonIdeal).or(string(Periodic)),
		swing("ppm", &d.PPM, "the largest rate error, both ways"),
		period("period", &d.Period, "of one swing"),
	}
}

// error returns the drift's rate error, by step.
func (d *drift) error(w Stage, stream string) sim.Drift {
	return func(step int) int64 {
		if d.Shape == Periodic {
			return d.PPM * wave[step%driftSteps] / 1000
		}
		width := max(d.PPM, -d.PPM)
		return int64(w.Random(stream, uint64(step))%uint64(2*width+1)) - width
	}
}

// NodeClockDrift makes the rate error of nodes' clocks change all the time.
type NodeClockDrift struct {
	Nodes []string
	drift
}

// Kind implements [Effect].
func (*NodeClockDrift) Kind() string { return "node_clock_drift" }

func (d *NodeClockDrift) parameters() []parameter {
	return append([]parameter{nodeList("node_clock_drift", &d.Nodes, false, "the nodes whose clocks drift")}, d.words()...)
}

// ClientClockDrift makes the rate error of one of the clocks of clients change
// all the time.
type ClientClockDrift struct {
	Clients []string
	Clock   Clock
	drift
}

// Kind implements [Effect].
func (*ClientClockDrift) Kind() string { return "client_clock_drift" }

func (d *ClientClockDrift) parameters() []parameter {
	return append([]parameter{clientList("client_clock_drift", &d.Clients, false, "the clients whose clock drifts"), clockKind(&d.Clock)}, d.words()...)
}

// clockKind must always be given: which clock errs decides what breaks.
func clockKind(field *Clock) parameter {
	return choice("clock", field, "which of the client's clocks", Wall, Monotonic, Boottime)
}
