package tla

import (
	"reflect"
	"slices"
)

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
