package sim

import (
	"cmp"
	"slices"
	"time"

	"redlocklab/sim/resp"
)

// class orders the requests that one process makes of the world between two rests.
type class int

const (
	classRecord class = iota
	classRemote
	classDial
	classSend
	classClose
	classTurn
)

// pending is something that a process did and that the controller has not
// processed yet.
type pending struct {
	class   class
	process *Process
	node    int
	order   string // orders the records of one process by their content
	at      time.Duration
	event   *Event
	conn    *conn
	args    []string
	dial    *dialing
	remote  *remote
	done    chan struct{}
}

// comparePending orders a batch by its content, never by which goroutine ran
// first. Entries that it cannot tell apart keep their order of arrival: that order
// matters only among the requests of one connection.
//
// The requests of one connection must never be reordered by their bytes. When they
// were, INFO and EVALSHA in one pipeline got each other's answers.
func comparePending(a, b pending) int {
	switch {
	case a.at != b.at:
		return cmp.Compare(a.at, b.at)
	case a.process != b.process:
		return a.process.index - b.process.index
	case a.class != b.class:
		return int(a.class - b.class)
	case a.node != b.node:
		return a.node - b.node
	case a.order != b.order:
		return cmp.Compare(a.order, b.order)
	case a.class == classSend:
		return cmp.Or(compareRequests(a.conn.head, b.conn.head), a.conn.number-b.conn.number)
	case a.class == classRemote:
		return cmp.Or(cmp.Compare(a.remote.there, b.remote.there), cmp.Compare(a.remote.back, b.remote.back))
	case a.conn != nil:
		return a.conn.number - b.conn.number
	}
	return 0
}

// compareRequests orders requests that a process sent to one node between two
// rests by their words before the first opaque value. Opaque values do not count:
// they may be random. The source or digest of a script counts.
func compareRequests(a, b []string) int {
	return slices.Compare(a[:plain(a)], b[:plain(b)])
}

// plain returns how many words of a request come before the first opaque value.
func plain(args []string) int {
	known := 1
	if resp.IsEval(args[0]) {
		known = 2
	}
	for i := known; i < len(args); i++ {
		if len(args[i]) >= opaqueLength {
			return i
		}
	}
	return len(args)
}

func (w *World) enqueue(p pending) {
	w.mu.Lock()
	if w.closing {
		w.mu.Unlock()
		if p.done != nil {
			close(p.done)
		}
		return
	}
	if p.class == classSend {
		// All requests of a connection sort by the first of them, so they keep their order.
		if p.conn.batch != w.batch {
			p.conn.batch, p.conn.head = w.batch, p.args
		}
	}
	w.pending = append(w.pending, p)
	w.mu.Unlock()
	w.nudge()
}

// takeIn handles the requests of the processes since the last rest, in an order that
// does not depend on which goroutine ran first. It reports whether it let a
// process continue. No process continues before all of that is processed: a fault
// that a later event triggers must not race with the code after an earlier one.
func (w *World) takeIn() bool {
	w.mu.Lock()
	w.ingest, w.pending = w.pending, w.ingest[:0]
	w.batch++
	w.mu.Unlock()
	batch := w.ingest
	if len(batch) == 0 {
		return false
	}
	if len(batch) > 1 {
		slices.SortStableFunc(batch, comparePending)
	}
	var released []chan struct{}
	for i := range batch {
		p := &batch[i]
		// Processes may do several things at one instant: these get one time, and an order.
		w.now = max(w.now, p.at)
		if p.process.Crashed() { // an observer crashed it at this instant: its later requests never happened
			if p.done != nil {
				released = append(released, p.done)
			}
			continue
		}
		switch p.class {
		case classRecord:
			p.event.Value = w.recorder.Name(p.event.Value)
			w.Emit(*p.event)
			released = append(released, p.done)
		case classRemote:
			p.remote.begin(p.process, p.done)
		case classDial:
			p.dial.begin()
		case classSend:
			w.send(p.conn, p.args)
		case classClose:
			p.conn.closedByProcess()
		case classTurn:
			done := p.done
			w.At(w.now, func() { close(done) })
		}
	}
	clear(batch)
	for _, done := range released {
		close(done)
	}
	return len(released) > 0
}
