package faults

import "slices"

// Move makes the address of a node lead to another server, as a changed DNS record, a
// moved service address or Sentinel does. The server that was there before still answers
// on the connections that it has.
type Move struct {
	Nodes []string
	To    []string
}

func (m *Move) definition() definition {
	return definition{
		summary: "makes the addresses of nodes lead new connections to another server, while the old ones still answer on those they have",
		breaks:  []string{"A-DISTINCT"}, condition: "when a client connects to the other server while a lease exists",
		example: "{name: n3 moves, move: n3, to: n2, for: 1s, when: A acquired, after: 5ms}",
		parameters: []parameter{
			nodeList("move", &m.Nodes, "the nodes whose addresses move"),
			oneName(nameList("to", UnitNodes, &m.To, "the node whose server new connections reach")),
		},
		ending: mayEnd,
		causes: []string{"moved"},
		check:  m.check,
		begin:  eachNode(m.Nodes, func(n NodeHandle, fault string) { n.Move(m.To[0], fault) }),
		end:    eachNode(m.Nodes, func(n NodeHandle, fault string) { n.MoveBack(fault) }),
	}
}

func (m *Move) check(v *validator, _ Fault) {
	if len(m.To) != 1 || slices.Contains(m.Nodes, m.To[0]) {
		v.problem("to", "found %q; allowed: one node, and none of those that move", m.To)
	}
}
