package explain

import (
	"cmp"
	"time"

	"redlocklab/sim"
)

// outcome is how a request of a round ended.
type outcome int

const (
	silent      outcome = iota // no answer arrived
	unreachable                // the request for a connection, or the answer to it, was lost
	unconnected                // no connection was ready when the round ended
	refused                    // the host of the node refused a connection
	requestLost                // the request never arrived
	replyLost                  // the node executed it, but the answer never arrived
	answered
)

// request is one command to one node within a round. A dial that failed is one, too, with
// no Message: Sent is the dial, and Dropped the event that ended it.
type request struct {
	*sim.Request
	round *round
}

func (q *request) outcome() outcome {
	switch {
	case q.Message == 0 && (q.Dropped == nil || q.round.over(q.Dropped)):
		return unconnected
	case q.Message == 0 && q.Dropped.Kind == sim.Refuse:
		return refused
	case q.Message == 0:
		return unreachable
	case q.Replied != nil:
		return answered
	case q.Dropped == nil:
		return silent
	case q.Dropped.Fault == "" && q.round.over(q.Dropped): // its process had closed the connection
		if q.Executed != nil {
			return answered
		}
		return silent
	case q.Executed != nil:
		return replyLost
	}
	return requestLost
}

// fault returns the name of the fault that stopped or delayed the request; "" for none.
func (q *request) fault() string {
	name := ""
	for _, e := range []*sim.Event{q.Delayed, q.Dropped} {
		if e != nil && e.Fault != "" {
			name = e.Fault
		}
	}
	return name
}

// settled returns the Seq of the event with which the process, or the world, was done with
// the request; 0 when there is none.
func (q *request) settled() int { return cmp.Or(seqOf(q.Replied), seqOf(q.Dropped)) }

// answer returns the answer of the node; "" when it did not execute the request.
func (q *request) answer() string {
	if q.Executed == nil {
		return ""
	}
	return q.Executed.Detail
}

// The instants of a request are none when they did not come.
func (q *request) sent() time.Duration      { return atOf(q.Sent) }
func (q *request) delivered() time.Duration { return atOf(q.Delivered) }
func (q *request) executed() time.Duration  { return atOf(q.Executed) }
func (q *request) replied() time.Duration   { return atOf(q.Replied) }
func (q *request) dropped() time.Duration   { return atOf(q.Dropped) }

// none stands for an instant that never came.
const none = time.Duration(-1)

func atOf(e *sim.Event) time.Duration {
	if e == nil {
		return none
	}
	return e.At
}

func seqOf(e *sim.Event) int {
	if e == nil {
		return 0
	}
	return e.Seq
}

// round is a set of requests of one process with one purpose, at most one per
// node: one attempt of an acquisition, one extension, one release.
type round struct {
	process   string
	purpose   sim.Purpose
	key       string
	word      string // the token of an attempt: the one of its first request
	operation *operation
	requests  []*request
	from      time.Duration
	events    []int
	decided   *sim.Event // the event of the client that ended it; nil for an attempt that another one followed
	next      *round     // the next round of this process with the same purpose
	cleanup   *round     // the release after a failed attempt
	cleans    *round     // the failed attempt that this release cleans up after
	repeated  bool       // the story tells it together with an earlier attempt
}

// ended returns the Seq of the event with which the round ended for its process: its
// decision, or the first request of what followed. It is 0 when nothing did.
func (r *round) ended() int {
	switch {
	case r.purpose == sim.PurposeAcquire:
		return earliest(seqOf(r.decided), r.cleanup.begins(), r.next.begins())
	case r.purpose == sim.PurposeExtend && r.operation != nil: // it may wait for several rounds
		return earliest(seqOf(r.decided), seqOf(r.operation.Return))
	}
	return seqOf(r.decided)
}

// earliest returns the smallest of some Seqs that are not 0; 0 without one.
func earliest(seqs ...int) int {
	first := 0
	for _, seq := range seqs {
		if seq > 0 && (first == 0 || seq < first) {
			first = seq
		}
	}
	return first
}

// over reports whether the round had ended when an event happened.
func (r *round) over(e *sim.Event) bool {
	end := r.ended()
	return end > 0 && e.Seq > end
}

// request returns the request to a node, or nil.
func (r *round) request(node string) *request {
	for _, q := range r.requests {
		if q.Node == node {
			return q
		}
	}
	return nil
}

func (r *round) add(q *request) *request {
	q.round = r
	r.requests = append(r.requests, q)
	return q
}

// begins returns the Seq of the round's first request, or else of its first event; 0 for
// no round.
func (r *round) begins() int {
	if r == nil {
		return 0
	}
	first := 0
	for _, q := range r.requests {
		if q.Message != 0 {
			first = earliest(first, q.Sent.Seq)
		}
	}
	if first == 0 && len(r.events) > 0 {
		first = r.events[0]
	}
	return first
}

// nodesOf lists the nodes that requests ask.
func nodesOf(requests []*request) []string {
	var names []string
	for _, q := range requests {
		names = append(names, q.Node)
	}
	return names
}

// token returns the value that the requests of a round have written; "" for none.
func (r *round) token() string {
	for _, q := range r.requests {
		if q.Effect != nil && q.Effect.Gained() {
			return q.Effect.After.Value
		}
	}
	return ""
}

// granted reports whether the node did what the request asked for.
func (q *request) granted() bool {
	if q.Executed == nil {
		return false
	}
	c, r := q.Effect, q.round
	own := c != nil && c.After.Exists() && c.After.Owner == r.process
	switch r.purpose {
	case sim.PurposeAcquire:
		return q.answer() == "OK" || own && (c.Gained() || c.After.Value == r.token())
	case sim.PurposeExtend:
		return own && (c.Gained() || c.After.Ends > c.Before.Ends) || q.answer() == "1" || q.answer() == "OK"
	case sim.PurposeRelease:
		return c != nil && c.Lost()
	}
	return true
}

// intime reports whether the answer had arrived when the process decided.
func (q *request) intime() bool {
	return q.Replied != nil && !q.round.over(q.Replied)
}

// operation is one call of a client, up to its return.
type operation struct {
	*sim.Operation
	rounds []*round
}
