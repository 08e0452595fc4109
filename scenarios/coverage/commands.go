package coverage

import (
	"strings"

	"redlocklab/checker"
	"redlocklab/scenarios/play"
	"redlocklab/sim"
)

// command follows a command from its client to the end of its answer.
func (w *watch) command(e *sim.Event) {
	if e.Kind == sim.Send {
		w.sent(e)
		return
	}
	m := w.messages[e.Message]
	if m == nil {
		return
	}
	switch e.Kind {
	case sim.Deliver:
		if c := w.clients[e.Process]; m.asked == checker.ActionAcquire && (c.calls != m.call || c.operation == "") {
			w.reach(GivenUpSet)
		}
	case sim.Execute:
		w.executed(e, m)
	case sim.Drop:
		if m.granted && strings.HasPrefix(e.Detail, string(sim.ToProcess)) {
			w.reach(LostGrant)
		}
	}
}

// sent remembers a command about a lock's key.
func (w *watch) sent(e *sim.Event) {
	c := w.clients[e.Process]
	asked := play.Asked(e.Command)
	if c == nil || asked == "" || e.Key == "" {
		return
	}
	m := &message{asked: asked, call: c.calls}
	for _, word := range strings.Fields(e.Detail) {
		if strings.HasPrefix(word, "token#") {
			m.token = word
			break
		}
	}
	w.messages[e.Message] = m
}

// executed looks at what a command did: the event's value is the key's afterwards.
func (w *watch) executed(e *sim.Event, m *message) {
	at := vote{e.Node, e.Key}
	before := w.votes[at]
	if e.Value == "" {
		delete(w.votes, at)
	} else {
		w.votes[at] = e.Value
	}
	c := w.clients[e.Process]
	switch m.asked {
	case checker.ActionAcquire:
		if e.Value == "" || e.Value != m.token || before == m.token {
			return
		}
		m.granted = true
		c.grants++
		if w.granted[m.token] == nil {
			w.granted[m.token] = map[string]bool{}
		}
		w.granted[m.token][e.Node] = true
		if w.released[grant{e.Node, m.token}] {
			w.reach(SetAfterRelease)
		}
	case checker.ActionRelease:
		if m.token != "" {
			w.released[grant{e.Node, m.token}] = true
		}
	case checker.ActionExtend:
		if e.Detail == "1" {
			c.extended++
		}
	}
}

// fault looks at what happened to clients, nodes and clocks.
func (w *watch) fault(e *sim.Event) {
	switch e.Kind {
	case sim.Crash:
		w.crash(e)
	case sim.Restart:
		if w.acquirers() {
			w.reach(RestartInAcquire)
		}
	case sim.Forget, sim.Revive:
		w.reach(Forgotten)
		if e.Kind == sim.Revive {
			w.votes[vote{e.Node, e.Key}] = e.Value
		} else {
			delete(w.votes, vote{e.Node, e.Key})
		}
	case sim.NodeCall:
		if at := (vote{e.Node, e.Key}); e.Command == "(removed)" && w.votes[at] != "" {
			w.reach(Removed)
			delete(w.votes, at)
		}
	case sim.ClockStep:
		switch {
		case !w.holders(e.At):
		case e.Duration < 0:
			w.reach(StepBack)
		case e.Node != "":
			w.reach(StepForward)
		}
	}
}

// crash looks at who ended.
func (w *watch) crash(e *sim.Event) {
	if e.Node == "" {
		if c := w.clients[e.Process]; c != nil {
			if c.holding && e.At < c.until {
				w.reach(HolderCrash)
			}
			c.operation = ""
		}
		return
	}
	for at := range w.votes { // whichever: it is one and the same moment
		if at.node == e.Node {
			w.reach(VoterCrash)
			return
		}
	}
}
