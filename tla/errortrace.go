package tla

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// ErrorTrace is a counterexample of TLC: its states, from the initial one on. That
// the states of a liveness counterexample repeat is not in it.
type ErrorTrace []State

// State is one state and the action that led to it.
type State struct {
	Action    string // empty for the initial state
	Variables map[string]Value
}

// ErrNoTrace says that TLC's output has no counterexample.
var ErrNoTrace = errors.New("tla: no error trace in TLC's output")

var (
	// stateHeader matches both of TLC's forms, "State 2: <Start line …>" and, in
	// -tool mode, "2: <Start line …>".
	stateHeader = regexp.MustCompile(`(?m)^(?:State )?\d+: <(Initial predicate|\w+)[ >(].*$`)
	assignment  = regexp.MustCompile(`(?m)^(?:/\\ )?(\w+) = `)
)

// ParseErrorTrace reads the counterexample in TLC's output, plain or of -tool
// mode. Errors: ErrNoTrace; a state that cannot be read.
func ParseErrorTrace(output io.Reader) (ErrorTrace, error) {
	content, err := io.ReadAll(output)
	if err != nil {
		return nil, fmt.Errorf("tla: reading TLC's output: %w", err)
	}
	var trace ErrorTrace
	for header, body := range sections(stateHeader, string(content)) {
		body, _, _ = strings.Cut(body, "\n\n")
		body, _, _ = strings.Cut(body, "\n@!@!@")
		state := State{Variables: map[string]Value{}}
		if header != "Initial predicate" {
			state.Action = header
		}
		for variable, text := range sections(assignment, body) {
			if state.Variables[variable], err = ParseValue(text); err != nil {
				return nil, fmt.Errorf("state %d, %s: %w", len(trace)+1, variable, err)
			}
		}
		trace = append(trace, state)
	}
	if len(trace) == 0 {
		return nil, ErrNoTrace
	}
	return trace, nil
}

// sections yields what the header's group captures, and the text up to the next header.
func sections(header *regexp.Regexp, text string) iter.Seq2[string, string] {
	return func(yield func(name, body string) bool) {
		matches := header.FindAllStringSubmatchIndex(text, -1)
		for i, match := range matches {
			end := len(text)
			if i+1 < len(matches) {
				end = matches[i+1][0]
			}
			if !yield(text[match[2]:match[3]], text[match[1]:end]) {
				return
			}
		}
	}
}

// Keys lists the domain of a variable that is a function, in TLC's order.
func (s State) Keys(variable string) []string {
	var keys []string
	for _, entry := range s.Variables[variable].Entries {
		keys = append(keys, entry.Key.Text)
	}
	return keys
}

// Field returns a field of the record that a variable has for a key, as text; it
// is empty when there is none, or it is no string, number, boolean or model value.
func (s State) Field(variable, key, field string) string {
	return s.Variables[variable].At(key).At(field).Text
}

// Changed returns the first key at which a variable differs from its value in an
// earlier state: in one of the fields if some are named. It is empty without one.
func (s State) Changed(before State, variable string, fields ...string) string {
	for _, entry := range s.Variables[variable].Entries {
		now, then := entry.Value, before.Variables[variable].At(entry.Key.Text)
		differs := func(field string) bool { return now.At(field).Text != then.At(field).Text }
		if slices.ContainsFunc(fields, differs) || len(fields) == 0 && !reflect.DeepEqual(now, then) {
			return entry.Key.Text
		}
	}
	return ""
}

// Owner returns who owns the key at a node: "none", "orphan" or a client.
func (s State) Owner(node string) string {
	owner := s.Variables["node"].At(node).At("owner")
	if owner.Opening == "<<" { // a token
		return clientOf(owner)
	}
	return owner.Text
}

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
