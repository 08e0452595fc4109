package live

import (
	"bufio"
	"net"

	"redlocklab/sim"
	"redlocklab/sim/resp"
)

// connection is one TCP connection of a client to a node, through the proxy.
type connection struct {
	cluster  *cluster
	client   *client
	server   *server
	number   int
	wire     *sim.Wire
	toClient net.Conn
	toServer net.Conn
	replies  *bufio.Reader // from the server

	clientClosed bool
	serverClosed bool
	transaction  bool     // between MULTI and EXEC
	queued       []string // the keys of the commands since MULTI
}

// message is a message on its way, with what the rules of the network do not see.
type message struct {
	sim.Message
	connection *connection
	request    []byte         // in RESP
	args       []string       // of the request
	keys       []string       // of the request
	answer     string         // what the trace calls the reply
	landed     func(*message) // for Dial
}

// event returns an event about a message.
func (m *message) event(kind sim.Kind) sim.Event {
	e := m.Event(kind)
	e.Conn = m.connection.number
	return e
}

// emit writes an event about the connection itself.
func (c *connection) emit(kind sim.Kind, fault string) {
	c.cluster.Emit(sim.Event{Kind: kind, Process: c.client.name, Node: c.server.name, Conn: c.number, Fault: fault})
}

// listenFor opens the address at which the proxy takes this client's connections
// to a server.
func (c *client) listenFor(s *server) (address string, err error) {
	cl := c.cluster
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	go func() {
		<-cl.over
		_ = listener.Close()
	}()
	go func() {
		for {
			accepted, err := listener.Accept()
			if err != nil {
				return
			}
			connection := &connection{cluster: cl, client: c, server: s, toClient: accepted}
			dial := func() {
				connection.server = s.destination()
				connection.dial()
			}
			if !cl.inLoop(dial) {
				_ = accepted.Close()
				return
			}
		}
	}()
	return listener.Addr().String(), nil
}

// welcome is the byte that the proxy sends when the plan's network has made the
// connection. A client's dial lasts until it comes, and has failed when the
// connection ends before it.
const welcome = '+'

// dial plays the making of a connection.
func (c *connection) dial() {
	cl := c.cluster
	cl.dials++
	c.number, c.wire = cl.dials, cl.Wire(c.client.name, c.server.name)
	c.emit(sim.Dial, "")
	go c.read()
	c.packet(sim.ToNode, func(m *message) {
		switch {
		case c.server.dark:
			cl.Drop(&m.Message, "the host is off")
		case c.server.up && c.server.accept(c) == nil:
			c.packet(sim.ToProcess, func(*message) {
				if !c.clientClosed {
					c.emit(sim.Connect, "")
					_, _ = c.toClient.Write([]byte{welcome})
				}
			})
		default:
			c.packet(sim.ToProcess, func(*message) {
				if !c.clientClosed {
					c.emit(sim.Refuse, "")
				}
				c.closeToClient()
			})
		}
	})
}

// read takes in what the client sends.
func (c *connection) read() {
	var buffer []byte
	chunk := make([]byte, 16<<10)
	for {
		n, err := c.toClient.Read(chunk)
		if err != nil {
			c.cluster.inLoop(c.closedByClient)
			return
		}
		buffer = append(buffer, chunk[:n]...)
		for {
			args, size, err := resp.Cut(buffer)
			if err != nil {
				c.cluster.inLoop(func() { c.cluster.fail("%s sent no RESP: %w", c.client.name, err) })
				return
			}
			if size == 0 {
				break
			}
			request := append([]byte(nil), buffer[:size]...)
			buffer = buffer[size:]
			if !c.cluster.inLoop(func() { c.send(args, request) }) {
				return
			}
		}
	}
}

// send takes in one request.
func (c *connection) send(args []string, request []byte) {
	cl := c.cluster
	if c.client.crashed {
		return
	}
	cl.requests++
	m := c.message(sim.ToNode)
	m.Number, m.args, m.request = cl.requests, args, request
	var text string
	m.Command, m.keys, text = cl.notation.Request(args)
	if len(m.keys) > 0 {
		m.Key = m.keys[0]
	}
	e := m.event(sim.Send)
	e.Detail = text
	cl.Emit(e)
	m.launch()
}

// message returns a message of the connection that is sent now.
func (c *connection) message(d sim.Direction) *message {
	m := &message{connection: c}
	m.Process, m.Node, m.Direction, m.Sent, m.Wire = c.client.name, c.server.name, d, c.cluster.Now(), c.wire
	return m
}

// packet sends a message that carries no request: landed is called when it arrives.
func (c *connection) packet(d sim.Direction, landed func(*message)) {
	m := c.message(d)
	m.Dial, m.landed = true, landed
	m.launch()
}

// launch puts a message on its way.
func (m *message) launch() {
	cl := m.connection.cluster
	if at, ok := cl.Send(&m.Message, cl.due); ok {
		cl.At(at, m.arrive)
	}
}

// arrive lets a message reach its end.
func (m *message) arrive() {
	c := m.connection
	if !c.cluster.Arrive(&m.Message) {
		return
	}
	switch {
	case m.Dial:
		m.landed(m)
	case m.Direction == sim.ToNode:
		c.server.receive(m)
	case c.clientClosed:
		c.cluster.Drop(&m.Message, "the connection is closed")
	default:
		c.reply(m)
	}
}

// reply hands a reply to the client. One that trickles has arrived with its last byte.
func (c *connection) reply(m *message) {
	if first, pause, ok := m.NextByte(); ok {
		_, _ = c.toClient.Write([]byte{first})
		c.cluster.after(pause, m.arrive)
		return
	}
	e := m.event(sim.Reply)
	e.Detail = m.answer
	c.cluster.Emit(e)
	_, _ = c.toClient.Write(m.Reply) // a client that is gone shows at the next read
}

// reset cuts a connection; the client learns of it at once.
func (c *connection) reset(fault string) {
	c.server.forget(c)
	if !c.clientClosed {
		c.emit(sim.Reset, fault)
		c.closeToClient()
	}
}

// closedByClient ends a connection that the client has closed.
func (c *connection) closedByClient() {
	if c.clientClosed {
		return
	}
	if !c.client.crashed {
		c.emit(sim.Close, "")
	}
	c.closeToClient()
	c.server.forget(c)
}

// closeToClient ends the client's half with a RST, so that the client learns of it
// at once.
func (c *connection) closeToClient() {
	c.clientClosed = true
	if tcp, ok := c.toClient.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = c.toClient.Close()
}

// destination is the server that a new connection to this one's address reaches.
func (s *server) destination() *server {
	if to := s.cluster.server(s.LeadsTo()); to != nil {
		return to
	}
	return s
}
