package round

import "time"

// MaximumNodes is the largest number of nodes that a round can count.
const MaximumNodes = 64

// NoLimit is the limit of a round whose result does not age, such as a release.
const NoLimit = time.Duration(1<<63 - 1)

// Vote is what one node's answer proves.
type Vote uint8

const (
	// Unknown proves nothing: no answer, an error, a refusal, or an answer that
	// must not be trusted. It is neither for nor against, and never a vote.
	Unknown Vote = iota
	// For is proof for what the round asks.
	For
	// Against is proof of the contrary.
	Against
)

// State of a round. Granted and Lost are final.
type State uint8

const (
	// Undecided rounds still wait for answers.
	Undecided State = iota
	// Granted: a quorum voted for, and the last of those votes came in time.
	Granted
	// Lost: a quorum can no longer be reached, or not in time.
	Lost
)

// Loss says why a round was lost.
type Loss uint8

const (
	// NotLost is the reason of a round that is undecided or granted.
	NotLost Loss = iota
	// Contended: nodes voted against, and without them a quorum would still have
	// been possible.
	Contended
	// NoQuorum: so many nodes gave no proof that a quorum was out of reach.
	NoQuorum
	// Late: the votes came when the limit had passed (claim MX-3).
	Late
)

// Quorum is the number of votes that a majority of nodes needs: nodes/2 + 1,
// rounded down to an integer (claim MX-7). It is 0 for no nodes.
func Quorum(nodes int) int {
	if nodes <= 0 {
		return 0
	}
	return nodes/2 + 1
}

// Round counts the votes of one question to all nodes. It is not safe for
// concurrent use. The zero Round has no nodes and is lost; see New.
type Round struct {
	limit    time.Duration
	elapsed  time.Duration
	seen     uint64
	nodes    int
	quorum   int
	votesFor int
	against  int
	unknown  int
	state    State
	loss     Loss
}

// New starts a round over nodes (1 to MaximumNodes) whose result is worth
// something only for less than limit after the instant before the first send.
// A limit of zero or less can only be lost.
func New(nodes int, limit time.Duration) Round {
	r := Round{nodes: nodes, quorum: Quorum(nodes), limit: limit}
	if nodes < 1 || nodes > MaximumNodes {
		r.state, r.loss = Lost, NoQuorum
	}
	return r
}

// Add counts the answer of a node (0 to nodes-1), read when elapsed had passed
// since the instant before the round's first send, and returns the state after
// it. Only a node's first answer counts; answers after the decision change
// nothing. A negative elapsed means a clock that went backwards: nothing that
// depends on it can be granted.
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
	r.elapsed = elapsed
	r.decide()
	return r.state
}

// Expire ends the waiting: every node that has not answered counts as Unknown.
// The round is decided afterwards.
func (r *Round) Expire(elapsed time.Duration) State {
	if r.state != Undecided {
		return r.state
	}
	r.unknown = r.nodes - r.votesFor - r.against
	r.elapsed = elapsed
	r.decide()
	return r.state
}

func (r *Round) decide() {
	inTime := r.limit == NoLimit || (r.elapsed >= 0 && r.elapsed < r.limit)
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

// State returns the state of the round.
func (r *Round) State() State { return r.state }

// Loss returns why the round was lost, or NotLost.
func (r *Round) Loss() Loss { return r.loss }

// Votes returns how many nodes proved the question, and how many its contrary.
func (r *Round) Votes() (votesFor, against int) { return r.votesFor, r.against }

// Refuted reports whether the votes against alone rule out a quorum: not merely
// that it was not reached, but proof that it cannot exist.
func (r *Round) Refuted() bool { return r.nodes > 0 && r.against > r.nodes-r.quorum }

// Validity is what is left of the limit at the deciding answer of a granted
// round; 0 for any other, and NoLimit for a granted round without limit.
func (r *Round) Validity() time.Duration {
	switch {
	case r.state != Granted:
		return 0
	case r.limit == NoLimit:
		return NoLimit
	default:
		return r.limit - r.elapsed
	}
}
