package sim

import (
	"net"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/alicebob/miniredis/v2/server"

	"redlocklab/sim/resp"
)

// conn is a TCP connection between a process and a node. For the process it is a
// net.Conn; the world transfers whole RESP messages. Each end has its own state: the
// process's end is open until closed or err is set, the node's end until gone is set.
// An end that is closed stays closed.
type conn struct {
	world   *World
	process *Process
	node    *Node
	number  int
	reading string // key of a read that waits at the gate
	writing string

	mu       sync.Mutex
	in       []byte
	err      error // of reads, once in is empty
	closed   bool
	waiting  bool
	readable chan struct{}
	deadline time.Time
	due      time.Time   // when alarm checks the deadline next; zero when it is not armed
	alarm    *time.Timer // stays armed from one read to the next: most deadlines never pass

	// Guarded by the world's lock.
	batch int      // the last batch that has a request of this connection
	head  []string // the first of its requests in that batch; all of them sort by it

	out []byte // used only by the goroutine that writes

	// Used only by the controller.
	peer        *server.Peer
	transaction bool     // between MULTI and EXEC
	commands    []string // queued since MULTI
	queued      []string // their keys
	doomed      bool     // one of them was refused
	stranger    string   // why the node does not serve it: Password, Crowded, or ""
	gone        bool     // the node has closed it
	wire        *Wire
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
				if err := c.process.turn(c.node, c.reading); err != nil {
					return 0, err
				}
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

// wakeIn arms the alarm to call overdue after d. Connection lock held.
func (c *conn) wakeIn(d time.Duration) {
	c.due = c.deadline
	if c.alarm == nil {
		c.alarm = time.AfterFunc(d, c.overdue)
	} else {
		c.alarm.Reset(d)
	}
}

// overdue wakes a reader whose deadline has passed. When the deadline was moved,
// overdue arms the alarm again.
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

// Write implements net.Conn. It passes complete requests to the controller.
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
		args, size, err := resp.Cut(rest)
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
	c.world.open[route{c.process.index, c.node.index}]--
	c.process.conns = slices.DeleteFunc(c.process.conns, func(o *conn) bool { return o == c })
	c.world.Emit(Event{Kind: Close, Process: c.process.Name, Node: c.node.Name, Conn: c.number})
}

// ended reports whether the process has closed the connection or knows that it was cut.
func (c *conn) ended() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed || c.err != nil
}

// fail makes the process's reads and writes fail with err.
func (c *conn) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = err
	}
	c.signal()
}

// reset cuts the connection. The process notices at once.
func (c *conn) reset(fault string) {
	c.gone = true
	c.node.server.forgetConn(c)
	c.world.Emit(Event{Kind: Reset, Process: c.process.Name, Node: c.node.Name, Conn: c.number, Fault: fault})
	c.process.arrive(func() { c.fail(&net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}) })
}

// receive delivers a reply to the process. If the reply trickles, receive delivers
// the first byte and schedules the rest. Rules decide about each byte as it arrives,
// and the reply event is recorded with the last.
func (c *conn) receive(m *Message) {
	if first, pause, ok := m.NextByte(); ok {
		c.hand([]byte{first})
		m.action.at = c.world.now + pause
		c.world.mu.Lock()
		c.world.queue.push(&m.action)
		c.world.mu.Unlock()
		return
	}
	if c.ended() {
		c.world.network.Drop(m, "the connection is closed")
		return
	}
	e := m.Event(Reply)
	e.Conn, e.Detail = c.number, m.answer
	c.world.Emit(e)
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

// SetWriteDeadline implements net.Conn. It does nothing: a write never blocks.
func (c *conn) SetWriteDeadline(time.Time) error { return nil }

// LocalAddr implements net.Conn.
func (c *conn) LocalAddr() net.Addr { return address(c.process.Name) }

// RemoteAddr implements net.Conn.
func (c *conn) RemoteAddr() net.Addr { return address(c.node.Address) }

type address string

func (address) Network() string { return "tcp" }

func (a address) String() string { return string(a) }
