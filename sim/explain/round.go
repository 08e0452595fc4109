package explain

import (
	"slices"
	"time"

	"redlocklab/sim"
)

// outcome is how a request of a round ended.
type outcome int

const (
	silent      outcome = iota // no answer arrived
	unreachable                // no connection was established
	refused                    // the host of the node refused a connection
	requestLost                // the request never arrived
	replyLost                  // the node executed it, but the answer never arrived
	answered
)

// request is one command to one node within a round, or a failed dial.
type request struct {
	round   *round
	node    string
	message int // number in the run; 0 for a dial that failed
	command string
	outcome outcome
	fault   string // of the fault that stopped or delayed it

	sent, delivered, executed, replied, dropped time.Duration // none when it did not happen
	sentSeq, executeSeq                         int
	settledSeq                                  int // of the event with which the process, or the world, was done with it

	answer string         // the answer of the node
	effect *sim.KeyChange // what it did to its key; nil when it names none
	token  string         // the value that it carries or has written
}

// none stands for an instant that never came.
const none = time.Duration(-1)

// newRequest returns a request of which nothing is known but its beginning.
func newRequest(node string, sent time.Duration, o outcome) *request {
	return &request{node: node, sent: sent, outcome: o, delivered: none, executed: none, replied: none, dropped: none}
}

// round is a set of requests of one process with one purpose, at most one per
// node: one attempt of an acquisition, one extension, one release.
type round struct {
	process   string
	purpose   sim.Purpose
	key       string
	word      string // behind the key in the first request: the token of an attempt
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

// request returns the request to a node, or nil.
func (r *round) request(node string) *request {
	if i := slices.IndexFunc(r.requests, func(q *request) bool { return q.node == node }); i >= 0 {
		return r.requests[i]
	}
	return nil
}

// add adds a request to the round.
func (r *round) add(q *request) *request {
	q.round = r
	r.requests = append(r.requests, q)
	return q
}

// begins returns the Seq of the round's first request, or else of its first event.
func (r *round) begins() int {
	first := 0
	for _, q := range r.requests {
		if q.sentSeq > 0 && (first == 0 || q.sentSeq < first) {
			first = q.sentSeq
		}
	}
	if first == 0 && len(r.events) > 0 {
		first = r.events[0]
	}
	return first
}

// nodes lists the nodes that the round asks.
func (r *round) nodes() []string {
	var names []string
	for _, q := range r.requests {
		names = append(names, q.node)
	}
	return names
}

// token returns the value that the requests of a round carry or have written.
func (r *round) token() string {
	for _, q := range r.requests {
		if q.token != "" {
			return q.token
		}
	}
	return ""
}

// granted reports whether the node did what the request asked for.
func (q *request) granted() bool {
	if q.executed == none {
		return false
	}
	c, r := q.effect, q.round
	own := c != nil && c.After.Exists() && c.After.Owner == r.process
	switch r.purpose {
	case sim.PurposeAcquire:
		return q.answer == "OK" || own && (c.Gained() || c.After.Value == r.token())
	case sim.PurposeExtend:
		return own && (c.Gained() || c.After.Ends > c.Before.Ends)
	case sim.PurposeRelease:
		return c != nil && c.Lost()
	}
	return true
}

// intime reports whether the answer had arrived when the process decided.
func (q *request) intime() bool {
	return q.outcome == answered && (q.round.decided == nil || q.replied <= q.round.decided.At)
}

// operation is one call of a client, up to its return.
type operation struct {
	process, name, resource string
	purpose                 sim.Purpose // of its requests, if the operation is about a lock
	call, returned          *sim.Event
	rounds                  []*round
}
