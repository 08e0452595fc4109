package redlock

import (
	"sync"
	"sync/atomic"
)

// tokenState is what is known of one token on all nodes, from the first command that may
// set it to the last release. It records which nodes may carry the token, and finds out
// when a late command has set the token after its release. The release is then sent again,
// so that no node keeps a token that nobody holds.
type tokenState struct {
	token string
	keys  []string

	// stopped is set under sendGate before the first release is sent. From then on
	// nothing that sets the token is sent (claim MX-10). Whoever submits such
	// commands holds sendGate for reading.
	sendGate sync.RWMutex
	stopped  atomic.Bool

	// leaseEnded is set when the lease has ended for any reason. From then on its
	// keys are not extended (claim MX-10).
	leaseEnded atomic.Bool

	mu    sync.Mutex
	nodes []tokenOnNode
}

// tokenOnNode is what is known of the token on one node.
type tokenOnNode struct {
	mayCarry         bool // a command that may set the token was sent
	pendingSets      int  // such commands without an outcome
	pendingReleases  int  // releases without an outcome
	released         bool // a release was confirmed: the key does not carry the token
	deletedByUs      bool // a release of ours deleted the key
	setDuringRelease bool // the token was set while a release was pending
	restored         bool // an extension restored the key, and none has succeeded since

	// waiting are releases that found no key while a command that may set the token
	// had no outcome. They are confirmed only when it has one.
	waiting []*fanout
}

func newTokenState(keys []string, token string, nodes int) *tokenState {
	return &tokenState{token: token, keys: keys, nodes: make([]tokenOnNode, nodes)}
}

// recordSend records that a node may carry the token from now on. Once setting has
// stopped, it records nothing and returns false: nodesToRelease may already have chosen the
// nodes without this one.
func (s *tokenState) recordSend(node int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped.Load() {
		return false
	}
	s.nodes[node].mayCarry = true
	s.nodes[node].pendingSets++
	return true
}

// nodesToRelease returns the nodes that may carry the token, and records that a release
// goes to them now.
func (s *tokenState) nodesToRelease() []bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	chosen := make([]bool, len(s.nodes))
	for i := range s.nodes {
		node := &s.nodes[i]
		if node.mayCarry && !node.released {
			node.pendingReleases++
			chosen[i] = true
		}
	}
	return chosen
}

// recordSet records the outcome of a command that may set the token. set means that the
// outcome shows that the token was on the node, or may have been. Once setting has stopped,
// recordSet returns what follows: again, the releases that came too early and must be sent
// again (nil for one that no fanout waits for), and confirmed, the releases that this
// outcome confirms.
func (s *tokenState) recordSet(index int, operation Operation, set bool) (again, confirmed []*fanout) {
	s.mu.Lock()
	defer s.mu.Unlock()
	node := &s.nodes[index]
	node.pendingSets--
	if !s.stopped.Load() {
		return nil, nil
	}
	switch {
	case set && len(node.waiting) > 0:
		again, node.waiting = node.waiting, nil
		node.pendingReleases += len(again)
	case set && node.pendingReleases > 0:
		node.setDuringRelease = true
	case set && node.released && (!node.deletedByUs || operation == OperationExtend):
		node.released = false
		node.pendingReleases++
		again = []*fanout{nil}
	case !set && node.pendingSets == 0 && len(node.waiting) > 0:
		confirmed, node.waiting = node.waiting, nil
		node.released = true
	}
	return again, confirmed
}

// deletedNodes reports for each node whether a release of ours deleted the token there.
func (s *tokenState) deletedNodes() []bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	nodes := make([]bool, len(s.nodes))
	for i := range s.nodes {
		nodes[i] = s.nodes[i].deletedByUs
	}
	return nodes
}

// releaseStep is what follows from the outcome of a release.
type releaseStep uint8

const (
	releaseCounts releaseStep = iota // the outcome counts
	releaseWaits                     // it counts once every command that sets the token has an outcome
	releaseAgain                     // the token was set meanwhile: the release must be sent again
)

// recordRelease records the outcome of a release, and returns what follows from it.
func (s *tokenState) recordRelease(index int, outcome NodeOutcome, f *fanout) releaseStep {
	s.mu.Lock()
	defer s.mu.Unlock()
	node := &s.nodes[index]
	node.pendingReleases--
	switch {
	case outcome == OutcomeMissing && node.setDuringRelease:
		node.setDuringRelease = false
		node.pendingReleases++
		return releaseAgain
	case outcome == OutcomeMissing && node.pendingSets > 0:
		node.waiting = append(node.waiting, f)
		return releaseWaits
	case outcome == OutcomeGranted:
		node.deletedByUs = true
		node.released = true
	case outcome == OutcomeMissing, outcome == OutcomeHeldByOther:
		node.released = true
	}
	return releaseCounts
}

// markRestored records that an extension restored a missing key.
func (s *tokenState) markRestored(node int) {
	s.mu.Lock()
	s.nodes[node].restored = true
	s.mu.Unlock()
}

// isRestored reports whether an extension restored the node's key and none has succeeded
// since. The presence of such a key proves nothing.
func (s *tokenState) isRestored(node int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.nodes[node].restored
}

// confirmRestored makes restored keys count from now on, because an extension succeeded
// without them.
func (s *tokenState) confirmRestored() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.nodes {
		s.nodes[i].restored = false
	}
}

// stopSetting makes sure that nothing that sets the token is submitted from now on.
func (s *tokenState) stopSetting() {
	s.sendGate.Lock()
	s.stopped.Store(true)
	s.sendGate.Unlock()
}
