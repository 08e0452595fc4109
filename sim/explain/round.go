package explain

import (
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
	node    string
	message int // number in the run; 0 for a dial that failed
	command string
	outcome outcome
	fault   string // of the fault that stopped or delayed it

	sent, delivered, executed, replied, dropped time.Duration // none when it did not happen
	executeSeq                                  int

	answer string         // the answer of the node
	effect *sim.KeyChange // what it did to its key; nil when it names none
	token  string         // the value that it carries or has written
	more   bool           // the key expires later than before
}

// none stands for an instant that never came.
const none = time.Duration(-1)

// round is a set of requests of one process with one purpose, at most one per
// node: one attempt of an acquisition, one extension, one release.
type round struct {
	process   string
	purpose   sim.Purpose
	key       string
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
	for _, q := range r.requests {
		if q.node == node {
			return q
		}
	}
	return nil
}

// operation is one call of a client, up to its return.
type operation struct {
	process, name, resource string
	call                    sim.Event
	returned                *sim.Event
	rounds                  []*round
}
