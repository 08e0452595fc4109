package tla

// Steps of RedlockMessages.tla, in the words of Redlock.tla. There the network is
// a set of messages, and TLC names no action for what a node does with one of
// them: the message that is gone says what it was. Votes that are read, or taken
// for granted, are no steps of their own; they show in Decide.

// messageStep reads one step; ok is false where nothing happened that the words
// of Redlock.tla have.
func messageStep(before, after TraceState) (step Step, ok bool) {
	step = Step{Action: after.Action, State: after.Number}
	switch after.Action {
	case "Start", "Decide", "End":
		clients := after.Variables["client"]
		for _, entry := range clients.Entries {
			old, _ := before.Variables["client"].At(entry.Key.Text)
			if !changed(old, entry.Value, "phase") {
				continue
			}
			step.Client = entry.Key.Text
			if after.Action == "End" {
				step.Action = map[string]string{"acquiring": "GiveUp", "held": "Release"}[field(old, "phase")]
			}
		}
		return step, true
	case "DriverRetries":
		sent := missing(after.Variables["network"], before.Variables["network"])
		step.Node, step.Client = field(sent, "node"), tokenOf(sent)
		return step, true
	case "Expire":
		for _, entry := range after.Variables["node"].Entries {
			if was := OwnerAt(before, entry.Key.Text); was != OwnerAt(after, entry.Key.Text) {
				step.Node, step.Before, step.After = entry.Key.Text, was, noOwner
			}
		}
		return step, true
	case "VoteIsRead", "SilenceIsCounted":
		return step, false
	}
	return step.arrival(before, after)
}

// arrival is what a node did with a message.
func (s Step) arrival(before, after TraceState) (Step, bool) {
	message := missing(before.Variables["network"], after.Variables["network"])
	s.Node, s.Client = field(message, "node"), tokenOf(message)
	s.Before, s.After = OwnerAt(before, s.Node), OwnerAt(after, s.Node)
	sender, _ := before.Variables["client"].At(s.Client)
	running := field(sender, "phase") != "idle"
	switch {
	case field(message, "kind") == "set" && s.Before == s.Client && running:
		s.Action = "OwnSetExecutes"
	case s.Before == s.After: // refused, or there was nothing to delete
		return s, false
	case field(message, "kind") == "set" && running:
		s.Action = "SetExecutes"
	case field(message, "kind") == "set":
		s.Action = "LateSetExecutes"
	case running:
		s.Action = "ForeignReleaseExecutes"
	default:
		s.Action = "ReleaseExecutes"
	}
	return s, true
}

// missing is the first element of a set that another lacks.
func missing(set, other Value) Value {
	there := map[string]bool{}
	for _, element := range other.Elements {
		there[element.String()] = true
	}
	for _, element := range set.Elements {
		if !there[element.String()] {
			return element
		}
	}
	return Value{}
}

// tokenOf is the client whose token a message carries.
func tokenOf(message Value) string {
	token, _ := message.At("token")
	return clientOf(token)
}

func clientOf(token Value) string {
	if len(token.Elements) == 0 {
		return noOwner
	}
	return token.Elements[0].Text
}

const noOwner = "none"

// OwnerAt is who owns the key at a node in a state: "none", "orphan" or a client.
func OwnerAt(state TraceState, node string) string {
	record, _ := state.Variables["node"].At(node)
	owner, found := record.At("owner")
	switch {
	case !found:
		return ""
	case owner.Kind == Tuple:
		return clientOf(owner)
	}
	return owner.Text
}
