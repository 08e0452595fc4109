package redlock

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"redlocklab/redlock/round"
)

// setTo and releaseTo make requests of one token to a node.
func setTo(s *tokenState, node int) *request {
	f := &fanout{
		locker: &Locker{settings: defaultSettings()}, tokenState: s, command: command{operation: OperationAcquire},
	}
	return &request{fanout: f, node: node}
}

func releaseTo(s *tokenState, node int) *request {
	f := &fanout{tokenState: s, command: command{operation: OperationRelease}, decided: make(chan struct{})}
	f.reports, f.round = make([]NodeReport, len(s.nodes)), round.New(len(s.nodes), round.NoLimit)
	return &request{fanout: f, node: node}
}

// A request that was still wanted just before the release of its token must not be sent
// after the release has chosen its nodes: nothing would release the token there (claim
// MX-3).
func TestNothingIsSentOnceTheReleaseHasChosenItsNodes(t *testing.T) {
	state := newTokenState([]string{"res"}, []string{"res"}, "token", 2)
	if !state.recordSend(setTo(state, 0)) {
		t.Fatal("the token is not being released yet")
	}
	state.stop(0)
	release := releaseTo(state, 0)
	send := state.nodesToRelease(release.fanout, 0)
	if reports := release.fanout.reports; send != 0b01 || reports[0].Outcome != OutcomePending ||
		reports[1].Outcome != OutcomeNotAsked {
		t.Fatalf("sends to %b, reports %v", send, reports)
	}
	if state.recordSend(setTo(state, 1)) || state.nodes[1].state != stateClean {
		t.Error("a SET goes to a node that gets no release")
	}
	if !state.recordSend(release) {
		t.Error("a release was held back")
	}
}

// simulatedNode is a server and the messages between it and a tokenState.
type simulatedNode struct {
	key      bool
	carries  bool // a set may have set the token: it was not refused
	sets     []*simulatedMessage
	releases []*simulatedMessage
	queued   []*request
	owed     bool
}

type simulatedMessage struct {
	request  *request
	executed bool
	outcome  NodeOutcome
}

// TestEveryTokenIsReleased plays a random order of sendings, executions, answers and
// losses on one node. In the end, when nothing is under way any more, the key is gone.
func TestEveryTokenIsReleased(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		state := newTokenState([]string{"res"}, []string{"res"}, "token", 1)
		node := &simulatedNode{}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			node.step(state, rapid.IntRange(0, 9).Draw(t, "what"), rapid.IntRange(0, 3).Draw(t, "which"),
				rapid.Bool().Draw(t, "lost"))
		}
		node.step(state, 1, 0, false)
		for len(node.sets)+len(node.releases)+len(node.queued) > 0 || node.owed {
			for what := 2; what < 8; what++ {
				node.step(state, what, 0, false)
			}
		}
		if node.key || (state.nodes[0].state != stateGone && state.nodes[0].state != stateClean) {
			t.Fatalf("key %v in state %v", node.key, state.nodes[0].state)
		}
		if waiting := len(state.nodes[0].waiting); waiting > 0 {
			t.Fatalf("%d callers wait for ever", waiting)
		}
	})
}

// step does one thing, if it can be done.
func (n *simulatedNode) step(s *tokenState, what, which int, lost bool) {
	switch {
	case what == 0 && len(n.sets) < 3:
		if r := setTo(s, 0); s.recordSend(r) {
			n.sets = append(n.sets, &simulatedMessage{request: r})
		}
	case what == 1 && len(n.queued) < 3:
		s.stop(0)
		r := releaseTo(s, 0)
		if s.nodesToRelease(r.fanout, 0) != 0 {
			n.queue(s, r, lost)
		}
	case what == 2 && len(n.queued) > 0:
		r := n.queued[0]
		n.queued = n.queued[1:]
		s.recordSend(r)
		n.releases = append(n.releases, &simulatedMessage{request: r, outcome: OutcomeTransport})
	case what == 3 && which < len(n.sets):
		n.sets[which].executed, n.key = true, true
	case what == 4 && which < len(n.sets):
		m := n.sets[which]
		n.sets = slices.Delete(n.sets, which, which+1)
		n.carries = n.carries || m.executed || lost
		if release, _ := s.recordSet(0, m.executed || lost); release && s.claimRelease(0, -1) {
			n.queue(s, releaseTo(s, 0), false)
		}
	case what == 5 && which < len(n.releases):
		m := n.releases[which]
		m.executed, m.outcome = true, OutcomeMissing
		if n.key {
			m.outcome = OutcomeGranted
		}
		n.key = false
	case what == 6 && which < len(n.releases):
		m := n.releases[which]
		n.releases = slices.Delete(n.releases, which, which+1)
		if lost {
			m.outcome = OutcomeTransport
		}
		_, retry, _ := s.recordRelease(m.request, m.outcome)
		n.owed = n.owed || retry
	case what == 7 && n.owed:
		n.owed = false
		if s.claimRelease(0, -1) {
			n.queue(s, releaseTo(s, 0), false)
		}
	case what == 8 && len(n.queued) > 0: // the queue does not take it after all
		r := n.queued[0]
		n.queued = n.queued[1:]
		n.owed = s.releaseRefused(0, r.fanout) || n.owed
	case what == 9: // the lease has ended, and nobody releases it
		s.stop(0)
	}
}

// queue gives a release to the node's queue, which may refuse it.
func (n *simulatedNode) queue(s *tokenState, r *request, refuse bool) {
	if refuse {
		n.owed = s.releaseRefused(0, r.fanout) || n.owed
		return
	}
	n.queued = append(n.queued, r)
}
