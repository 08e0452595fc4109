package tla

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// EventKind is what happened at one instant of a trace.
type EventKind string

// The kinds of events, each with the action of Redlock.tla that must explain it.
const (
	EventStart         EventKind = "start"          // Attempt: the clock is read before the first send
	EventSet           EventKind = "set"            // Attempt: a SET NX executed
	EventVoteRead      EventKind = "vote read"      // the client counts the node's vote
	EventGranted       EventKind = "granted"        // the deciding reply
	EventGivenUp       EventKind = "given up"       // the attempt is lost or cancelled
	EventReleased      EventKind = "released"       // the call of release
	EventDelete        EventKind = "delete"         // Attempt: a compare-and-delete executed
	EventExtendStart   EventKind = "extend start"   // the call of an extension
	EventExtend        EventKind = "extend"         // Attempt: a compare-and-pexpire executed
	EventExtensionRead EventKind = "extension read" // the client counts the node's extension
	EventExtended      EventKind = "extended"       // the deciding reply of an extension
	EventExtendFailed  EventKind = "extend failed"  // the extension is lost or cancelled
	EventExpire        EventKind = "expire"         // the key's time has run out
	EventCrash         EventKind = "crash"          // the process or the power is gone
	EventClockStep     EventKind = "clock step"     // the node's clock jumped forward past the TTL
	EventKeyRemoved    EventKind = "key removed"    // a third party removed the key
	EventSetSent       EventKind = "set sent"       // Attempt: a SET leaves the client
	EventDeleteSent    EventKind = "delete sent"    // Attempt: a release leaves the client
	EventExtendSent    EventKind = "extend sent"    // Attempt: an extension leaves the client
	EventFence         EventKind = "fence"          // Attempt: a write-back of Fence to the counter executed
	EventUnreached     EventKind = "unreached"      // Attempt: since its end nothing could be sent to the node
)

// All kinds of events; those that are not about a client, or not about a node; and the
// answers of those that have one.
var (
	eventKinds = []EventKind{
		EventStart, EventSet, EventVoteRead, EventGranted, EventGivenUp, EventReleased, EventDelete,
		EventExtendStart, EventExtend, EventExtensionRead, EventExtended, EventExtendFailed, EventExpire, EventCrash,
		EventClockStep, EventKeyRemoved, EventSetSent, EventDeleteSent, EventExtendSent, EventFence, EventUnreached,
	}
	clientless = []EventKind{EventExpire, EventCrash, EventClockStep, EventKeyRemoved}
	nodeless   = []EventKind{
		EventStart, EventGranted, EventGivenUp, EventReleased, EventExtendStart, EventExtended, EventExtendFailed,
	}
	answersTo = map[EventKind][]Answer{
		EventSet:    {AnswerWon, AnswerOwn, AnswerHeld},
		EventDelete: {AnswerRemoved, AnswerKept},
		EventExtend: {AnswerExtended, AnswerToppedUp, AnswerKept},
		EventCrash:  {AnswerForgot, AnswerKept},
		EventFence:  {AnswerRaised, AnswerKept},
	}
)

// TraceActions are the actions of Redlock.tla that traces of the running code can
// be: a set of traces covers the specification when each explained an event. The
// one left out, ForeignReleaseExecutes, is a mutant's; Advance is in the instants.
var TraceActions = []string{
	"Start", "SetExecutes", "LateSetExecutes", "Decide", "GiveUp", "Release", "ReleaseExecutes",
	"ExtendStart", "ExtendExecutes", "LateExtendExecutes", "ExtendDecide", "ExtendGiveUp",
	"Expire", "Crash", "ClockSteps", "KeyRemoved",
}

// Answer is what a node answered to a command.
type Answer string

// The answers; to a crash, what became of the key.
const (
	AnswerWon      Answer = "won"
	AnswerOwn      Answer = "own" // the key already carried this attempt's token
	AnswerHeld     Answer = "held"
	AnswerRemoved  Answer = "removed"
	AnswerExtended Answer = "extended"
	AnswerToppedUp Answer = "topped up" // the key was missing, and is there again
	AnswerKept     Answer = "kept"
	AnswerForgot   Answer = "forgot"
	AnswerRaised   Answer = "raised" // the counter is the fencing token now
)

var answers = []Answer{
	AnswerWon, AnswerOwn, AnswerHeld, AnswerRemoved, AnswerExtended, AnswerToppedUp, AnswerKept, AnswerForgot,
	AnswerRaised,
}

// Event is one abstract event of a lock on one resource.
type Event struct {
	At      time.Duration // true time since the start of the trace
	Kind    EventKind
	Client  string
	Node    string
	Attempt int // of the client, from 1: which token the command carried
	Answer  Answer
	// Left is what the client says that its lease has left, on its own clock: of
	// EventGranted and EventExtended. The specification holds it to the validity
	// since the start of the round; 0 claims nothing.
	Left time.Duration
	// Fence is the fencing token that an EventFence writes back.
	Fence int
}

func (e Event) String() string {
	text := fmt.Sprintf("%s %s", e.At, e.Kind)
	for _, part := range []string{e.Client, e.Node, string(e.Answer)} {
		text = strings.TrimSuffix(text+" "+part, " ")
	}
	if e.Attempt > 0 {
		text += fmt.Sprintf(" (attempt %d)", e.Attempt)
	}
	if e.Fence > 0 {
		text += fmt.Sprintf(" (fencing token %d)", e.Fence)
	}
	if e.Left > 0 {
		text += fmt.Sprintf(" (%s left)", e.Left)
	}
	return text
}

// Trace is one run on one resource, ordered by time.
type Trace struct {
	Name   string
	Events []Event
}

// TraceParameters are the constants that the traces of one run of TLC share.
type TraceParameters struct {
	Clients, Nodes []string
	TTL            time.Duration
	ClockError     time.Duration // of any clock over one TTL; traceData adds 1 µs for rounding
	Allowance      time.Duration // what the client takes off its validity
	RestartBar     time.Duration // after a crash, on the true clock; 0 restarts at once
	Guarded        bool          // during RestartBar votes do not count; false: the node is away
	Strict         bool          // a SET leaves only for an attempt that runs, or a lease that has not lapsed
	Fenced         bool          // a lease is granted when a quorum of counters has its fencing token
}

// TraceDataError says what of a trace cannot be written as TLA+ data.
type TraceDataError struct {
	Trace  string // empty: the parameters
	Event  int    // from 0
	Reason string
}

func (e *TraceDataError) Error() string {
	return fmt.Sprintf("tla: trace %q, event %d: %s", e.Trace, e.Event, e.Reason)
}

// rounding is the error that rounding down to µs adds to a difference of times.
const rounding = time.Microsecond

// traceData is the module TraceData for TraceRedlock.tla. Instants are rounded down
// to µs; one trace spans at most 2^31 µs (35 minutes), because TLC's integers have 32
// bits. Error: *TraceDataError.
func traceData(p TraceParameters, traces []Trace) (string, error) {
	if err := p.validate(traces); err != nil {
		return "", err
	}
	maxFaults := 0
	var packed []string
	for _, trace := range traces {
		maxFaults = max(maxFaults, len(trace.Events))
		var events []string
		for _, e := range trace.Events {
			number := e.Left.Microseconds() + int64(e.Fence) // an event has one of the two
			events = append(events, fmt.Sprintf("%d,%d,%d,%d", e.At.Microseconds(), p.pack(e), e.Attempt, number))
		}
		packed = append(packed, "<<"+strings.Join(events, ",\n")+">>")
	}
	restart := "barred"
	if p.Guarded {
		restart = "guarded"
	}
	var text strings.Builder
	fmt.Fprintf(&text, "---- MODULE TraceData ----\nTraceClients == {%s}\nTraceNodes == {%s}\n", quoted(p.Clients), quoted(p.Nodes))
	fmt.Fprintf(&text, "TraceTTL == %d\nTraceDrift == %d\nTraceMargin == %d\nTraceMaxFaults == %d\n",
		p.TTL.Microseconds(), (p.ClockError + rounding).Microseconds(), p.Allowance.Microseconds(), maxFaults)
	fmt.Fprintf(&text, "TraceRestartRule == %q\nTraceRestartTicks == %d\nTraceStrict == %s\nTraceFenced == %s\n", restart, p.RestartBar.Microseconds(),
		strings.ToUpper(strconv.FormatBool(p.Strict)), strings.ToUpper(strconv.FormatBool(p.Fenced)))
	fmt.Fprintf(&text, "KindNames == <<%s>>\nClientNames == <<%s>>\nNodeNames == <<%s>>\nAnswerNames == <<%s>>\n",
		quoted(eventKinds), quoted(p.Clients), quoted(p.Nodes), quoted(answers))
	fmt.Fprintf(&text, "Packed == <<\n%s\n>>\n====\n", strings.Join(packed, ",\n"))
	return text.String(), nil
}

// packing is the base in which pack writes names; TraceRedlock.tla reads them.
const packing = 64

// pack writes kind, client, node and answer as one number. Each is its index in its list
// from 1, or 0 for none. TLC would take longer to parse traces in words than to check them.
func (p TraceParameters) pack(e Event) int {
	code := slices.Index(eventKinds, e.Kind) + 1
	code = code*packing + slices.Index(p.Clients, e.Client) + 1
	code = code*packing + slices.Index(p.Nodes, e.Node) + 1
	return code*packing + slices.Index(answers, e.Answer) + 1
}

// quoted lists names as TLA+ strings.
func quoted[S ~string](names []S) string {
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = fmt.Sprintf("%q", name)
	}
	return strings.Join(texts, ", ")
}

// validate reports the first constant or event that TraceRedlock.tla could not read.
func (p TraceParameters) validate(traces []Trace) error {
	reason := ""
	switch {
	case len(p.Clients) == 0 || len(p.Nodes) == 0:
		reason = "no clients or no nodes"
	case len(p.Clients) >= packing || len(p.Nodes) >= packing:
		reason = fmt.Sprintf("%d clients and %d nodes", len(p.Clients), len(p.Nodes))
	case p.TTL < time.Millisecond || p.TTL.Microseconds() > math.MaxInt32/4:
		reason = fmt.Sprintf("TTL %s", p.TTL)
	case p.ClockError < 0 || p.ClockError >= p.TTL || p.Allowance < 0 || p.Allowance >= p.TTL:
		reason = fmt.Sprintf("clock error %s or allowance %s against a TTL of %s", p.ClockError, p.Allowance, p.TTL)
	case p.RestartBar < 0 || p.RestartBar.Microseconds() > math.MaxInt32/4:
		reason = fmt.Sprintf("restart bar %s", p.RestartBar)
	}
	for _, name := range append(slices.Clone(p.Clients), p.Nodes...) {
		if name == "none" || name == "orphan" || name == "" || strings.ContainsAny(name, "\"\\\n\r\t") {
			reason = fmt.Sprintf("name %q", name)
		}
	}
	if reason != "" {
		return &TraceDataError{Reason: reason}
	}
	for _, trace := range traces {
		before := time.Duration(0)
		for i, event := range trace.Events {
			if reason := p.invalid(event, before); reason != "" {
				return &TraceDataError{Trace: trace.Name, Event: i, Reason: reason}
			}
			before = event.At
		}
	}
	return nil
}

// invalid says what is wrong with an event that follows one at the instant before.
func (p TraceParameters) invalid(event Event, before time.Duration) string {
	switch allowed := answersTo[event.Kind]; {
	case !slices.Contains(eventKinds, event.Kind):
		return fmt.Sprintf("kind %q", event.Kind)
	case event.At < before:
		return fmt.Sprintf("at %s after %s", event.At, before)
	case event.At.Microseconds() > math.MaxInt32:
		return fmt.Sprintf("at %s, beyond 32 bits of µs", event.At)
	case !slices.Contains(clientless, event.Kind) && !slices.Contains(p.Clients, event.Client):
		return fmt.Sprintf("client %q", event.Client)
	case !slices.Contains(nodeless, event.Kind) && !slices.Contains(p.Nodes, event.Node):
		return fmt.Sprintf("node %q", event.Node)
	case allowed != nil && !slices.Contains(allowed, event.Answer):
		return fmt.Sprintf("answer %q to %s", event.Answer, event.Kind)
	case event.Left < 0 || event.Left > 2*p.TTL:
		return fmt.Sprintf("%s left of a lease", event.Left)
	case event.Fence < 0 || event.Fence > 0 && (event.Kind != EventFence || event.Fence > math.MaxInt32):
		return fmt.Sprintf("fencing token %d", event.Fence)
	}
	return ""
}
