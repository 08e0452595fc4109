package round

import "time"

// MaximumNodes is the largest number of nodes in a round.
const MaximumNodes = 64

// NoLimit is the limit of a round whose result never expires, such as a release.
const NoLimit = time.Duration(1<<63 - 1)

// Vote says what one node's answer proves.
type Vote uint8

const (
	// Unknown means that the node proved nothing: it gave no answer, an error, or
	// an answer that must not be trusted. It counts neither for nor against.
	Unknown Vote = iota
	// For means that the node proved what the round asked.
	For
	// Against means that the node proved the opposite.
	Against
)

// State is the state of a round. Granted and Lost are final.
type State uint8

const (
	// Undecided means that the round still waits for answers.
	Undecided State = iota
	// Granted means that a quorum voted for within the limit.
	Granted
	// Lost means that no quorum can vote for within the limit.
	Lost
)

// Loss says why a round was lost.
type Loss uint8

const (
	// NotLost means that the round is undecided or granted.
	NotLost Loss = iota
	// Contended means that the votes against ruled out a quorum: had those nodes
	// voted for, one would still have been possible.
	Contended
	// NoQuorum means that so many nodes proved nothing that no quorum was possible.
	NoQuorum
	// Late means that an answer arrived after the limit had passed (claim MX-3).
	Late
)

// Quorum returns the smallest majority of nodes: nodes/2 + 1 in integer division
// (claim MX-7). It returns 0 if nodes is 0 or negative.
func Quorum(nodes int) int {
	if nodes <= 0 {
		return 0
	}
	return nodes/2 + 1
}

// Round counts the votes of one round. Use [New] to make one; the zero Round has
// no nodes and ignores every answer. A Round is not safe for concurrent use.
type Round struct {
	limit    time.Duration
	seen     uint64 // bit i is set when node i has answered
	nodes    int
	quorum   int
	votesFor int
	against  int
	unknown  int
	state    State
	loss     Loss
}

// New returns a round over 1 to [MaximumNodes] nodes. Votes count while less than
// limit has passed since just before the first send. A number of nodes out of range
// gives a round that is lost already.
func New(nodes int, limit time.Duration) Round {
	r := Round{nodes: nodes, quorum: Quorum(nodes), limit: limit}
	if nodes < 1 || nodes > MaximumNodes {
		r.state, r.loss = Lost, NoQuorum
	}
	return r
}

// Add counts the answer of a node, numbered from 0, and returns the new state.
// elapsed is the time from just before the round's first send to the moment the
// answer was read. Only a node's first answer counts, and none counts after the
// decision. A negative elapsed means that the clock went backwards: a round with
// a limit is then lost as [Late].
func (r *Round) Add(node int, vote Vote, elapsed time.Duration) State {
	if r.state != Undecided || node < 0 || node >= r.nodes || r.seen&(1<<node) != 0 {
		return r.state
	}
	r.seen |= 1 << node
	switch vote {
	case For:
		r.votesFor++
	case Against:
		r.against++
	default:
		r.unknown++
	}
	r.decide(elapsed)
	return r.state
}

// Expire decides the round: every node that has not answered counts as [Unknown].
// It returns the new state.
func (r *Round) Expire(elapsed time.Duration) State {
	if r.state == Undecided {
		r.unknown = r.nodes - r.votesFor - r.against
		r.decide(elapsed)
	}
	return r.state
}

func (r *Round) decide(elapsed time.Duration) {
	inTime := r.limit == NoLimit || (elapsed >= 0 && elapsed < r.limit)
	outstanding := r.nodes - r.votesFor - r.against - r.unknown
	switch {
	case !inTime:
		r.state, r.loss = Lost, Late
	case r.votesFor >= r.quorum:
		r.state = Granted
	case r.votesFor+outstanding >= r.quorum:
		// Still open.
	case r.nodes-r.unknown >= r.quorum:
		r.state, r.loss = Lost, Contended
	default:
		r.state, r.loss = Lost, NoQuorum
	}
}

// State returns the current state.
func (r *Round) State() State { return r.state }

// Loss returns why the round was lost, or [NotLost].
func (r *Round) Loss() Loss { return r.loss }

// Refuted reports whether the votes against alone rule out a quorum. It is
// stronger than Lost: nodes that gave no proof could not have changed the result.
func (r *Round) Refuted() bool { return r.nodes > 0 && r.against > r.nodes-r.quorum }
