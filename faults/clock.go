package faults

import (
	"time"

	"redlocklab/sim"
)

// clientClock is the word for one of a client's clocks. It has no default: which
// clock errs decides what breaks.
func clientClock(field *sim.ClockKind) parameter {
	return choice("clock", field, "which of the client's clocks", sim.Wall, sim.Monotonic, sim.Boottime)
}

// NodeClockStep steps the clocks of nodes: their keys expire earlier (forwards)
// or later (backwards).
type NodeClockStep struct {
	Nodes []string
	By    time.Duration
}

func (s *NodeClockStep) definition() definition {
	return definition{
		summary: "steps the clocks of nodes",
		breaks:  []string{"A-STEP"}, condition: "while a lease exists",
		example: "{name: n3 leaps, node_clock_step: n3, by: 15s, when: A acquired}",
		parameters: []parameter{
			nodeList("node_clock_step", &s.Nodes, "the nodes whose clocks are stepped"),
			step("by", &s.By, "size of the step"),
		},
		causes: []string{"stepped"},
		begin:  eachNode(s.Nodes, func(n NodeHandle, fault string) { n.Clock().Step(s.By, fault) }),
	}
}

// NodeClockRate makes the clocks of nodes run fast or slow. Where the fault ends,
// they run true again.
type NodeClockRate struct {
	Nodes []string
	PPM   int64
}

func (r *NodeClockRate) definition() definition {
	return definition{
		summary: "makes the clocks of nodes run fast or slow",
		breaks:  []string{"A-RATE"}, condition: "when the rate error is larger than the scenario's rate_error_ppm",
		example: "{name: n3 runs fast, node_clock_rate: n3, ppm: 20000, at: 0s}",
		parameters: []parameter{
			nodeList("node_clock_rate", &r.Nodes, "the nodes whose clocks err"),
			rateError("ppm", &r.PPM, "the rate error from now on"),
		},
		ending: mayEnd,
		causes: []string{"drifted"},
		begin:  eachNode(r.Nodes, func(n NodeHandle, fault string) { n.Clock().SetRate(r.PPM, fault) }),
		end:    eachNode(r.Nodes, func(n NodeHandle, fault string) { n.Clock().EndRate(fault) }),
	}
}

// ClientClockStep steps one of the clocks of clients.
type ClientClockStep struct {
	Clients []string
	Clock   sim.ClockKind
	By      time.Duration
}

func (s *ClientClockStep) definition() definition {
	return definition{
		summary: "steps one clock of clients",
		breaks:  []string{"A-STEP"}, condition: "while a lease exists, when it is the clock that the subject uses",
		example: "{name: A's watch is set back, client_clock_step: A, clock: wall, by: -5s, when: A acquired}",
		parameters: []parameter{
			clientList("client_clock_step", &s.Clients, "the clients whose clock is stepped"),
			clientClock(&s.Clock),
			step("by", &s.By, "size of the step"),
		},
		causes: []string{"stepped"},
		begin:  eachClient(s.Clients, func(c ProcessHandle, fault string) { c.Clock(s.Clock).Step(s.By, fault) }),
	}
}

// ClientClockRate makes one of the clocks of clients run fast or slow. Where the
// fault ends, it runs true again.
type ClientClockRate struct {
	Clients []string
	Clock   sim.ClockKind
	PPM     int64
}

func (r *ClientClockRate) definition() definition {
	return definition{
		summary: "makes one clock of clients run fast or slow",
		breaks:  []string{"A-RATE"}, condition: "when the rate error is larger than rate_error_ppm and it is the clock that the subject uses",
		example: "{name: A runs slow, client_clock_rate: A, clock: boottime, ppm: -20000, at: 0s}",
		parameters: []parameter{
			clientList("client_clock_rate", &r.Clients, "the clients whose clock errs"),
			clientClock(&r.Clock),
			rateError("ppm", &r.PPM, "the rate error from now on"),
		},
		ending: mayEnd,
		causes: []string{"drifted"},
		begin:  eachClient(r.Clients, func(c ProcessHandle, fault string) { c.Clock(r.Clock).SetRate(r.PPM, fault) }),
		end:    eachClient(r.Clients, func(c ProcessHandle, fault string) { c.Clock(r.Clock).EndRate(fault) }),
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
	PPM    int64 // the largest rate error
	Period time.Duration
}

func (d *drift) parameters() []parameter {
	return []parameter{
		choice("shape", &d.Shape, "periodic: the error follows a wave; non-ideal: it is drawn anew sixteen times a period", Periodic, NonIdeal).or(string(Periodic)),
		swing("ppm", &d.PPM, "the largest rate error, both ways"),
		duration("period", &d.Period, time.Millisecond, "the length of one period"),
	}
}

// of is the drift of one clock, by step: what is drawn is drawn for its owner.
func (d *drift) of(owner string, a action) sim.Drift {
	return func(step int) int64 {
		if d.Shape == Periodic {
			return d.PPM * wave[step%driftSteps] / 1000
		}
		width := max(d.PPM, -d.PPM)
		return int64(a.Random("fault/"+a.fault+"/drift/"+owner, uint64(step))%uint64(2*width+1)) - width
	}
}

// NodeClockDrift makes the rate error of nodes' clocks change all the time.
type NodeClockDrift struct {
	Nodes []string
	drift
}

func (d *NodeClockDrift) definition() definition {
	return definition{
		summary: "makes the clocks of nodes run at a rate that changes all the time",
		breaks:  []string{"A-RATE"}, condition: "when ppm is larger than the scenario's rate_error_ppm",
		example:    "{name: n3 swings, node_clock_drift: n3, ppm: 4000, period: 8s, at: 0s}",
		parameters: append([]parameter{nodeList("node_clock_drift", &d.Nodes, "the nodes whose clocks drift")}, d.drift.parameters()...),
		ending:     mayEnd,
		causes:     []string{"drifted"},
		begin: each(d.Nodes, func(a action, n string) {
			a.Node(n).Clock().SetDrift(d.of(n, a), d.Period/driftSteps, a.fault)
		}),
		end: eachNode(d.Nodes, func(n NodeHandle, fault string) { n.Clock().SetDrift(nil, 0, fault) }),
	}
}

// ClientClockDrift makes the rate error of one of the clocks of clients change
// all the time.
type ClientClockDrift struct {
	Clients []string
	Clock   sim.ClockKind
	drift
}

func (d *ClientClockDrift) definition() definition {
	return definition{
		summary: "makes one clock of clients run at a rate that changes all the time",
		breaks:  []string{"A-RATE"}, condition: "when ppm is larger than rate_error_ppm and it is the clock that the subject uses",
		example: "{name: A wanders, client_clock_drift: A, clock: boottime, shape: non-ideal, ppm: 4000, period: 8s, at: 0s}",
		parameters: append([]parameter{
			clientList("client_clock_drift", &d.Clients, "the clients whose clock drifts"), clientClock(&d.Clock),
		}, d.drift.parameters()...),
		ending: mayEnd,
		causes: []string{"drifted"},
		begin: each(d.Clients, func(a action, c string) {
			a.Process(c).Clock(d.Clock).SetDrift(d.of(c, a), d.Period/driftSteps, a.fault)
		}),
		end: eachClient(d.Clients, func(c ProcessHandle, fault string) { c.Clock(d.Clock).SetDrift(nil, 0, fault) }),
	}
}
