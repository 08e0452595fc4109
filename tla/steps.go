package tla

import (
	"errors"
	"fmt"
)

// Step is one action of a counterexample of Redlock.tla or RedlockMessages.tla,
// with what it acted on: the vocabulary in which a fault plan can be written.
type Step struct {
	At int // true time in ticks since the initial state
	// Action is one of Redlock.tla, without Advance, which is in At; or, of
	// RedlockMessages.tla, DriverRetries or OwnSetExecutes: a SET met its own token.
	Action string
	Client string // empty where the action has none
	Node   string // empty where the action has none
	State  int    // number of the state that it led to
	// Before and After are the owners of the key at Node around the action:
	// "none", "orphan" or a client. Empty without a Node.
	Before, After string
}

// ErrNotRedlock says that a trace is of another module than Redlock.tla and
// RedlockMessages.tla.
var ErrNotRedlock = errors.New("tla: not a trace of Redlock.tla or RedlockMessages.tla")

// Steps reads who did what from the differences between the states of a
// counterexample of Redlock.tla or RedlockMessages.tla. Error: ErrNotRedlock.
func (t ErrorTrace) Steps() ([]Step, error) {
	var steps []Step
	now := 0
	for i := 1; i < len(t.States); i++ {
		state, before := t.States[i], t.States[i-1]
		if state.Action == "Advance" || state.Action == "Tick" {
			now++
			continue
		}
		if _, messages := state.Variables["network"]; messages {
			if step, ok := messageStep(before, state); ok {
				step.At = now
				steps = append(steps, step)
			}
			continue
		}
		step := Step{At: now, Action: state.Action, State: state.Number}
		if err := step.who(before, state); err != nil {
			return nil, fmt.Errorf("state %d: %w", state.Number, err)
		}
		steps = append(steps, step)
	}
	return steps, nil
}

// who finds the client and the node of a step. A grant also marks other
// clients as overtaken, and the end of an attempt clears its votes at every
// node, so the changed fields decide.
func (s *Step) who(before, after TraceState) error {
	clients, ok := after.Variables["client"]
	nodes, hasNodes := after.Variables["node"]
	if !ok || !hasNodes {
		return ErrNotRedlock
	}
	for _, entry := range clients.Entries {
		old, _ := before.Variables["client"].At(entry.Key.Text)
		if changed(old, entry.Value, "phase") || changed(old, entry.Value, "extension") {
			s.Client = entry.Key.Text
		}
	}
	if s.Client != "" {
		return nil
	}
	for _, entry := range nodes.Entries {
		old, _ := before.Variables["node"].At(entry.Key.Text)
		if old.String() == entry.Value.String() {
			continue
		}
		s.Node = entry.Key.Text
		s.Before, s.After = field(old, "owner"), field(entry.Value, "owner")
		s.Client = s.actor(before, old, entry.Value)
	}
	return nil
}

// actor is the client whose command changed a node, if it was a command of a
// running attempt: the one whose vote or extension it became, else the owner.
func (s *Step) actor(before TraceState, old, record Value) string {
	switch s.Action {
	case "SetExecutes", "ExtendExecutes", "LateExtendExecutes":
		for _, entry := range before.Variables["client"].Entries {
			for _, set := range []string{"votes", "extended"} {
				votes, _ := record.At(set)
				voted, _ := old.At(set)
				if votes.Has(entry.Key.Text) && !voted.Has(entry.Key.Text) {
					return entry.Key.Text
				}
			}
		}
		if s.After != "none" && s.After != "orphan" {
			return s.After
		}
	case "ForeignReleaseExecutes":
		for _, entry := range before.Variables["client"].Entries {
			if field(entry.Value, "phase") == "released" {
				return entry.Key.Text
			}
		}
	}
	return ""
}

func changed(before, after Value, name string) bool {
	return field(before, name) != field(after, name)
}

// field is a record's field as text, without the quotes of strings.
func field(record Value, name string) string {
	value, found := record.At(name)
	if !found {
		return ""
	}
	if value.Kind == Text {
		return value.Text
	}
	return value.String()
}
