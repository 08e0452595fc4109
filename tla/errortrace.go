package tla

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// ErrorTrace is a counterexample of TLC.
type ErrorTrace struct {
	// Violated names the invariant or action property; empty for a temporal
	// property, which TLC does not name.
	Violated string
	States   []TraceState
	// BackTo is the number of the state to which a lasso returns, 0 for none.
	BackTo int
	// Stuttering: the behaviour stays in its last state for ever.
	Stuttering bool
}

// TraceState is one state and the action that led to it.
type TraceState struct {
	Number    int    // from 1
	Action    string // empty for the initial state
	Variables map[string]Value
}

// ErrNoTrace says that TLC's output has no counterexample.
var ErrNoTrace = errors.New("tla: no error trace in TLC's output")

var (
	// stateHeader matches both of TLC's forms, "State 2: <Start line …>" and, in
	// -tool mode, "2: <Start line …>".
	stateHeader  = regexp.MustCompile(`^(?:State )?(\d+): <(Initial predicate|\w+)[ >(]`)
	stutterMark  = regexp.MustCompile(`^(?:State )?\d+: Stuttering`)
	backToState  = regexp.MustCompile(`^(?:State )?(?:(\d+): Back to state|Back to state (\d+))`)
	variableLine = regexp.MustCompile(`^(?:/\\ )?(\w+) = (.*)$`)
	violation    = regexp.MustCompile(`^(?:Error: )?(?:Invariant|Action property) (\S+) is violated`)
)

// ParseErrorTrace reads the first counterexample from TLC's output, plain or of
// -tool mode. Errors: ErrNoTrace; a state that cannot be read.
func ParseErrorTrace(output io.Reader) (ErrorTrace, error) {
	var trace ErrorTrace
	var name string // the variable whose value is being collected
	var text strings.Builder
	finish := func() error {
		if name == "" {
			return nil
		}
		state := &trace.States[len(trace.States)-1]
		value, err := ParseValue(text.String())
		if err != nil {
			return fmt.Errorf("state %d, %s: %w", state.Number, name, err)
		}
		state.Variables[name] = value
		name = ""
		text.Reset()
		return nil
	}
	lines := bufio.NewScanner(output)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		line := lines.Text()
		if found := violation.FindStringSubmatch(line); found != nil && trace.Violated == "" {
			trace.Violated = found[1]
			continue
		}
		if header := stateHeader.FindStringSubmatch(line); header != nil {
			if err := finish(); err != nil {
				return trace, err
			}
			number, _ := strconv.Atoi(header[1])
			action := header[2]
			if action == "Initial predicate" {
				action = ""
			}
			trace.States = append(trace.States, TraceState{Number: number, Action: action, Variables: map[string]Value{}})
			continue
		}
		if stutterMark.MatchString(line) {
			trace.Stuttering = true
		}
		if back := backToState.FindStringSubmatch(line); back != nil {
			trace.BackTo, _ = strconv.Atoi(back[1] + back[2])
		}
		ended := line == "" || strings.HasPrefix(line, "@!@!@")
		assignment := variableLine.FindStringSubmatch(line)
		if ended || (assignment != nil && len(trace.States) > 0) {
			if err := finish(); err != nil {
				return trace, err
			}
		}
		switch {
		case ended || len(trace.States) == 0:
		case assignment != nil:
			name = assignment[1]
			text.WriteString(assignment[2])
		case name != "":
			text.WriteByte('\n')
			text.WriteString(line)
		}
	}
	if err := lines.Err(); err != nil {
		return trace, fmt.Errorf("tla: reading TLC's output: %w", err)
	}
	if err := finish(); err != nil {
		return trace, err
	}
	if len(trace.States) == 0 {
		return trace, ErrNoTrace
	}
	return trace, nil
}
