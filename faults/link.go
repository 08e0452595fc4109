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

func direction(field *Direction) parameter {
	return choice("direction", field, "which messages of the link", Both, Requests, Replies).or(string(Both))
}
