package sim

import "time"

// workload is what a node has yet to do. As Redis does, it executes one request
// at a time.
type workload struct {
	stops   Causes                               // while there are any, it executes nothing
	service caused[func(*Message) time.Duration] // how long a request takes, in all
	backlog []*Message                           // requests that arrived and wait, in order
	busy    bool                                 // it works on the first of them
}

// What an [Impair] event says of a node or a process.
const (
	Stopped = "stopped" // it executes nothing; the kernel still takes connections and requests in
	Slow    = "slow"    // each request, or each arrival, takes time
)

// Stop lets the node execute nothing more, as a long command, a fork, a swap or
// SIGSTOP does: its host still accepts connections and takes requests in.
// Controller context only.
func (n *Node) Stop(fault string) {
	if n.stops.Add(fault) {
		n.world.emit(Event{Kind: Impair, Node: n.Name, Detail: Stopped, Fault: fault})
	}
}

// Continue ends a stop: the requests that wait are executed, in the order in
// which they arrived. Controller context only.
func (n *Node) Continue(fault string) {
	if n.stops.Remove(fault) {
		n.world.emit(Event{Kind: Recover, Node: n.Name, Detail: Stopped, Fault: fault})
		if n.up {
			n.serve()
		}
	}
}

// forgetStops ends every stop: the server's process is another one.
func (n *Node) forgetStops() {
	for len(n.stops) > 0 {
		n.Continue(n.stops[0])
	}
}

// SetService makes every request take time; those behind it wait. nil ends
// what the fault had set. Controller context only.
func (n *Node) SetService(service func(*Message) time.Duration, fault string) {
	kind := Impair
	n.service.set(fault, service)
	if service == nil {
		kind = Recover
		n.service.drop(fault)
	}
	n.world.emit(Event{Kind: kind, Node: n.Name, Detail: Slow, Fault: fault})
}

// serve begins with the first request that waits, if nothing hinders it.
func (n *Node) serve() {
	if n.busy || len(n.stops) > 0 || len(n.backlog) == 0 {
		return
	}
	next, takes, life := n.backlog[0], time.Duration(0), n.life
	for _, s := range n.service {
		takes += s.value(next)
	}
	n.busy = true
	n.world.At(n.world.now+takes, func() {
		if n.life != life || !n.up {
			return // the node crashed over it
		}
		n.busy = false
		if len(n.stops) > 0 {
			return // it begins again when the node goes on
		}
		n.backlog = n.backlog[1:]
		if !next.conn.gone {
			n.perform(next)
		}
		n.serve()
	})
}
