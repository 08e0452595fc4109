package sim

// AddRule puts a rule behind those that are there. Controller context only.
func (w *World) AddRule(r Rule) { w.network.AddRule(r) }

// RemoveRule takes the fault's rules of that name away; those that another
// fault added under the same name stay. Controller context only.
func (w *World) RemoveRule(name, fault string) { w.network.RemoveRule(name, fault) }

// ResetConnections cuts all connections between a process and a node, one right
// after the other, so that those who had them do not race for new ones; both ends
// learn of it. Controller context only.
func (w *World) ResetConnections(p *Process, n *Node, fault string) {
	for _, c := range p.conns {
		if c.node == n && !c.gone {
			w.At(w.now, func() {
				if !c.gone {
					c.reset(fault)
				}
			})
		}
	}
}

// message returns a message of the connection that is sent now.
func (c *conn) message(d Direction) *Message {
	return &Message{Process: c.process.Name, Node: c.node.Name, Direction: d, Sent: c.world.now, Wire: c.wire, conn: c}
}

// packet sends a message that carries no request: landed runs when it arrives.
func (c *conn) packet(d Direction, landed func(*Message)) {
	m := c.message(d)
	m.Dial, m.landed = true, landed
	m.launch()
}

// send takes in one request of a process.
func (w *World) send(c *conn, args []string) {
	w.messages++
	m, script := c.message(ToNode), w.scripts.of(args)
	m.Number, m.args = w.messages, args
	m.Command, m.Key = commandName(args, script), firstKey(args)
	if !w.options.Bare {
		e := m.Event(Send)
		e.Conn, e.Detail = c.number, w.recorder.render(args, script)
		w.emit(e)
	}
	m.launch()
}

// launch puts a message on its way.
func (m *Message) launch() {
	w := m.conn.world
	at, ok := w.network.Send(m, w.now)
	if !ok {
		return
	}
	m.action = action{at: at, rank: rankOf(rankMessage, m.conn.node.index, m.Number), msg: m}
	w.mu.Lock()
	w.schedule(&m.action)
	w.mu.Unlock()
}

// arrive lets a message reach its end.
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
