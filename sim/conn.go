package sim

import (
	"context"
	"fmt"
	"net"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/alicebob/miniredis/v2/server"
)

// conn is a TCP connection between a process and a node, as the process sees
// it: a net.Conn. What it carries is cut into RESP messages.
type conn struct {
	world   *World
	process *Process
	node    *Node
	number  int
	reading string // what a read is called at the gate
	writing string

	mu       sync.Mutex
	in       []byte
	err      error // ends reading once in is empty
	closed   bool
	waiting  bool
	readable chan struct{}
	deadline time.Time
	due      time.Time   // when alarm looks at the deadline next; zero: not at all
	alarm    *time.Timer // left armed from one read to the next: most deadlines are never met

	// The world's lock guards these.
	batch int      // the last batch that this connection had a request in
	head  []string // the first of its requests in that batch, which orders all of them

	out []byte // only the goroutine that writes touches it

	// Only the controller touches these.
	peer        *server.Peer
	transaction bool     // between MULTI and EXEC
	commands    []string // since MULTI
	queued      []string // their keys
	doomed      bool     // one of them was refused
	gone        bool     // the node has closed it
	wire        *Wire
}

// dialing is a connection that is being made.
type dialing struct {
	process *Process
	node    *Node
	done    chan struct{}
	conn    *conn
	err     error
	givenUp atomic.Bool // nobody will take the connection
}

// Dial connects the process to the node at the address. It is what a Redis
// client gets as its dialer.
func (p *Process) Dial(ctx context.Context, _, address string) (net.Conn, error) {
	if err := p.pass("dial " + address); err != nil {
		return nil, err
	}
	n := p.world.nodeAt(address)
	if n == nil {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: fmt.Errorf("no node at %s; the world has %s", address, p.world.addresses())}
	}
	d := &dialing{process: p, node: n, done: make(chan struct{})}
	p.world.enqueue(pending{class: classDial, process: p, node: n.index, at: p.world.Now(), dial: d})
	select {
	case <-d.done:
	case <-ctx.Done():
	case <-p.ctx.Done():
		return nil, ErrCrashed
	}
	if err := p.pass("dialled " + address); err != nil {
		return nil, err
	}
	select {
	case <-d.done:
		if d.err != nil {
			return nil, d.err
		}
		return d.conn, nil
	default:
		d.givenUp.Store(true)
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: ctx.Err()}
	}
}

// begin sends the first packet. The answer makes or refuses the connection.
func (d *dialing) begin() {
	w, p, n := d.process.world, d.process, d.node
	w.dials++
	c := &conn{world: w, process: p, node: n, number: w.dials, wire: w.network.Wire(p.Name, n.Name), readable: make(chan struct{}, 1), reading: fmt.Sprintf("read %s %06d", n.Name, w.dials), writing: fmt.Sprintf("write %s %06d", n.Name, w.dials)}
	w.emit(Event{Kind: Dial, Process: p.Name, Node: n.Name, Conn: c.number})
	answer := func(landed func()) {
		c.packet(ToProcess, func(*Message) { p.arrive(landed) })
	}
	c.packet(ToNode, func(m *Message) {
		server := n.server
		switch {
		case server.dark:
			w.network.Drop(m, "the host is off")
		case !server.up:
			answer(func() {
				if d.givenUp.Load() {
					return
				}
				w.emit(Event{Kind: Refuse, Process: p.Name, Node: n.Name, Conn: c.number})
				d.err = &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
				close(d.done)
			})
		default:
			server.accept(c)
			answer(func() {
				if d.givenUp.Load() {
					c.gone = true
					server.forgetConn(c)
					return
				}
				w.emit(Event{Kind: Connect, Process: p.Name, Node: n.Name, Conn: c.number})
				p.conns = append(p.conns, c)
				d.conn = c
				close(d.done)
			})
		}
	})
}

// Read implements net.Conn.
func (c *conn) Read(b []byte) (int, error) {
	for {
		if err := c.process.pass(c.reading); err != nil {
			return 0, err
		}
		c.mu.Lock()
		switch {
		case len(c.in) > 0:
			n := copy(b, c.in)
			c.in = c.in[:copy(c.in, c.in[n:])]
			c.mu.Unlock()
			return n, nil
		case c.closed:
			c.mu.Unlock()
			return 0, net.ErrClosed
		case c.err != nil:
			err := c.err
			c.mu.Unlock()
			return 0, err
		}
		if !c.deadline.IsZero() {
			left := time.Until(c.deadline)
			if left <= 0 {
				c.mu.Unlock()
				return 0, &net.OpError{Op: "read", Net: "tcp", Err: os.ErrDeadlineExceeded}
			}
			if c.due.IsZero() || c.due.After(c.deadline) {
				c.wakeIn(left)
			}
		}
		c.waiting = true
		c.mu.Unlock()
		<-c.readable
	}
}

// wakeIn lets overdue look at the deadline after d. Connection lock held.
func (c *conn) wakeIn(d time.Duration) {
	c.due = c.deadline
	if c.alarm == nil {
		c.alarm = time.AfterFunc(d, c.overdue)
	} else {
		c.alarm.Reset(d)
	}
}

// overdue wakes a reader whose deadline has come, or looks again when it comes.
func (c *conn) overdue() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.due = time.Time{}
	if !c.waiting || c.deadline.IsZero() {
		return
	}
	if left := time.Until(c.deadline); left > 0 {
		c.wakeIn(left)
		return
	}
	c.signal()
}

// signal wakes a reader. Connection lock held.
func (c *conn) signal() {
	if !c.waiting {
		return
	}
	c.waiting = false
	select {
	case c.readable <- struct{}{}:
	default:
	}
}

// Write implements net.Conn: it hands complete requests to the controller.
func (c *conn) Write(b []byte) (int, error) {
	if err := c.process.pass(c.writing); err != nil {
		return 0, err
	}
	c.mu.Lock()
	closed, err := c.closed, c.err
	c.mu.Unlock()
	switch {
	case closed:
		return 0, net.ErrClosed
	case err != nil:
		return 0, &net.OpError{Op: "write", Net: "tcp", Err: syscall.EPIPE}
	}
	rest := b
	if len(c.out) > 0 {
		c.out = append(c.out, b...)
		rest = c.out
	}
	for {
		args, size, err := cutCommand(rest)
		if err != nil {
			return 0, err
		}
		if size == 0 {
			c.out = append(c.out[:0], rest...)
			return len(b), nil
		}
		rest = rest[size:]
		c.process.world.enqueue(pending{
			class: classSend, process: c.process, node: c.node.index, at: c.world.Now(), conn: c, args: args,
		})
	}
}

// compareRequests orders requests that a process sent to one node between two
// rests: by their text up to the first opaque value. A script counts as text.
func compareRequests(a, b []string) int {
	return slices.Compare(a[:plain(a)], b[:plain(b)])
}

// plain is how many arguments come before the first opaque one.
func plain(args []string) int {
	known := 1
	if isEval(args[0]) {
		known = 2
	}
	for i := known; i < len(args); i++ {
		if len(args[i]) >= opaqueLength {
			return i
		}
	}
	return len(args)
}

// Close implements net.Conn.
func (c *conn) Close() error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return net.ErrClosed
	}
	c.closed = true
	c.signal()
	c.mu.Unlock()
	c.world.enqueue(pending{class: classClose, process: c.process, node: c.node.index, at: c.world.Now(), conn: c})
	return nil
}

func (c *conn) closedByProcess() {
	c.process.conns = slices.DeleteFunc(c.process.conns, func(o *conn) bool { return o == c })
	c.world.emit(Event{Kind: Close, Process: c.process.Name, Node: c.node.Name, Conn: c.number})
}

// cutAtNode ends a connection whose process crashed.
func (c *conn) cutAtNode() { c.fail(ErrCrashed) }

// fail ends the connection for the process.
func (c *conn) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = err
	}
	c.signal()
}

// reset cuts the connection; the process learns of it at once.
func (c *conn) reset(fault string) {
	c.gone = true
	c.node.server.forgetConn(c)
	c.world.emit(Event{Kind: Reset, Process: c.process.Name, Node: c.node.Name, Conn: c.number, Fault: fault})
	c.process.arrive(func() { c.fail(&net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}) })
}

// receive lets a reply arrive at the process. One that trickles has arrived with
// its last byte; each byte is judged as a message of its own.
func (c *conn) receive(m *Message) {
	if first, pause, ok := m.NextByte(); ok {
		c.hand([]byte{first})
		m.action.at = c.world.now + pause
		c.world.mu.Lock()
		c.world.schedule(&m.action)
		c.world.mu.Unlock()
		return
	}
	c.mu.Lock()
	dead := c.closed || c.err != nil
	c.mu.Unlock()
	if dead {
		c.world.network.Drop(m, "the connection is closed")
		return
	}
	if !c.world.options.Bare {
		e := m.Event(Reply)
		e.Conn, e.Detail = c.number, m.answer
		c.world.emit(e)
	} else {
		c.world.recorder.count++
	}
	c.hand(m.Reply)
}

// hand lets the process read these bytes.
func (c *conn) hand(b []byte) {
	c.process.arrive(func() {
		c.mu.Lock()
		c.in = append(c.in, b...)
		c.signal()
		c.mu.Unlock()
	})
}

// SetReadDeadline implements net.Conn.
func (c *conn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline = t
	c.signal()
	return nil
}

// SetDeadline implements net.Conn.
func (c *conn) SetDeadline(t time.Time) error { return c.SetReadDeadline(t) }

// SetWriteDeadline implements net.Conn. A write never blocks: the kernel takes it.
func (c *conn) SetWriteDeadline(time.Time) error { return nil }

// LocalAddr implements net.Conn.
func (c *conn) LocalAddr() net.Addr { return address(c.process.Name) }

// RemoteAddr implements net.Conn.
func (c *conn) RemoteAddr() net.Addr { return address(c.node.Address) }

type address string

func (address) Network() string  { return "tcp" }
func (a address) String() string { return string(a) }

var _ net.Conn = (*conn)(nil)
