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
	State  State  // that it led to
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
	for i, after := range t[1:] {
		before := t[i]
		if after.Action == "Advance" || after.Action == "Tick" {
			now++
			continue
		}
		if len(after.Keys("client")) == 0 || len(after.Keys("node")) == 0 {
			return nil, fmt.Errorf("state %d: %w", i+2, ErrNotRedlock)
		}
		step := Step{At: now, Action: after.Action, State: after, Client: after.Changed(before, "client", "phase", "extension")}
		if _, messages := after.Variables["network"]; messages {
			if !step.readMessage(before) {
				continue
			}
		} else if step.Client == "" {
			step.readNode(before)
			step.Client = step.sender(before)
		}
		steps = append(steps, step)
	}
	return steps, nil
}

// readNode finds the node of a step that changed no client, but maybe its votes.
func (s *Step) readNode(before State) {
	if s.Node = s.State.Changed(before, "node"); s.Node != "" {
		s.Before, s.After = before.Owner(s.Node), s.State.Owner(s.Node)
	}
}

// sender is the client whose command changed a node, if it was a command of a
// running attempt: the one whose vote or extension it became, else the owner.
func (s *Step) sender(before State) string {
	switch s.Action {
	case "SetExecutes", "ExtendExecutes", "LateExtendExecutes":
		old, record := before.Variables["node"].At(s.Node), s.State.Variables["node"].At(s.Node)
		for _, client := range before.Keys("client") {
			for _, set := range []string{"votes", "extended"} {
				if record.At(set).Has(client) && !old.At(set).Has(client) {
					return client
				}
			}
		}
		if s.After != noOwner && s.After != "orphan" {
			return s.After
		}
	case "ForeignReleaseExecutes":
		for _, client := range before.Keys("client") {
			if before.Field("client", client, "phase") == "released" {
				return client
			}
		}
	}
	return ""
}
