// Package trace reads a trace.ndjson.
package trace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"redlocklab/sim"
)

// ErrTrace is wrapped by every error about the contents of a trace.
var ErrTrace = errors.New("bad trace")

// LineError is a line of a trace that is not a valid event.
type LineError struct {
	Line int // from 1
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("%v: line %d: %v", ErrTrace, e.Line, e.Err) }

// Unwrap returns [ErrTrace] and the cause.
func (e *LineError) Unwrap() []error { return []error{ErrTrace, e.Err} }

// longestLine is the greatest length of a line, in bytes. Events have some hundred
// bytes; the limit protects the memory from files that are no traces.
const longestLine = 1 << 20

// Read reads a trace.ndjson. It stops at the first line that is no event, has an
// unknown field or kind, or does not follow the event before it, and returns the events
// before that line. The error is a [*LineError], or that of the reader.
func Read(r io.Reader) ([]sim.Event, error) {
	var events []sim.Event
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, longestLine)
	for lines.Scan() {
		event, err := parseEvent(lines.Bytes())
		if err == nil {
			err = Follows(events, &event)
		}
		if err != nil {
			return events, &LineError{Line: len(events) + 1, Err: err}
		}
		events = append(events, event)
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return events, &LineError{Line: len(events) + 1, Err: fmt.Errorf("longer than the allowed %d bytes", longestLine)}
	case err != nil:
		return events, fmt.Errorf("reading the trace after line %d: %w", len(events), err)
	}
	return events, nil
}

func parseEvent(line []byte) (sim.Event, error) {
	var event sim.Event
	if len(bytes.TrimSpace(line)) == 0 {
		return event, errors.New("empty")
	}
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&event); err != nil {
		return event, fmt.Errorf("not an event: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return event, errors.New("more than one JSON value")
	}
	return event, nil
}

// Follows checks that an event may follow others: numbers without gaps, times that
// never decrease, known kinds.
func Follows(before []sim.Event, event *sim.Event) error {
	at := time.Duration(0)
	if n := len(before); n > 0 {
		at = before[n-1].At
	}
	switch {
	case event.Seq != len(before)+1:
		return fmt.Errorf("found event %d; allowed: %d", event.Seq, len(before)+1)
	case event.At < at:
		return fmt.Errorf("found the time %d ns; allowed: %d ns, that of the event before, or later", event.At, at)
	case !known[event.Kind]:
		return fmt.Errorf("found the unknown kind of event %q", event.Kind)
	}
	return nil
}

// known is the closed set of kinds.
var known = map[sim.Kind]bool{
	sim.Dial: true, sim.Connect: true, sim.Refuse: true, sim.Send: true, sim.Deliver: true, sim.Execute: true,
	sim.Reply: true, sim.Drop: true, sim.Delay: true, sim.Reset: true, sim.Expire: true, sim.Timer: true,
	sim.Close: true, sim.NodeCall: true,
	sim.Crash: true, sim.Restart: true, sim.Forget: true, sim.Revive: true, sim.ClockStep: true,
	sim.ClockRate: true, sim.Pause: true, sim.Resume: true, sim.Cut: true, sim.Heal: true, sim.Impair: true, sim.Recover: true, sim.Moved: true, sim.ResourceRestart: true,
	sim.Call: true, sim.Acquired: true, sim.Failed: true, sim.Extended: true, sim.Released: true,
	sim.Lapsed: true, sim.Access: true, sim.Done: true,
}
