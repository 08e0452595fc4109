package sim

// Move makes the node's address lead new connections to another node's server. The
// connections that exist stay with the node's own. Of several faults the latest applies.
// Controller context only.
func (n *Node) Move(to string, fault string) {
	n.moves.Set(fault, to)
	n.moved(fault)
}

// MoveBack ends a fault's part in a move. Controller context only.
func (n *Node) MoveBack(fault string) {
	n.moves.Drop(fault)
	n.moved(fault)
}

func (n *Node) moved(fault string) {
	n.world.emit(Event{Kind: Moved, Node: n.Name, Detail: n.leadsTo(), Fault: fault})
}

// leadsTo is the name of the node that new connections reach; empty: this one.
func (n *Node) leadsTo() string {
	if len(n.moves) == 0 {
		return ""
	}
	return n.moves[len(n.moves)-1].Value
}

// destination is the node whose server a connection to this address reaches.
func (n *Node) destination() *Node {
	if to := n.leadsTo(); to != "" {
		return n.world.Node(to)
	}
	return n
}
