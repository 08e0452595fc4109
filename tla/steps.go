package tla

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
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

// Steps of RedlockMessages.tla, in the words of Redlock.tla. There the network is
// a set of messages, and TLC names no action for what a node does with one of
// them: the message that is gone says what it was. Votes that are read, or taken
// for granted, are no steps of their own; they show in Decide.

// readMessage completes a step of RedlockMessages.tla; ok is false where nothing
// happened that Redlock.tla has an action for.
func (s *Step) readMessage(before State) (ok bool) {
	switch s.Action {
	case "Start", "Decide":
		return true
	case "End":
		s.Action = map[string]string{"acquiring": "GiveUp", "held": "Release"}[before.Field("client", s.Client, "phase")]
		return true
	case "DriverRetries":
		sent := missing(s.State.Variables["network"], before.Variables["network"])
		s.Node, s.Client = sent.At("node").Text, clientOf(sent.At("token"))
		return true
	case "Expire":
		s.readNode(before)
		return true
	case "VoteIsRead", "SilenceIsCounted":
		return false
	}
	return s.readArrival(before)
}

// readArrival reads what a node did with a message.
func (s *Step) readArrival(before State) (ok bool) {
	message := missing(before.Variables["network"], s.State.Variables["network"])
	s.Node, s.Client = message.At("node").Text, clientOf(message.At("token"))
	s.Before, s.After = before.Owner(s.Node), s.State.Owner(s.Node)
	isSet := message.At("kind").Text == "set"
	running := before.Field("client", s.Client, "phase") != "idle"
	switch {
	case isSet && s.Before == s.Client && running:
		s.Action = "OwnSetExecutes"
	case s.Before == s.After: // refused, or there was nothing to delete
		return false
	case isSet && running:
		s.Action = "SetExecutes"
	case isSet:
		s.Action = "LateSetExecutes"
	case running:
		s.Action = "ForeignReleaseExecutes"
	default:
		s.Action = "ReleaseExecutes"
	}
	return true
}

// missing is the first element of a set that another lacks.
func missing(set, other Value) Value {
	for _, element := range set.Elements {
		if !slices.ContainsFunc(other.Elements, func(e Value) bool { return reflect.DeepEqual(e, element) }) {
			return element
		}
	}
	return Value{}
}

const noOwner = "none"

// clientOf is the client that a token belongs to.
func clientOf(token Value) string {
	if len(token.Elements) == 0 {
		return noOwner
	}
	return token.Elements[0].Text
}
