package sim

import (
	"cmp"
	"iter"
	"strconv"
	"strings"
	"time"

	"redlocklab/sim/resp"
)

// Operation is one call of a client: an acquisition, an extension, a release, or an
// access to the protected resource.
type Operation struct {
	Process, Resource string
	Name              string  // "acquire", "extend", "release", or the name of an access, such as "write"
	Purpose           Purpose // of its commands; [PurposeUnknown] for an access
	Call              *Event
	Return            *Event // nil while it is open, after a crash of its process, and for each access

	wrote string // the value that its requests gave to a key last
}

// Request is one command that a process sent to a node, and what became of it. Each of
// its events is nil if it did not happen, or not yet.
type Request struct {
	Message       int    // its number in the run
	Process, Node string // Node is the one whose address it was sent to; it may be another one that executes it
	Command, Key  string
	// Purpose is that of the command's name, or of Operation where the name is not enough.
	// A SET in an extension counts as an extension, as some locks extend with it. It may as
	// well be of an acquisition and late; [PurposeOf] goes by the name alone.
	Purpose   Purpose
	Operation *Operation // that was open when the process sent it; nil for none

	Sent      *Event
	Delayed   *Event // the last delay of the command or its answer
	Delivered *Event
	Executed  *Event // Detail is the answer
	Replied   *Event
	Dropped   *Event // the command was lost, or its answer if the node has executed it

	Effect *KeyChange // of its execution on Key; nil without a key
}

// Token returns the token that a command about a lock carries, as the trace names it: what
// SET writes, DELEX or DELIFEQ compares, or a script gets as its first argument behind the keys. It is
// empty when the command carries none, as DEL does. Keys with blanks in their names are not
// understood.
func (q *Request) Token() string {
	words := strings.Fields(q.Sent.Detail)
	place := 0
	switch q.Sent.Command {
	case "SET", "SETNX", "GETSET", "DELIFEQ": // SET key token
		place = 2
	case "DELEX": // DELEX key IFEQ token
		place = 3
	default: // EVALSHA name 1 key token
		if len(words) < 3 || !resp.IsEval(words[0]) {
			return ""
		}
		keys, err := strconv.Atoi(words[2])
		if err != nil || keys < 0 {
			return ""
		}
		place = 3 + keys
	}
	if place >= len(words) {
		return ""
	}
	return words[place]
}

// Lease is one successful acquisition and what followed it.
type Lease struct {
	ID, Process, Resource string
	Acquisition           *Operation // nil when the trace does not show its call
	Token                 string     // that its holder reports; empty: it reports none
	// Value is what its keys hold: the token, if its process wrote it into a key. A lock may
	// write more than its token, such as metadata behind it. Then Value is what the
	// acquisition wrote last.
	Value    string
	Terms    []*Event // the acquisition and the extensions: each promises Duration from At on
	Released *Event   // the call of its release
	Lapsed   *Event   // its holder noticed that it had ended
}

// Acquired returns the event that began the lease.
func (l *Lease) Acquired() *Event { return l.Terms[0] }

// Extensions counts the successful extensions.
func (l *Lease) Extensions() int { return len(l.Terms) - 1 }

// Until returns the end of the lease as its last term promises it. It ignores what the
// holder's clock did since then.
func (l *Lease) Until() time.Duration {
	last := l.Terms[len(l.Terms)-1]
	return last.At + last.Duration
}

// Step is what one event of a trace meant. A field is nil when the event says nothing
// about it.
type Step struct {
	Event     *Event
	Change    *KeyChange // what the event told about a key
	Request   *Request   // whose event it is; also for the further keys of an execution
	Operation *Operation // that the event calls or ends
	Lease     *Lease     // that the event begins or names
}

// Reader follows the operations, requests, leases and keys of a run, event by event, from
// nothing but the trace. It is the only reader that knows what the events [Call], [Send],
// [Execute] and [Reply] and their likes mean together. These things hold:
//
//   - A process has at most one open operation. A call ends the one before it, because an
//     access has no event for its return.
//   - A request belongs to the operation that was open when its process sent it, or to none.
//     It stays there, even if a node executes it much later.
//   - The events of a request follow in the order Sent, Delivered, Executed, Replied. Dropped
//     takes the place of the first of them that did not happen.
//   - The terms of a lease are those of its client: an oracle may know better.
//
// The trace does not say why a process sent a command. Requests of a watchdog belong to
// whatever operation is open beside it, and an [Extended] event outside of an extension is
// the watchdog's. Nor does the trace say which lease a request is about.
//
// The zero value is ready for the first event of a trace. A Reader keeps pointers to the
// events, which must not change. It is not safe for concurrent use.
type Reader struct {
	Keys
	requests map[int]*Request
	open     map[string]*Operation // by process
	leases   map[string]*Lease
	latest   map[string]*Lease // by process
	written  map[grantedValue]bool
}

// grantedValue is a value that a process has written into a key.
type grantedValue struct{ process, value string }

// Steps reads all events of a trace.
func (r *Reader) Steps(events []Event) iter.Seq[Step] {
	return func(yield func(Step) bool) {
		for i := range events {
			if !yield(r.Apply(&events[i])) {
				return
			}
		}
	}
}

// Open returns the operation that a process is in; nil for none.
func (r *Reader) Open(process string) *Operation { return r.open[process] }

// Latest returns the lease that a process acquired last; nil before its first.
func (r *Reader) Latest(process string) *Lease { return r.latest[process] }

// Apply moves on by one event, which must be the next of the trace.
func (r *Reader) Apply(e *Event) Step {
	if r.requests == nil {
		r.requests, r.open = map[int]*Request{}, map[string]*Operation{}
		r.leases, r.latest, r.written = map[string]*Lease{}, map[string]*Lease{}, map[grantedValue]bool{}
	}
	step := Step{Event: e, Lease: r.leases[e.Lease]}
	if change, ok := r.Keys.Apply(e); ok {
		step.Change = &change
	}
	switch e.Kind {
	case Call:
		step.Operation = r.call(e, step.Lease)
	case Acquired:
		step.Operation = r.end(e)
		step.Lease = r.acquired(e, step.Operation)
	case Extended:
		if o := r.open[e.Process]; o != nil && o.Purpose == PurposeExtend {
			step.Operation = r.end(e)
		}
		if step.Lease != nil {
			step.Lease.Terms = append(step.Lease.Terms, e)
		}
	case Released, Failed:
		step.Operation = r.end(e)
	case Lapsed:
		if step.Lease != nil {
			step.Lease.Lapsed = cmp.Or(step.Lease.Lapsed, e)
		}
	case Crash:
		if e.Node == "" {
			delete(r.open, e.Process)
		}
	case Send:
		step.Request = r.send(e)
	case Delay, Deliver, Execute, Reply, Drop:
		if step.Request = r.requests[e.Message]; step.Request != nil {
			r.follow(step.Request, e, step.Change)
		}
	}
	return step
}

// call begins an operation.
func (r *Reader) call(e *Event, l *Lease) *Operation {
	o := &Operation{Process: e.Process, Resource: e.Resource, Call: e}
	o.Name, o.Purpose = operationOf(e.Detail)
	if o.Purpose == PurposeRelease && l != nil {
		l.Released = cmp.Or(l.Released, e)
	}
	r.open[e.Process] = o
	return o
}

// end ends the open operation of a process, if there is one.
func (r *Reader) end(e *Event) *Operation {
	o := r.open[e.Process]
	if o != nil {
		o.Return = e
		delete(r.open, e.Process)
	}
	return o
}

// acquired begins a lease.
func (r *Reader) acquired(e *Event, o *Operation) *Lease {
	l := &Lease{
		ID: e.Lease, Process: e.Process, Resource: e.Resource, Acquisition: o,
		Token: e.Value, Value: e.Value, Terms: []*Event{e},
	}
	if o != nil && o.wrote != "" && !r.written[grantedValue{e.Process, e.Value}] {
		l.Value = o.wrote
	}
	r.leases[e.Lease], r.latest[e.Process] = l, l
	return l
}

// send begins a request.
func (r *Reader) send(e *Event) *Request {
	q := &Request{
		Message: e.Message, Process: e.Process, Node: e.Node, Command: e.Command, Key: e.Key,
		Sent: e, Operation: r.open[e.Process],
	}
	during := PurposeUnknown
	if q.Operation != nil {
		during = q.Operation.Purpose
	}
	q.Purpose = purposeIn(e.Command, e.Key, during)
	r.requests[e.Message] = q
	return q
}

// follow adds an event to a request.
func (r *Reader) follow(q *Request, e *Event, change *KeyChange) {
	switch e.Kind {
	case Delay:
		q.Delayed = e
	case Deliver:
		q.Delivered = e
	case Execute:
		if q.Executed == nil { // the first event is about Key, the others are about further keys
			q.Executed, q.Effect = e, change
		}
		if change == nil || !change.Gained() {
			return
		}
		r.written[grantedValue{e.Process, change.After.Value}] = true
		if q.Operation != nil {
			q.Operation.wrote = change.After.Value
		}
	case Reply:
		q.Replied = e
	case Drop:
		if q.Replied == nil {
			q.Dropped = e
		}
	}
}
