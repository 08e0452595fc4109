package redlock

import (
	"slices"
	"sync"
	"time"
)

// tokenState tracks one token on all nodes, from the first command that may set it to the
// last release. It makes sure that every node that may carry the token when
// its lease has ended gets a release after the last command that may have set it there.
type tokenState struct {
	token     string
	resources []string // the names that the caller gave, sorted
	keys      []string // the keys of the resources

	// stopped is set before the first release is sent, and when the lease has ended
	// for any reason. From then on nothing that sets the token is sent (claim MX-10).
	stopped moment

	mu      sync.Mutex
	left    bool // the token was left to another process: nothing is released any more
	nodes   []tokenOnNode
	expires time.Duration // on the Clock, when the keys have expired everywhere
}

type tokenOnNode struct {
	state       nodeState
	sets        int       // commands that may have set the token
	pendingSets int       // those of them that are under way
	generation  int       // counts outcomes of such commands since setting stopped
	deletedByUs bool      // a release deleted the key
	waiting     []*fanout // whose callers wait for a release here
}

// nodeState is the state of a token on one node. The comment of a state is its invariant;
// TestEveryOrderOfMessagesKeepsTheInvariants holds the transitions to it.
type nodeState uint8

const (
	// stateClean: nothing that may have set the token was sent to the node.
	stateClean nodeState = iota
	// stateHeld: the node may carry the token, and no release waits in its queue. Once a
	// release of the token was asked for, the node is owed one.
	stateHeld
	// stateQueued: one release waits in the node's queue.
	stateQueued
	// stateReleasing: none waits. One is under way, and since it was sent no command is
	// known to have set the token.
	stateReleasing
	// stateChecking: a release proved the token absent, none waits in the queue, and
	// commands under way may still set the token.
	stateChecking
	// stateGone: the token is absent, and nothing under way can set it.
	stateGone
)

// String returns the state's name in lower case.
func (s nodeState) String() string {
	return nameOf(s, "clean", "held", "queued", "releasing", "checking", "gone")
}

// nodeEvent is an event that may change the state of a token on a node.
type nodeEvent uint8

const (
	eventSetSent        nodeEvent = iota // a command that may set the token, a set, is sent
	eventRefused                         // before setting stopped, the only set so far was refused
	eventSet                             // after setting stopped, a set has set the token, or may have
	eventNotSet                          // the last set under way has not
	eventReleaseQueued                   // a release was given to the node's queue
	eventReleaseRefused                  // the queue did not take it
	eventReleaseSent                     // the release was sent
	eventAbsent                          // its answer proves that the token is not there
	eventAbsentForNow                    // the same, with sets under way
	eventReleaseFailed                   // it has no answer that proves anything
)

// nodeStep is the duty of apply's caller after an event.
type nodeStep uint8

const (
	stepNone    nodeStep = iota
	stepRelease          // send a release now
	stepRetry            // send one when the node answers, or later
	stepConfirm          // tell those who wait that the token is gone
)

type stateEvent struct {
	state nodeState
	event nodeEvent
}

type transition struct {
	next nodeState
	step nodeStep
}

// transitions names every event that can come in a state. Others cannot, and would change
// nothing. Whatever sets the token leads to a release, also where no set can be under way.
var transitions = map[stateEvent]transition{
	{stateClean, eventSetSent}: {stateHeld, stepNone},
	{stateClean, eventSet}:     {stateHeld, stepRelease},

	{stateHeld, eventSetSent}:       {stateHeld, stepNone},
	{stateHeld, eventRefused}:       {stateClean, stepNone},
	{stateHeld, eventSet}:           {stateHeld, stepRelease},
	{stateHeld, eventNotSet}:        {stateHeld, stepNone}, // an earlier set may have
	{stateHeld, eventReleaseQueued}: {stateQueued, stepNone},
	// A second release is still under way when the first has failed.
	{stateHeld, eventAbsent}:        {stateGone, stepConfirm},
	{stateHeld, eventAbsentForNow}:  {stateChecking, stepNone},
	{stateHeld, eventReleaseFailed}: {stateHeld, stepNone},

	// The release that waits comes after whatever is known now.
	{stateQueued, eventSet}:            {stateQueued, stepNone},
	{stateQueued, eventNotSet}:         {stateQueued, stepNone},
	{stateQueued, eventReleaseRefused}: {stateHeld, stepRetry},
	{stateQueued, eventReleaseSent}:    {stateReleasing, stepNone},
	{stateQueued, eventAbsent}:         {stateGone, stepConfirm},
	{stateQueued, eventAbsentForNow}:   {stateQueued, stepNone},
	{stateQueued, eventReleaseFailed}:  {stateQueued, stepNone},

	{stateReleasing, eventSet}:           {stateHeld, stepRelease},
	{stateReleasing, eventNotSet}:        {stateReleasing, stepNone},
	{stateReleasing, eventReleaseQueued}: {stateQueued, stepNone},
	{stateReleasing, eventAbsent}:        {stateGone, stepConfirm},
	{stateReleasing, eventAbsentForNow}:  {stateChecking, stepNone},
	{stateReleasing, eventReleaseFailed}: {stateHeld, stepRetry},

	{stateChecking, eventSet}:           {stateHeld, stepRelease},
	{stateChecking, eventNotSet}:        {stateGone, stepConfirm},
	{stateChecking, eventAbsentForNow}:  {stateChecking, stepNone},
	{stateChecking, eventReleaseFailed}: {stateChecking, stepNone},

	// Releases that were on their way when another one proved the token absent.
	{stateGone, eventSet}:            {stateHeld, stepRelease},
	{stateGone, eventReleaseRefused}: {stateGone, stepNone},
	{stateGone, eventReleaseSent}:    {stateGone, stepNone},
	{stateGone, eventAbsent}:         {stateGone, stepNone},
	{stateGone, eventReleaseFailed}:  {stateGone, stepNone},
}

// apply changes the state by an event and returns what must follow.
func (n *tokenOnNode) apply(event nodeEvent) nodeStep {
	t, named := transitions[stateEvent{n.state, event}]
	if named {
		n.state = t.next
	}
	return t.step
}

// confirm returns those who wait for a release, and forgets them.
func (n *tokenOnNode) confirm(step nodeStep) []*fanout {
	if step != stepConfirm {
		return nil
	}
	waiting := n.waiting
	n.waiting = nil
	return waiting
}

func newTokenState(resources, keys []string, token string, nodes int) *tokenState {
	return &tokenState{token: token, resources: resources, keys: keys, nodes: make([]tokenOnNode, nodes)}
}

// stop makes sure that nothing that sets the token is sent from now on.
func (s *tokenState) stop(now time.Duration) {
	s.mu.Lock()
	s.stopped.set(now)
	s.mu.Unlock()
}

// leave makes sure that nothing is released any more.
func (s *tokenState) leave() {
	s.mu.Lock()
	s.left = true
	s.mu.Unlock()
}

// mayCarry records that every node may carry the token, which another process set.
func (s *tokenState) mayCarry() {
	for i := range s.nodes {
		s.nodes[i].sets = 1
		s.nodes[i].apply(eventSetSent)
	}
}

// recordSend is called before a request goes to the driver. It reports whether the request
// may go, and records what the node may carry from now on.
func (s *tokenState) recordSend(r *request) bool {
	c := &r.fanout.command
	s.mu.Lock()
	defer s.mu.Unlock()
	node := &s.nodes[r.node]
	switch {
	case c.operation == OperationRelease:
		r.generation = node.generation
		node.apply(eventReleaseSent)
		return true
	case s.stopped.come.Load():
		return false
	}
	if c.operation == OperationAcquire || c.operation == OperationExtend {
		s.expires = max(s.expires, r.fanout.deadline+c.ttl+r.fanout.locker.settings.allowance(c.ttl))
	}
	if c.sets() {
		node.sets++
		node.pendingSets++
		node.apply(eventSetSent)
	}
	return true
}

// recordSet records the outcome of a command that may set the token: whether it has, or
// may have. It reports whether the node needs a release now, and returns the fanouts whose
// releases the outcome confirms.
func (s *tokenState) recordSet(index int, set bool) (release bool, confirmed []*fanout) {
	s.mu.Lock()
	defer s.mu.Unlock()
	node := &s.nodes[index]
	node.pendingSets--
	switch {
	case !s.stopped.come.Load():
		if !set && node.sets == 1 {
			node.sets = 0
			node.apply(eventRefused)
		}
		return false, nil
	case s.left:
		return false, nil
	case set:
		node.generation++
		return node.apply(eventSet) == stepRelease, nil
	case node.pendingSets == 0:
		return false, node.confirm(node.apply(eventNotSet))
	default:
		return false, nil
	}
}

// nodesToRelease records that f waits for a release on every node that may carry the
// token, and has the vote of the others. It returns the nodes that must be sent one, bit i
// for node i.
func (s *tokenState) nodesToRelease(f *fanout, now time.Duration) (send uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.nodes {
		node := &s.nodes[i]
		if node.state == stateClean || node.state == stateGone {
			outcome := OutcomeNotAsked
			if node.deletedByUs {
				outcome = OutcomeGranted
			}
			f.recordAnswer(i, outcome, nil, now)
			continue
		}
		node.waiting = append(node.waiting, f)
		if node.state == stateHeld || node.state == stateReleasing {
			node.apply(eventReleaseQueued)
			send |= 1 << i
		}
	}
	return send
}

// claimRelease records that a release goes to a node that is owed one. It returns false if
// none is owed any more, or the keys have expired by now.
func (s *tokenState) claimRelease(index int, now time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.nodes[index].state != stateHeld || now >= s.expires {
		return false
	}
	s.nodes[index].apply(eventReleaseQueued)
	return true
}

// releaseRefused records that a node's queue did not take a release. It reports whether
// the node is owed one.
func (s *tokenState) releaseRefused(index int, f *fanout) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nodes[index].forget(f)
	return s.nodes[index].apply(eventReleaseRefused) == stepRetry
}

// recordRelease records the outcome of a release. It reports whether the release counts
// for its own round now, whether the node is owed another one, and returns the other
// fanouts that it confirms. An answer to a release that was sent before the token was set
// once more proves nothing: another release is on its way.
func (s *tokenState) recordRelease(r *request, outcome NodeOutcome) (counts, retry bool, confirmed []*fanout) {
	s.mu.Lock()
	defer s.mu.Unlock()
	node := &s.nodes[r.node]
	current := r.generation == node.generation
	switch outcome {
	case OutcomeGranted, OutcomeMissing, OutcomeHeldByOther:
		node.deletedByUs = node.deletedByUs || outcome == OutcomeGranted
		if !current {
			return false, false, nil
		}
		event := eventAbsent
		if node.pendingSets > 0 {
			event = eventAbsentForNow
		}
		confirmed = node.confirm(node.apply(event))
		counts = event == eventAbsent || outcome == OutcomeGranted
	default:
		retry = current && node.apply(eventReleaseFailed) == stepRetry
		counts = true
	}
	if counts {
		node.forget(r.fanout)
	}
	return counts, retry, confirmed
}

func (n *tokenOnNode) forget(f *fanout) {
	n.waiting = slices.DeleteFunc(n.waiting, func(waiting *fanout) bool { return waiting == f })
}
