package live

import (
	"bufio"
	"net"
	"slices"
	"time"

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
	lost        [2]bool
	arrived     [2]time.Duration
}

// message is one RESP message on its way, or the first packet of a connection.
type message struct {
	sim.Message
	connection *connection
	keys       []string
	args       []string
	bytes      []byte
	answer     string
	landed     func()        // for Dial
	pace       time.Duration // of a reply that trickles: between two bytes
}

// trickling is the time from a reply's first byte to its last.
func (m *message) trickling() time.Duration {
	return time.Duration(max(len(m.bytes)-1, 0)) * m.pace
}

func way(d sim.Direction) int {
	if d == sim.ToNode {
		return 0
	}
	return 1
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
	c.number = g.dials
	g.Emit(sim.Event{Kind: sim.Dial, Process: c.client.name, Node: c.server.name, Conn: c.number})
	go c.read()
	c.packet(sim.ToNode, func(m *message) {
		switch {
		case c.server.dark:
			g.drop(m, "the host is off", "")
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
	m := &message{connection: c}
	m.Message = sim.Message{Process: c.client.name, Node: c.server.name, Direction: d, Dial: true, Sent: c.ground.Now()}
	m.landed = func() { landed(m) }
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
	command, keys, text := g.notation.Request(args)
	m := &message{connection: c, keys: keys, args: args, bytes: request}
	m.Message = sim.Message{
		Process: c.client.name, Node: c.server.name, Direction: sim.ToNode, Number: g.messages, Command: command, Sent: g.Now(),
	}
	if len(keys) > 0 {
		m.Key = keys[0]
	}
	g.Emit(sim.Event{
		Kind: sim.Send, Process: m.Process, Node: m.Node, Conn: c.number, Message: m.Number,
		Command: command, Key: m.Key, Detail: text,
	})
	g.launch(m)
}

func (g *ground) judge(m *message, arriving bool) (sim.Verdict, string) {
	for i := range g.rules {
		if arriving && !g.rules[i].Arriving {
			continue
		}
		v := g.rules[i].Judge(&m.Message)
		if v.Action == sim.Trickle && (m.Direction == sim.ToNode || len(m.bytes) < 2) {
			continue
		}
		if v.Action != sim.Pass {
			return v, g.rules[i].Fault
		}
	}
	return sim.Verdict{}, ""
}

// launch decides when and whether a message arrives, as the simulator does.
func (g *ground) launch(m *message) {
	latency, lost := g.notation.Fate(m.Process, m.Node, m.Direction)
	verdict, fault := g.judge(m, false)
	c := m.connection
	switch {
	case !m.Dial && c.lost[way(m.Direction)]: // a reset waits for nothing
		g.drop(m, "an earlier message on this connection was lost", "")
		return
	case verdict.Action == sim.Lose:
		g.lose(m, fault)
		return
	case verdict.Action == sim.Hold:
		latency += verdict.Delay
		g.Emit(sim.Event{
			Kind: sim.Delay, Process: m.Process, Node: m.Node, Message: m.Number, Command: m.Command, Key: m.Key,
			Duration: verdict.Delay, Detail: string(m.Direction), Fault: fault,
		})
	case verdict.Action == sim.Trickle:
		m.pace = max(verdict.Delay, 1)
		g.Emit(sim.Event{
			Kind: sim.Delay, Process: m.Process, Node: m.Node, Message: m.Number, Command: m.Command, Key: m.Key,
			Duration: m.trickling(), Detail: "byte by byte", Fault: fault,
		})
	case lost:
		g.lose(m, "")
		return
	}
	at := max(g.due+latency, c.arrived[way(m.Direction)]+1) // a connection keeps its order
	c.arrived[way(m.Direction)] = at + m.trickling()
	g.At(at, func() { g.arrive(m) })
}

// lose drops a message and, as TCP would, everything after it on its connection.
func (g *ground) lose(m *message, fault string) {
	m.connection.lost[way(m.Direction)] = true
	g.drop(m, "lost", fault)
}

func (g *ground) drop(m *message, why, fault string) {
	command := m.Command
	if m.Dial {
		command = "(connect)"
	}
	g.Emit(sim.Event{
		Kind: sim.Drop, Process: m.Process, Node: m.Node, Message: m.Number, Command: command, Key: m.Key,
		Detail: string(m.Direction) + ": " + why, Fault: fault,
	})
}

// arrive lets a message reach its end.
func (g *ground) arrive(m *message) {
	if verdict, fault := g.judge(m, true); verdict.Action == sim.Lose {
		g.lose(m, fault)
		return
	}
	switch c := m.connection; {
	case m.Dial:
		m.landed()
	case m.Direction == sim.ToNode:
		c.server.receive(m)
	case c.closed:
		g.drop(m, "the connection is closed", "")
	case m.pace > 0 && len(m.bytes) > 1: // the reply has arrived with its last byte
		_, _ = c.front.Write(m.bytes[:1])
		m.bytes = m.bytes[1:]
		g.in(m.pace, func() { g.arrive(m) })
	default:
		g.Emit(sim.Event{
			Kind: sim.Reply, Process: m.Process, Node: m.Node, Conn: c.number, Message: m.Number,
			Command: m.Command, Key: m.Key, Detail: m.answer,
		})
		_, _ = c.front.Write(m.bytes) // a client that is gone shows at the next read
	}
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
