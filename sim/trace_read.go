package sim

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
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

// ReadTrace reads a trace.ndjson. It stops at the first line that is no event, has an
// unknown field or kind, or does not follow the event before it, and returns the events
// before that line. The error is a [*LineError], or that of the reader.
func ReadTrace(r io.Reader) ([]Event, error) {
	var events []Event
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

func parseEvent(line []byte) (Event, error) {
	var event Event
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
func Follows(before []Event, event *Event) error {
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
var known = map[Kind]bool{
	Dial: true, Connect: true, Refuse: true, Send: true, Deliver: true, Execute: true,
	Reply: true, Drop: true, Delay: true, Reset: true, Expire: true, Timer: true,
	Close: true, NodeCall: true,
	Crash: true, Restart: true, Forget: true, Revive: true, ClockStep: true,
	ClockRate: true, Pause: true, Resume: true, Cut: true, Heal: true, Impair: true, Recover: true,
	Moved: true, ResourceRestart: true,
	Call: true, Acquired: true, Failed: true, Extended: true, Released: true,
	Lapsed: true, Access: true, Done: true,
}
