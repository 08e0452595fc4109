package faults

// Direction says which messages of a link are meant.
type Direction string

// Requests travel from client to node, replies from node to client. Asking for
// a connection counts as a request, getting it as a reply.
const (
	Both     Direction = "both"
	Requests Direction = "requests"
	Replies  Direction = "replies"
)

// Partition makes every message between two sets vanish without a sign,
// connection requests included.
type Partition struct {
	Clients, Nodes []string
	Direction      Direction
}

// Kind implements [Effect].
func (*Partition) Kind() string { return "partition" }

func (p *Partition) parameters() []parameter {
	return []parameter{
		clientList("partition", &p.Clients, true, "the clients on one side"),
		nodeList("from", &p.Nodes, true, "the nodes on the other"),
		direction(&p.Direction),
	}
}

// Lose makes messages vanish by chance.
type Lose struct {
	ProbabilityPPM int64 // parts per million
	Clients, Nodes []string
	Direction      Direction
}

// Kind implements [Effect].
func (*Lose) Kind() string { return "lose" }

func (l *Lose) parameters() []parameter {
	return []parameter{
		percent("lose", &l.ProbabilityPPM, "the chance of each message to vanish"),
		clientList("clients", &l.Clients, true, "the clients at one end of the link").or(All),
		nodeList("nodes", &l.Nodes, true, "the nodes at the other").or(All),
		direction(&l.Direction),
	}
}

// Delay holds messages up by chance, on top of the network's latency.
type Delay struct {
	By             Span
	ProbabilityPPM int64 // parts per million
	Clients, Nodes []string
	Direction      Direction
}

// Kind implements [Effect].
func (*Delay) Kind() string { return "delay" }

func (d *Delay) parameters() []parameter {
	return []parameter{
		span("delay", &d.By, "how much longer a message takes"),
		percent("probability", &d.ProbabilityPPM, "the chance of each message to be held up").or("100%"),
		clientList("clients", &d.Clients, true, "the clients at one end of the link").or(All),
		nodeList("nodes", &d.Nodes, true, "the nodes at the other").or(All),
		direction(&d.Direction),
	}
}

// Reset cuts the connections between clients and nodes at one instant; both
// ends learn of it, the clients by an error.
type Reset struct {
	Clients, Nodes []string
}

// Kind implements [Effect].
func (*Reset) Kind() string { return "reset" }

func (r *Reset) parameters() []parameter {
	return []parameter{
		clientList("reset", &r.Clients, true, "the clients at one end of the connections"),
		nodeList("to", &r.Nodes, true, "the nodes at the other").or(All),
	}
}

// BlackHole lets nodes accept connections and then swallow whatever is sent on
// them, as a host behind a broken middlebox does. A [Partition] refuses the connections too.
type BlackHole struct {
	Nodes []string
}

// Kind implements [Effect].
func (*BlackHole) Kind() string { return "black_hole" }

func (h *BlackHole) parameters() []parameter {
	return []parameter{nodeList("black_hole", &h.Nodes, false, "the nodes that swallow what is sent to them")}
}

// Drip lets replies arrive byte by byte.
type Drip struct {
	Pace           Span
	Clients, Nodes []string
}

// Kind implements [Effect].
func (*Drip) Kind() string { return "drip" }

func (d *Drip) parameters() []parameter {
	return []parameter{
		span("drip", &d.Pace, "the time between two bytes of a reply, drawn for each reply"),
		clientList("clients", &d.Clients, true, "the clients that receive").or(All),
		nodeList("nodes", &d.Nodes, true, "the nodes that reply").or(All),
	}
}

func direction(field *Direction) parameter {
	return choice("direction", field, "which messages of the link", Both, Requests, Replies).or(string(Both))
}
