package faults

import "time"

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

// clockKind must always be given: which clock errs decides what breaks.
func clockKind(field *Clock) parameter {
	return choice("clock", field, "which of the client's clocks", Wall, Monotonic, Boottime)
}
