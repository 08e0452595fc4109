package explain

import (
	"time"

	"redlocklab/sim"
)

// outcome is how one request of a round ended, as its process could know it.
type outcome int

const (
	silent      outcome = iota // no answer arrived
	unreachable                // no connection came about
	refused                    // the node said that it is down
	requestLost                // the request never arrived
	replyLost                  // the node executed it, the answer never arrived
	answered
)

// request is one command to one node within a round, or a failed dial.
type request struct {
	node    string
	message int // number in the run; 0 for a dial that failed
	command string
	outcome outcome
	fault   string // of the fault that stopped or delayed it

	sent, delivered, executed, replied, dropped time.Duration // none where it did not happen
	executeSeq                                  int

	answer string         // what the node's engine said
	effect *sim.KeyChange // what it did to its key; nil when it has none
	token  string         // the value that it carried or left behind
	more   bool           // the key has more time than before
}

// none marks an instant that did not come.
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
	decided   *sim.Event // the client's event that ended it; nil for an attempt that was followed by another
	next      *round     // the next round of this process with the same purpose
	cleanup   *round     // the release that gave back what a failed attempt had won
	cleans    *round     // the failed attempt after which this one cleans up
	repeated  bool       // the story tells it together with an earlier attempt of the same kind
}

// request finds the request to a node.
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
