package live

import (
	"bufio"
	"net"
	"slices"

	"redlocklab/sim"
)

// connection is one TCP connection of a client to a node: its two halves, and
// what has become of the messages between them.
type connection struct {
	ground *ground
	client *client
	server *server
	number int
	front  net.Conn // to the client
	back   net.Conn // to the server
	reader *bufio.Reader

	transaction bool     // between MULTI and EXEC
	queued      []string // keys of the commands since MULTI
	gone        bool     // the server has closed it
	closed      bool     // the client has closed it
	wire        *sim.Wire
}

// message is one RESP message on its way, or the first packet of a connection.
type message struct {
	sim.Message
	connection *connection
	keys       []string       // of a request
	args       []string       // of a request
	bytes      []byte         // of a request
	answer     string         // what the trace calls the reply
	landed     func(*message) // for Dial
}

// message returns a message of the connection that is sent now.
func (c *connection) message(d sim.Direction) *message {
	m := &message{connection: c}
	m.Process, m.Node, m.Direction, m.Sent, m.Wire = c.client.name, c.server.name, d, c.ground.Now(), c.wire
	return m
}

// listen opens the door of one client to one node.
func (g *ground) listen(c *client, s *server) (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	go func() {
		<-g.over
		_ = listener.Close()
	}()
	go func() {
		for {
			front, err := listener.Accept()
			if err != nil {
				return
			}
			connection := &connection{ground: g, client: c, server: s, front: front}
			if !g.do(connection.dial) {
				_ = front.Close()
				return
			}
		}
	}()
	return listener.Addr().String(), nil
}

// welcome is what the ground sends when a connection is there: a client's dial
// lasts until it comes, and has failed when the connection ends before it.
const welcome = '+'

// dial plays the making of a connection.
func (c *connection) dial() {
	g := c.ground
	g.dials++
	c.number, c.wire = g.dials, g.network.Wire(c.client.name, c.server.name)
	g.Emit(sim.Event{Kind: sim.Dial, Process: c.client.name, Node: c.server.name, Conn: c.number})
	go c.read()
	c.packet(sim.ToNode, func(m *message) {
		switch {
		case c.server.dark:
			g.network.Drop(&m.Message, "the host is off")
			return
		case c.server.up && c.server.accept(c) == nil:
			c.packet(sim.ToProcess, func(*message) {
				if c.closed {
					return
				}
				g.Emit(sim.Event{Kind: sim.Connect, Process: c.client.name, Node: c.server.name, Conn: c.number})
				_, _ = c.front.Write([]byte{welcome})
			})
		default:
			c.packet(sim.ToProcess, func(*message) {
				if !c.closed {
					g.Emit(sim.Event{Kind: sim.Refuse, Process: c.client.name, Node: c.server.name, Conn: c.number})
				}
				c.cut()
			})
		}
	})
}

// packet sends a message that carries no request.
func (c *connection) packet(d sim.Direction, landed func(m *message)) {
	m := c.message(d)
	m.Dial, m.landed = true, landed
	c.ground.launch(m)
}

// read takes in what the client sends.
func (c *connection) read() {
	var buffer []byte
	chunk := make([]byte, 16<<10)
	for {
		n, err := c.front.Read(chunk)
		if err != nil {
			c.ground.do(c.end)
			return
		}
		buffer = append(buffer, chunk[:n]...)
		for {
			args, size, err := sim.CutCommand(buffer)
			if err != nil {
				c.ground.do(func() { c.ground.fail("%s sent no RESP: %w", c.client.name, err) })
				return
			}
			if size == 0 {
				break
			}
			request := append([]byte(nil), buffer[:size]...)
			buffer = buffer[size:]
			if !c.ground.do(func() { c.send(args, request) }) {
				return
			}
		}
	}
}

// end is the client's close.
func (c *connection) end() {
	if c.closed {
		return
	}
	if !c.client.crashed {
		c.ground.Emit(sim.Event{Kind: sim.Close, Process: c.client.name, Node: c.server.name, Conn: c.number})
	}
	c.cut()
	c.server.forget(c)
}

// cut closes the client's half, so that the client learns of it at once.
func (c *connection) cut() {
	c.closed = true
	if tcp, ok := c.front.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = c.front.Close()
}

// send takes in one request.
func (c *connection) send(args []string, request []byte) {
	g := c.ground
	if c.client.crashed {
		return
	}
	g.messages++
	m := c.message(sim.ToNode)
	m.Number, m.args, m.bytes = g.messages, args, request
	var text string
	m.Command, m.keys, text = g.notation.Request(args)
	if len(m.keys) > 0 {
		m.Key = m.keys[0]
	}
	e := m.Event(sim.Send)
	e.Conn, e.Detail = c.number, text
	g.Emit(e)
	g.launch(m)
}

// launch puts a message on its way.
func (g *ground) launch(m *message) {
	if at, ok := g.network.Send(&m.Message, g.due); ok {
		g.At(at, func() { g.arrive(m) })
	}
}

// arrive lets a message reach its end.
func (g *ground) arrive(m *message) {
	if !g.network.Arrive(&m.Message) {
		return
	}
	switch c := m.connection; {
	case m.Dial:
		m.landed(m)
	case m.Direction == sim.ToNode:
		c.server.receive(m)
	case c.closed:
		g.network.Drop(&m.Message, "the connection is closed")
	default:
		c.reply(m)
	}
}

// reply hands a reply to the client. One that trickles has arrived with its last byte.
func (c *connection) reply(m *message) {
	g := c.ground
	if first, pause, ok := m.NextByte(); ok {
		_, _ = c.front.Write([]byte{first})
		g.in(pause, func() { g.arrive(m) })
		return
	}
	e := m.Event(sim.Reply)
	e.Conn, e.Detail = c.number, m.answer
	g.Emit(e)
	_, _ = c.front.Write(m.Reply) // a client that is gone shows at the next read
}

// ResetConnections implements faults.Stage.
func (g *ground) ResetConnections(among func(client, node string) bool, fault string) {
	for _, s := range g.servers {
		for _, c := range slices.Clone(s.connections) {
			if among(c.client.name, s.name) {
				c.reset(fault)
			}
		}
	}
}

// reset cuts a connection; the client learns of it at once.
func (c *connection) reset(fault string) {
	c.server.forget(c)
	if c.closed {
		return
	}
	c.ground.Emit(sim.Event{Kind: sim.Reset, Process: c.client.name, Node: c.server.name, Conn: c.number, Fault: fault})
	c.cut()
}
