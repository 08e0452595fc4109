package explain

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"redlocklab/sim"
)

// ErrTrace is wrapped by every error about the contents of a trace.
var ErrTrace = errors.New("explain: bad trace")

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

// Trace reads a trace.ndjson one event at a time, without keeping it. It stops at the
// first line that is no event, has an unknown field or kind, or does not follow the
// event before it. The error is a [*LineError], or that of the reader.
func Trace(r io.Reader) iter.Seq2[sim.Event, error] {
	return func(yield func(sim.Event, error) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(make([]byte, 0, 4096), longestLine)
		number := 0
		var at time.Duration
		for lines.Scan() {
			number++
			event, err := parseEvent(lines.Bytes())
			if err == nil {
				err = follows(&event, number, at)
			}
			if err != nil {
				yield(sim.Event{}, &LineError{Line: number, Err: err})
				return
			}
			at = event.At
			if !yield(event, nil) {
				return
			}
		}
		switch err := lines.Err(); {
		case errors.Is(err, bufio.ErrTooLong):
			yield(sim.Event{}, &LineError{Line: number + 1, Err: fmt.Errorf("longer than the allowed %d bytes", longestLine)})
		case err != nil:
			yield(sim.Event{}, fmt.Errorf("explain: reading the trace after line %d: %w", number, err))
		}
	}
}

// ReadTrace reads a whole trace.ndjson. Errors are those of [Trace].
func ReadTrace(r io.Reader) ([]sim.Event, error) {
	var events []sim.Event
	for event, err := range Trace(r) {
		if err != nil {
			return nil, err
		}
		events = append(events, event)
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

// follows checks that an event may follow another: numbers without gaps, times that
// never decrease, known kinds.
func follows(event *sim.Event, seq int, at time.Duration) error {
	if event.Seq != seq {
		return fmt.Errorf("found event %d; allowed: %d", event.Seq, seq)
	}
	if event.At < at {
		return fmt.Errorf("found the time %d ns; allowed: %d ns, that of the event before, or later", event.At, at)
	}
	if !known[event.Kind] {
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
	sim.ClockRate: true, sim.Pause: true, sim.Resume: true, sim.Cut: true, sim.Heal: true, sim.Impair: true, sim.Recover: true,
	sim.Call: true, sim.Acquired: true, sim.Failed: true, sim.Extended: true, sim.Released: true,
	sim.Lapsed: true, sim.Access: true, sim.Done: true,
}
