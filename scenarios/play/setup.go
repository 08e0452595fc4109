package play

import (
	"fmt"
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
	"redlocklab/sim/words"
)

// setups follows how far the connections of each client get. A lock has to dial a node,
// to prepare the connection and to send its command before the node timeout ends. Where
// the latencies never allow that, the client cannot reach the node, although no fault
// cuts it off.
type setups struct {
	plan     *plan.Plan
	dialled  map[linkName]bool // somebody dialled there
	answered map[linkName]bool // an answer to a command with a key came back
	prepared map[int]bool      // by connection: an answer to HELLO came back
	greets   map[string]bool   // by client: each of its connections that it used began with HELLO
}

type linkName struct{ client, node string }

// read takes the next event.
func (s *setups) read(e *sim.Event) {
	link := linkName{e.Process, e.Node}
	switch {
	case e.Kind == sim.Dial:
		s.dialled[link] = true
	case e.Kind == sim.Reply && e.Command == "HELLO":
		s.prepared[e.Conn] = true
	case e.Kind == sim.Send && e.Key != "":
		greets, used := s.greets[e.Process]
		s.greets[e.Process] = s.prepared[e.Conn] && (greets || !used)
	case e.Kind == sim.Reply && e.Key != "":
		s.answered[link] = true
	}
}

// facts lists, client by client, the nodes that it dialled, that never answered it, and for
// which even the smallest latencies are too large: the set-up of a connection and one command
// last longer than the node timeout, by the slowest clock that is allowed.
func (s *setups) facts() []checker.Fact {
	var facts []checker.Fact
	for _, c := range s.plan.Clients {
		var nodes []string
		least := time.Duration(0)
		for _, n := range s.plan.World.Nodes {
			link := linkName{c.Name, n.Name}
			needed := s.needed(link)
			slowly := needed - time.Duration(float64(needed)*float64(s.plan.Lock.RateErrorPPM)/1e6)
			if !s.dialled[link] || s.answered[link] || slowly <= s.plan.Lock.NodeTimeout {
				continue
			}
			if nodes = append(nodes, n.Name); least == 0 || needed < least {
				least = needed
			}
		}
		if len(nodes) > 0 {
			facts = append(facts, checker.Fact{
				Fact: checker.FactSlowLink, Client: c.Name, Nodes: nodes, Name: fmt.Sprintf(
					"%s needs at least %v to connect to %s and send one command, and the node timeout is %v",
					c.Name, least, words.Listed(nodes), s.plan.Lock.NodeTimeout),
			})
		}
	}
	return facts
}

// needed returns how long a client that has no connection to a node waits for the answer to
// its first command at the least: one round trip to dial, one for HELLO if its driver always
// waits for that, and one for the command.
func (s *setups) needed(link linkName) time.Duration {
	network := &s.plan.World.Network
	trip := network.Link(link.client, link.node, sim.ToNode).Latency.Min +
		network.Link(link.client, link.node, sim.ToProcess).Latency.Min
	if s.greets[link.client] {
		return 3 * trip
	}
	return 2 * trip
}
