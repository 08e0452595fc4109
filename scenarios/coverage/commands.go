package coverage

import (
	"slices"
	"strings"

	"redlocklab/sim"
)

// command follows a command from its Send to the arrival or loss of its answer.
func (w *watch) command(e *sim.Event, change *sim.KeyChange) {
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
		if c := w.clients[e.Process]; m.purpose == sim.PurposeAcquire && (c.calls != m.call || c.operation == "") {
			w.reach(GivenUpSet)
		}
	case sim.Execute:
		w.executed(e, m, change)
	case sim.Drop:
		if m.granted && strings.HasPrefix(e.Detail, string(sim.ToProcess)) {
			w.reach(LostGrant)
		}
	}
}

// sent remembers a command about a lock's key.
func (w *watch) sent(e *sim.Event) {
	c := w.clients[e.Process]
	purpose := sim.PurposeOf(e.Command)
	if c == nil || !purpose.AboutLock() || e.Key == "" {
		return
	}
	w.messages[e.Message] = &message{purpose: purpose, call: c.calls, token: sim.TokenOf(e)}
}

// executed processes what a command did to its key.
func (w *watch) executed(e *sim.Event, m *message, change *sim.KeyChange) {
	c := w.clients[e.Process]
	switch m.purpose {
	case sim.PurposeAcquire:
		if m.token == "" || change.After.Value != m.token || !change.Gained() {
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
	case sim.PurposeRelease:
		if m.token != "" {
			w.released[grant{e.Node, m.token}] = true
		}
	case sim.PurposeExtend:
		if e.Detail == "1" {
			c.extended++
		}
	}
}

// fault processes what happened to clients, nodes and clocks.
func (w *watch) fault(e *sim.Event, change *sim.KeyChange) {
	switch e.Kind {
	case sim.Crash:
		w.crash(e)
	case sim.Restart:
		if w.acquirers() {
			w.reach(RestartInAcquire)
		}
	case sim.Forget, sim.Revive:
		w.reach(Forgotten)
	case sim.NodeCall:
		if change.Lost() && slices.Contains(w.resources, change.Key) {
			w.reach(Removed)
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

// crash processes the end of a client or a node.
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
	for _, resource := range w.resources {
		if w.keys.At(e.Node, resource).Exists() {
			w.reach(VoterCrash)
		}
	}
}
