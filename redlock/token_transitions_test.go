package redlock

import (
	"fmt"
	"maps"
	"slices"
	"testing"
)

// action is one thing that may happen to a simulatedNode; see its step.
type action struct {
	what, which int
	lost        bool
}

// String returns the event's name in lower case words.
func (e nodeEvent) String() string {
	return nameOf(e, "set sent", "refused", "set", "not set", "release queued", "release refused", "release sent",
		"absent", "absent for now", "release failed")
}

// actions are the choices at each step of an exploration.
func actions() []action {
	list := []action{{what: 0}, {what: 1}, {what: 1, lost: true}, {what: 2}, {what: 7}, {what: 8}, {what: 9}}
	for which := range 2 {
		list = append(list, action{3, which, false}, action{5, which, false})
		for _, lost := range []bool{false, true} {
			list = append(list, action{4, which, lost}, action{6, which, lost})
		}
	}
	return list
}

// played is a node after some actions.
type played struct {
	*simulatedNode
	state *tokenState
	token *tokenOnNode
}

func play(path []action) played {
	state := newTokenState([]string{"res"}, []string{"res"}, "token", 1)
	p := played{&simulatedNode{}, state, &state.nodes[0]}
	for _, a := range path {
		p.step(state, a.what, a.which, a.lost)
	}
	return p
}

// small keeps an exploration finite: at most two messages of a kind.
func (p played) small() bool {
	return len(p.sets) <= 2 && len(p.queued)+len(p.releases) <= 2 && len(p.token.waiting) <= 2
}

// current reports whether the node's answer to a release would still count.
func (p played) current(m *simulatedMessage) bool { return m.request.generation == p.token.generation }

// String tells apart what can go on differently.
func (p played) String() string {
	text := fmt.Sprint(p.token.state, p.token.pendingSets, p.token.deletedByUs, len(p.token.waiting), p.key, p.owed,
		p.state.stopped.come.Load(), len(p.queued), p.carries)
	for _, m := range p.sets {
		text += fmt.Sprint(" set ", m.executed)
	}
	for _, m := range p.releases {
		text += fmt.Sprint(" release ", m.executed, m.outcome, p.current(m))
	}
	return text
}

// keepsInvariant reports whether the invariant of the node's state holds.
func (p played) keepsInvariant() bool {
	stopped := p.state.stopped.come.Load()
	asked := len(p.token.waiting) > 0 // somebody waits for a release
	switch p.token.state {
	case stateClean:
		return !p.key && len(p.sets)+len(p.queued)+len(p.releases) == 0
	case stateHeld:
		needed := p.carries || len(p.sets) > 0 || stopped // or it would be clean
		return len(p.queued) == 0 && (p.owed || !asked && p.token.generation == 0) && needed
	case stateQueued:
		return len(p.queued) == 1 && stopped
	case stateReleasing:
		return len(p.queued) == 0 && slices.ContainsFunc(p.releases, p.current) && stopped
	case stateChecking:
		return len(p.queued) == 0 && len(p.sets) > 0 && stopped
	case stateGone:
		return !p.key && len(p.sets) == 0 && !asked && stopped
	default:
		return false
	}
}

// believes reports whether an answer to a release that proved the token absent was believed.
func (p played) believes(before played, which int) bool {
	if which >= len(before.releases) || !before.releases[which].executed || !before.current(before.releases[which]) {
		return true // it proved nothing
	}
	if len(p.sets) == 0 {
		return p.token.state == stateGone
	}
	return p.token.state == stateChecking || p.token.state == stateQueued
}

// explore plays every order of a few messages to one node. It returns the first order after
// which the node breaks the invariant of its state; "" if there is none.
func explore() (broken string) {
	known := map[string]bool{}
	paths := [][]action{nil}
	for len(paths) > 0 {
		path := paths[0]
		paths = paths[1:]
		for _, a := range actions() {
			next := append(slices.Clone(path), a)
			p := play(next)
			text := p.String()
			switch disbelieved := a.what == 6 && !a.lost && !p.believes(play(path), a.which); {
			case !disbelieved && (known[text] || !p.small()):
				continue
			case disbelieved || !p.keepsInvariant():
				return fmt.Sprintf("%v leads to %s", next, text)
			}
			known[text] = true
			paths = append(paths, next)
		}
	}
	return ""
}

// with runs explore with other transitions.
func with(change func(map[stateEvent]transition)) (broken string) {
	named := transitions
	defer func() { transitions = named }()
	transitions = maps.Clone(named)
	change(transitions)
	return explore()
}

// impossible is a state that no invariant allows: an exploration that takes a transition to
// it fails.
const impossible = nodeState(99)

// unreachable are the named transitions that no order of messages needs.
var unreachable = []stateEvent{{stateClean, eventSet}, {stateGone, eventSet}}

func TestEveryOrderOfMessagesKeepsTheInvariants(t *testing.T) {
	broken := with(func(all map[stateEvent]transition) {
		for state := stateClean; state <= stateGone; state++ {
			for event := eventSetSent; event <= eventReleaseFailed; event++ {
				pair := stateEvent{state, event}
				if _, named := all[pair]; !named || slices.Contains(unreachable, pair) {
					all[pair] = transition{next: impossible}
				}
			}
		}
	})
	if broken != "" {
		t.Error(broken)
	}
}

// Every named transition can come, and each that does something is needed.
func TestEveryTransitionIsNeeded(t *testing.T) {
	for pair, t0 := range transitions {
		if slices.Contains(unreachable, pair) {
			continue
		}
		if with(func(all map[stateEvent]transition) { all[pair] = transition{next: impossible} }) == "" {
			t.Errorf("%v never comes when the token is %v", pair.event, pair.state)
		}
		idle := transition{next: pair.state}
		if t0 != idle && with(func(all map[stateEvent]transition) { delete(all, pair) }) == "" {
			t.Errorf("%v when the token is %v: %+v is not needed", pair.event, pair.state, t0)
		}
	}
}
