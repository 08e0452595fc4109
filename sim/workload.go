package sim

import (
	"time"
)

// Workload is the requests that a server has not executed yet. Like Redis, a server
// executes one request at a time. R is a request: of a simulated node, or of a real server
// that stands for one.
type Workload[R any] struct {
	Node    string
	Emit    func(Event)
	After   func(d time.Duration, f func()) // calls f when d has passed
	Message func(R) *Message
	Execute func(R)
	Halt    func(stopped bool) // makes a real server stop or continue

	stops   Causes                                      // while there are any, the server executes nothing
	service contributions[func(*Message) time.Duration] // times that a request takes; they add up
	backlog []R                                         // requests that have arrived, in order
	busy    bool                                        // the server works on the first of them
	forgot  int                                         // number of calls of Forget
}

// The Detail of an [Impair] event of a node or a process.
const (
	Stopped = "stopped" // it executes nothing; its kernel still accepts connections and requests
	Slow    = "slow"    // each request, or each arrival at a process, takes time
)

// Halted reports whether the server is stopped.
func (w *Workload[R]) Halted() bool { return len(w.stops) > 0 }

// Stop makes the server execute nothing, as a long command, a fork, swapping or
// SIGSTOP does. Its host still accepts connections and requests. Controller
// context only.
func (w *Workload[R]) Stop(fault string) {
	if w.stops.Add(fault) {
		w.Halt(true)
		w.Emit(Event{Kind: Impair, Node: w.Node, Detail: Stopped, Fault: fault})
	}
}

// Continue ends a stop. The requests that wait are executed in the order in which
// they arrived. Controller context only.
func (w *Workload[R]) Continue(fault string) {
	if w.stops.Remove(fault) {
		w.Halt(false)
		w.Emit(Event{Kind: Recover, Node: w.Node, Detail: Stopped, Fault: fault})
		w.serve()
	}
}

// EndStops ends all stops, because the server's process has ended.
func (w *Workload[R]) EndStops() {
	for len(w.stops) > 0 {
		w.Continue(w.stops[0])
	}
}

// Forget drops all requests, because the server's process has ended.
func (w *Workload[R]) Forget() {
	w.backlog, w.busy = nil, false
	w.forgot++
}

// SetService makes every request take time on behalf of a fault; later requests
// wait. The times of several faults add up. nil ends the fault's part. Controller
// context only.
func (w *Workload[R]) SetService(service func(*Message) time.Duration, fault string) {
	kind := w.service.put(fault, service, service == nil)
	w.Emit(Event{Kind: kind, Node: w.Node, Detail: Slow, Fault: fault})
}

// Accept takes a request that has arrived, and executes it now or in its turn.
func (w *Workload[R]) Accept(request R) {
	if len(w.stops)+len(w.service)+len(w.backlog) == 0 {
		w.Execute(request)
		return
	}
	w.backlog = append(w.backlog, request)
	w.serve()
}

// serve begins with the first request that waits, unless the server is busy or stopped.
func (w *Workload[R]) serve() {
	if w.busy || len(w.stops) > 0 || len(w.backlog) == 0 {
		return
	}
	next, takes, forgot := w.backlog[0], time.Duration(0), w.forgot
	for _, s := range w.service {
		takes += s.value(w.Message(next))
	}
	w.busy = true
	w.After(takes, func() {
		if w.forgot != forgot {
			return // the server has crashed meanwhile
		}
		w.busy = false
		if len(w.stops) > 0 {
			return // Continue begins it again
		}
		w.backlog = w.backlog[1:]
		w.Execute(next)
		w.serve()
	})
}
