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
