package faults

import (
	"slices"

	"redlocklab/sim"
	"redlocklab/sim/random"
)

// Direction says which messages of a link are meant.
type Direction string

// Requests travel from client to node, replies from node to client. Asking for
// a connection counts as a request, getting it as a reply.
const (
	Both     Direction = "both"
	Requests Direction = "requests"
	Replies  Direction = "replies"
)

// direction is the word for a Direction.
func direction(field *Direction) parameter {
	return choice("direction", field, "which messages between them", Both, Requests, Replies).or(string(Both))
}

// among reports whether a list of names, or [All], includes a name.
func among(list []string, name string) bool {
	return slices.Contains(list, name) || len(list) == 1 && list[0] == All
}

// concerns reports whether a message travels between some of the clients and
// some of the nodes, in that direction.
func (d Direction) concerns(clients, nodes []string, m *sim.Message) bool {
	return among(clients, m.Process) && among(nodes, m.Node) &&
		(d == Both || (d == Requests) == (m.Direction == sim.ToNode))
}

// loseIf loses a message on a condition.
func loseIf(lost bool) sim.Ruling {
	if lost {
		return sim.Ruling{Action: sim.Lose}
	}
	return sim.Ruling{Action: sim.Pass}
}

// Partition loses every message between two sets, connection requests included.
type Partition struct {
	Clients, Nodes []string
	Direction      Direction
}

func (p *Partition) definition() definition {
	return definition{
		summary: "loses every message between clients and nodes",
		breaks:  []string{"A-HEAL"}, condition: "when it takes a majority away and does not end",
		example: "{name: A is cut off, partition: A, from: n4 n5, until: A acquired, at: 0s}",
		parameters: []parameter{
			clientList("partition", &p.Clients, "the clients on one side", All),
			nodeList("from", &p.Nodes, "the nodes on the other", All),
			direction(&p.Direction),
		},
		ending:    mayEnd,
		onArrival: true,
		decide: func(_ action, m *sim.Message) sim.Ruling {
			return loseIf(p.Direction.concerns(p.Clients, p.Nodes, m))
		},
	}
}

// Lose loses messages by chance.
type Lose struct {
	ProbabilityPPM int64 // parts per million
	Clients, Nodes []string
	Direction      Direction
}

func (l *Lose) definition() definition {
	return definition{
		summary: "loses some messages, by chance",
		breaks:  []string{"A-HEAL"}, condition: "when so much is lost that nobody can acquire, and it does not end",
		example: "{name: replies vanish, lose: 20%, clients: A B, direction: replies, for: 10s, at: 0s}",
		parameters: []parameter{
			percent("lose", &l.ProbabilityPPM, "the chance of each message to be lost"),
			clientList("clients", &l.Clients, "the clients at one end of the link", All).or(All),
			nodeList("nodes", &l.Nodes, "the nodes at the other", All).or(All),
			direction(&l.Direction),
		},
		ending:    mayEnd,
		onArrival: true,
		decide: func(a action, m *sim.Message) sim.Ruling {
			return loseIf(l.Direction.concerns(l.Clients, l.Nodes, m) && random.Chance(a.draw("whether", m), l.ProbabilityPPM))
		},
	}
}

// Delay delays messages by chance, on top of the network's latency.
type Delay struct {
	By             Span
	ProbabilityPPM int64 // parts per million
	Clients, Nodes []string
	Direction      Direction
}

func (d *Delay) definition() definition {
	return definition{
		summary: "delays some messages, by chance", condition: "any latency is allowed",
		example: "{name: slow n3, delay: 50ms..200ms, probability: 30%, nodes: n3, at: 0s}",
		parameters: []parameter{
			span("delay", &d.By, "how much longer a message takes"),
			percent("probability", &d.ProbabilityPPM, "the chance of each message to be delayed").or("100%"),
			clientList("clients", &d.Clients, "the clients at one end of the link", All).or(All),
			nodeList("nodes", &d.Nodes, "the nodes at the other", All).or(All),
			direction(&d.Direction),
		},
		ending: mayEnd,
		decide: func(a action, m *sim.Message) sim.Ruling {
			if d.Direction.concerns(d.Clients, d.Nodes, m) && random.Chance(a.draw("whether", m), d.ProbabilityPPM) {
				return sim.Ruling{Action: sim.Hold, Delay: d.By.draw(a.draw("how long", m))}
			}
			return sim.Ruling{Action: sim.Pass}
		},
	}
}

// Reset cuts the connections between clients and nodes at one instant. Both ends
// learn of it, the clients by an error.
type Reset struct{ Clients, Nodes []string }

func (r *Reset) definition() definition {
	return definition{
		summary: "cuts connections; both ends learn of it", condition: "a lost connection is a lost message",
		example: "{name: a firewall restarts, reset: A, to: n1 n2, when: A sent SET to n1}",
		parameters: []parameter{
			clientList("reset", &r.Clients, "the clients at one end of the connections", All),
			nodeList("to", &r.Nodes, "the nodes at the other", All).or(All),
		},
		begin: func(a action) {
			a.ResetConnections(func(client, node string) bool {
				return among(r.Clients, client) && among(r.Nodes, node)
			}, a.fault)
		},
	}
}

// BlackHole makes nodes accept connections and lose whatever is sent on them, as
// a host behind a broken middlebox does. A [Partition] loses the connection requests, too.
type BlackHole struct{ Nodes []string }

func (h *BlackHole) definition() definition {
	return definition{
		summary: "makes nodes accept connections and lose what is sent on them",
		breaks:  []string{"A-HEAL"}, condition: "when it takes a majority away and does not end",
		example:    "{name: n2 swallows all, black_hole: n2, at: 0s}",
		parameters: []parameter{nodeList("black_hole", &h.Nodes, "the nodes that lose what is sent to them")},
		ending:     mayEnd,
		onArrival:  true,
		decide:     func(_ action, m *sim.Message) sim.Ruling { return loseIf(!m.Dial && among(h.Nodes, m.Node)) },
	}
}

// Drip makes replies arrive byte by byte.
type Drip struct {
	Pace           Span // between two bytes, drawn for each reply
	Clients, Nodes []string
}

func (d *Drip) definition() definition {
	return definition{
		summary: "makes replies arrive byte by byte", condition: "any latency is allowed",
		example: "{name: a slow drip, drip: 2ms..5ms, nodes: n3, at: 0s}",
		parameters: []parameter{
			span("drip", &d.Pace, "the time between two bytes of a reply, drawn for each reply"),
			clientList("clients", &d.Clients, "the clients that receive", All).or(All),
			nodeList("nodes", &d.Nodes, "the nodes that reply", All).or(All),
		},
		ending: mayEnd,
		decide: func(a action, m *sim.Message) sim.Ruling {
			if !m.Dial && Replies.concerns(d.Clients, d.Nodes, m) {
				return sim.Ruling{Action: sim.Trickle, Delay: d.Pace.draw(a.draw("pace", m))}
			}
			return sim.Ruling{Action: sim.Pass}
		},
	}
}
