package redlock

import (
	"sync"
	"sync/atomic"
	"time"
)

// tenure is one token's life on the nodes: from the first command that may set
// it to the last release. It is what makes clean-up complete: it remembers which
// nodes may carry the token, and sends a release again where a late answer shows
// that the token landed after its release.
type tenure struct {
	token string
	keys  []string
	giver string // of a lock that was adopted: nodes that missed that still have it

	// ending is set, under the gate, before the first release is sent. From then
	// on nothing that sets the token is sent any more (claim MX-10). Whoever
	// hands such commands to the lanes holds the gate for reading.
	gate   sync.RWMutex
	ending atomic.Bool

	// over is set when the lease ended, for whatever reason: its keys are not
	// extended any more (claim MX-10).
	over atomic.Bool

	mu    sync.Mutex
	nodes []tenureNode
}

// tenureNode is what is known of the token on one node.
type tenureNode struct {
	touched   bool // a command that may set the token was handed to the driver
	setting   int  // such commands without an answer yet
	releasing int  // releases that are on their way
	gone      bool // a release was confirmed: the key does not carry the token
	deleted   bool // … and it was a release of ours that deleted it
	landed    bool // the token was seen to land while a release was on its way
	toppedUp  bool // the key was put back by an extension that has not succeeded

	// waiting are releases that found no key while a command that may set it had
	// no answer yet: whether the token is gone is open until it has.
	waiting []*flight
}

func newTenure(keys []string, token string, nodes int) *tenure {
	return &tenure{token: token, keys: keys, nodes: make([]tenureNode, nodes)}
}

// touch records that a node may carry the token from now on. It reports false,
// and records nothing, once the token is being released: toRelease, which follows
// under the same mutex, would know nothing of this node.
func (t *tenure) touch(node int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ending.Load() {
		return false
	}
	t.nodes[node].touched = true
	t.nodes[node].setting++
	return true
}

// inherit records that an adoption was won: from now on the lock's owner looks
// after what the giver left too, which may be on any node.
func (t *tenure) inherit(giver string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.giver = giver
	for i := range t.nodes {
		t.nodes[i].touched = true
	}
}

// toRelease marks the nodes to which a release must go now, and returns them:
// those that may carry the token.
func (t *tenure) toRelease() []bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	chosen := make([]bool, len(t.nodes))
	for i := range t.nodes {
		node := &t.nodes[i]
		if node.touched && !node.gone {
			node.releasing++
			chosen[i] = true
		}
	}
	return chosen
}

// settle records the answer to a command that may set the token; landed says
// that it proves that the token was on the node. Once the token is being
// released, settle returns what follows: releases that must be sent again
// because the earlier one came too early (a nil flight: one that nobody waits
// for), and releases that are confirmed by it.
func (t *tenure) settle(node int, operation Operation, landed bool) (again, confirmed []*flight) {
	t.mu.Lock()
	defer t.mu.Unlock()
	state := &t.nodes[node]
	state.setting--
	if !t.ending.Load() {
		return nil, nil
	}
	switch {
	case landed && len(state.waiting) > 0:
		again, state.waiting = state.waiting, nil
		state.releasing += len(again)
	case landed && state.releasing > 0:
		state.landed = true
	case landed && state.gone && (!state.deleted || operation == OperationExtend):
		state.gone = false
		state.releasing++
		again = []*flight{nil}
	case !landed && state.setting == 0 && len(state.waiting) > 0:
		confirmed, state.waiting = state.waiting, nil
		state.gone = true
	}
	return again, confirmed
}

// deletedOn reports the nodes on which a release of ours deleted the token.
func (t *tenure) deletedOn() []bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	nodes := make([]bool, len(t.nodes))
	for i := range t.nodes {
		nodes[i] = t.nodes[i].deleted
	}
	return nodes
}

// releaseStep is what follows from the answer to a release.
type releaseStep uint8

const (
	releaseCounts releaseStep = iota // the answer says what it says
	releaseWaits                     // it says nothing until the token has settled
	releaseAgain                     // the token landed meanwhile: send it again
)

// released records the answer to a release of a flight.
func (t *tenure) released(node int, outcome Outcome, f *flight) releaseStep {
	t.mu.Lock()
	defer t.mu.Unlock()
	state := &t.nodes[node]
	state.releasing--
	switch {
	case outcome == OutcomeMissing && state.landed:
		state.landed = false
		state.releasing++
		return releaseAgain
	case outcome == OutcomeMissing && state.setting > 0:
		state.waiting = append(state.waiting, f)
		return releaseWaits
	case outcome == OutcomeGranted:
		state.deleted = true
		state.gone = true
	case outcome == OutcomeMissing, outcome == OutcomeHeldByOther:
		state.gone = true
	}
	return releaseCounts
}

// topUp records that an extension put a missing key back.
func (t *tenure) topUp(node int) {
	t.mu.Lock()
	t.nodes[node].toppedUp = true
	t.mu.Unlock()
}

// isTopUp reports whether a node's key was put back by an extension and no
// extension has succeeded since: its presence proves nothing yet.
func (t *tenure) isTopUp(node int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.nodes[node].toppedUp
}

// confirmTopUps makes topped-up keys count from now on: an extension succeeded
// without them.
func (t *tenure) confirmTopUps() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range t.nodes {
		t.nodes[i].toppedUp = false
	}
}

// end makes sure that nothing sets the token any more.
func (t *tenure) end() {
	t.gate.Lock()
	t.ending.Store(true)
	t.gate.Unlock()
}

// releaseAll sends a release to every node that may carry the token, in the
// caller's goroutine, and returns its flight. From here on nothing sets the
// token any more. It does not depend on any caller's context (claim LV-11).
func (l *Locker) releaseAll(t *tenure, now, timeout time.Duration) *flight {
	t.end()
	return l.sendRelease(t, t.toRelease(), now, timeout)
}

// repeatRelease sends the release to one node again, for a flight that waits for
// it or for nobody (nil).
func (l *Locker) repeatRelease(t *tenure, node int, f *flight, now time.Duration) {
	if f == nil {
		chosen := make([]bool, len(l.lanes))
		chosen[node] = true
		l.sendRelease(t, chosen, now, l.settings.closeTimeout())
		return
	}
	l.sendReleaseTo(f, &call{flight: f, node: node}, now)
}
