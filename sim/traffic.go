package sim

import "redlocklab/sim/resp"

// AddRule appends a rule to the network. Controller context only.
func (w *World) AddRule(r Rule) { w.network.AddRule(r) }

// RemoveRule removes the fault's rules of that name. Rules of the same name that
// another fault added stay. Controller context only.
func (w *World) RemoveRule(name, fault string) { w.network.RemoveRule(name, fault) }

// ResetConnections cuts the connections between the given processes and nodes; both
// ends notice. Each is cut at an instant of its own, so that the goroutines that used
// them do not race for new ones. Controller context only.
func (w *World) ResetConnections(among func(process, node string) bool, fault string) {
	for _, p := range w.processes {
		for _, n := range w.nodes {
			for _, c := range p.conns {
				if c.node == n && !c.gone && among(p.Name, n.Name) {
					w.At(w.now, func() {
						if !c.gone {
							c.reset(fault)
						}
					})
				}
			}
		}
	}
}

// message returns a message that is sent on the connection now.
func (c *conn) message(d Direction) *Message {
	return &Message{Process: c.process.Name, Node: c.node.Name, Direction: d, Sent: c.world.now, Wire: c.wire, conn: c}
}

// packet sends a message without a request. landed is called when it arrives.
func (c *conn) packet(d Direction, landed func(*Message)) {
	m := c.message(d)
	m.Dial, m.landed = true, landed
	m.launch()
}

// send records and sends a request of a process.
func (w *World) send(c *conn, args []string) {
	w.messages++
	m, script := c.message(ToNode), w.recorder.scripts.of(args)
	m.Number, m.args = w.messages, args
	m.Command, m.Key = commandName(args, script), resp.FirstKey(args)
	e := m.Event(Send)
	e.Conn, e.Detail = c.number, w.recorder.render(args, script)
	w.Emit(e)
	m.launch()
}

// launch sends a message and schedules its arrival.
func (m *Message) launch() {
	w := m.conn.world
	at, ok := w.network.Send(m, w.now)
	if !ok {
		return
	}
	rank := rankOf(rankMessage, m.conn.node.index, m.Number)
	if m.Dial { // it has no number; its connection has
		rank = rankOf(rankPacket, m.conn.node.index, m.conn.number)
	}
	m.action = action{at: at, rank: rank, msg: m}
	w.mu.Lock()
	w.queue.push(&m.action)
	w.mu.Unlock()
}

// arrive delivers a message that is due.
func (m *Message) arrive() {
	if !m.conn.world.network.Arrive(m) {
		return
	}
	switch {
	case m.Dial:
		m.landed(m)
	case m.Direction == ToNode:
		m.conn.node.server.receive(m)
	default:
		m.conn.receive(m)
	}
}
