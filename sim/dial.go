package sim

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"syscall"
)

// dialing is a connection that is being established.
type dialing struct {
	process *Process
	node    *Node
	done    chan struct{}
	conn    *conn
	err     error
	givenUp atomic.Bool // the caller has gone: nobody will use the connection
}

// Dial connects the process to the node at an address. A Redis client uses it as
// its dialer. The error is a *net.OpError, or [ErrCrashed] when the run is over.
func (p *Process) Dial(ctx context.Context, _, address string) (net.Conn, error) {
	if err := p.pass("dial " + address); err != nil {
		return nil, err
	}
	var n *Node
	var known []string
	for _, node := range p.world.nodes {
		known = append(known, node.Address)
		if node.Address == address {
			n = node
		}
	}
	if n == nil {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: fmt.Errorf("no node at %s; the world has %s", address, strings.Join(known, ", "))}
	}
	d := &dialing{process: p, node: n, done: make(chan struct{})}
	p.world.enqueue(pending{class: classDial, process: p, node: n.index, at: p.world.Now(), dial: d})
	select {
	case <-d.done:
	case <-ctx.Done():
		if err := p.turn(n, "dialled "+address); err != nil {
			return nil, err
		}
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

// begin sends the first packet. The answer to it establishes or refuses the connection.
func (d *dialing) begin() {
	w, p, n := d.process.world, d.process, d.node.destination()
	w.dials++
	w.opened(p, n)
	key := fmt.Sprintf("%s %06d", n.Name, w.dials)
	c := &conn{
		world: w, process: p, node: n, number: w.dials, wire: w.network.Wire(p.Name, n.Name),
		readable: make(chan struct{}, 1), reading: "read " + key, writing: "write " + key,
	}
	asked := Event{Kind: Dial, Process: p.Name, Node: n.Name, Conn: c.number}
	if n != d.node {
		asked.Detail = d.node.Name
	}
	w.Emit(asked)
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
				w.Emit(Event{Kind: Refuse, Process: p.Name, Node: n.Name, Conn: c.number})
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
				w.Emit(Event{Kind: Connect, Process: p.Name, Node: n.Name, Conn: c.number})
				p.conns = append(p.conns, c)
				d.conn = c
				close(d.done)
			})
		}
	})
}
