package sim

import "time"

// workload is the requests that a node has not executed yet. Like Redis, a node
// executes one request at a time.
type workload struct {
	stops   Causes                               // while there are any, the node executes nothing
	service caused[func(*Message) time.Duration] // times that a request takes; they add up
	backlog []*Message                           // requests that have arrived, in order
	busy    bool                                 // the node works on the first of them
}

// The Detail of an [Impair] event of a node or a process.
const (
	Stopped = "stopped" // it executes nothing; its kernel still accepts connections and requests
	Slow    = "slow"    // each request, or each arrival at a process, takes time
)

// Stop makes the node execute nothing, as a long command, a fork, swapping or
// SIGSTOP does. Its host still accepts connections and requests. Controller
// context only.
func (n *Node) Stop(fault string) {
	if n.stops.Add(fault) {
		n.world.emit(Event{Kind: Impair, Node: n.Name, Detail: Stopped, Fault: fault})
	}
}

// Continue ends a stop. The requests that wait are executed in the order in which
// they arrived. Controller context only.
func (n *Node) Continue(fault string) {
	if n.stops.Remove(fault) {
		n.world.emit(Event{Kind: Recover, Node: n.Name, Detail: Stopped, Fault: fault})
		if n.up {
			n.serve()
		}
	}
}

// forgetStops ends all stops, because the server's process has ended.
func (n *Node) forgetStops() {
	for len(n.stops) > 0 {
		n.Continue(n.stops[0])
	}
}

// SetService makes every request take time on behalf of a fault; later requests
// wait. The times of several faults add up. nil ends the fault's part. Controller
// context only.
func (n *Node) SetService(service func(*Message) time.Duration, fault string) {
	kind := Impair
	n.service.set(fault, service)
	if service == nil {
		kind = Recover
		n.service.drop(fault)
	}
	n.world.emit(Event{Kind: kind, Node: n.Name, Detail: Slow, Fault: fault})
}

// serve begins with the first request that waits, unless the node is busy or stopped.
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
			return // the node has crashed meanwhile
		}
		n.busy = false
		if len(n.stops) > 0 {
			return // Continue begins it again
		}
		n.backlog = n.backlog[1:]
		if !next.conn.gone {
			n.perform(next)
		}
		n.serve()
	})
}
