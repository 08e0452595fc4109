package tla

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"
)

// EventKind is what happened at one instant of a trace.
type EventKind string

// The kinds of events, each with the action of Redlock.tla that must explain
// it. Client and Node say which of the two fields of Event the kind needs.
const (
	EventStart         EventKind = "start"          // Client, Attempt: the clock is read before the first send
	EventSet           EventKind = "set"            // Client, Node, Attempt, Answer: a SET NX executed
	EventVoteRead      EventKind = "vote read"      // Client, Node: the client counts the node's vote
	EventGranted       EventKind = "granted"        // Client: the deciding reply
	EventGivenUp       EventKind = "given up"       // Client: the attempt is lost or cancelled
	EventReleased      EventKind = "released"       // Client: the call of release
	EventDelete        EventKind = "delete"         // Client, Node, Attempt, Answer: a compare-and-delete executed
	EventExtendStart   EventKind = "extend start"   // Client
	EventExtend        EventKind = "extend"         // Client, Node, Attempt, Answer: a compare-and-pexpire executed
	EventExtensionRead EventKind = "extension read" // Client, Node: the client counts the node's extension
	EventExtended      EventKind = "extended"       // Client: the deciding reply of an extension
	EventExtendFailed  EventKind = "extend failed"  // Client
	EventExpire        EventKind = "expire"         // Node: the key's time has run out
	EventCrash         EventKind = "crash"          // Node, Answer: the process or the power is gone
	EventClockStep     EventKind = "clock step"     // Node: its clock jumped forward past the TTL
	EventKeyRemoved    EventKind = "key removed"    // Node: a third party removed the key
)

// EventKinds lists every kind.
var EventKinds = []EventKind{
	EventStart, EventSet, EventVoteRead, EventGranted, EventGivenUp, EventReleased, EventDelete,
	EventExtendStart, EventExtend, EventExtensionRead, EventExtended, EventExtendFailed,
	EventExpire, EventCrash, EventClockStep, EventKeyRemoved,
}

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

// The answers to SET (won, own, held), delete (removed, kept) and extend
// (extended, topped up, kept); of a crash, what became of the key (forgot, kept).
const (
	AnswerWon      Answer = "won"
	AnswerOwn      Answer = "own" // the key already carried this attempt's token
	AnswerHeld     Answer = "held"
	AnswerRemoved  Answer = "removed"
	AnswerExtended Answer = "extended"
	AnswerToppedUp Answer = "topped up" // the key was missing, and is there again
	AnswerKept     Answer = "kept"
	AnswerForgot   Answer = "forgot"
)

var answersOf = map[EventKind][]Answer{
	EventSet:    {AnswerWon, AnswerOwn, AnswerHeld},
	EventDelete: {AnswerRemoved, AnswerKept},
	EventExtend: {AnswerExtended, AnswerToppedUp, AnswerKept},
	EventCrash:  {AnswerForgot, AnswerKept},
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
}

func (e Event) String() string {
	text := fmt.Sprintf("%s %s", e.At, e.Kind)
	for _, part := range []string{e.Client, e.Node, string(e.Answer)} {
		if part != "" {
			text += " " + part
		}
	}
	if e.Attempt > 0 {
		text += fmt.Sprintf(" (attempt %d)", e.Attempt)
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
	ClockError     time.Duration // of any clock over one TTL; WriteTraceData adds 1 µs for rounding
	Allowance      time.Duration // what the client takes off its validity
	RestartBar     time.Duration // after a crash, on the true clock; 0 restarts at once
	Guarded        bool          // during RestartBar votes do not count; false: the node is away
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

// WriteTraceData writes the module TraceData for TraceRedlock.tla. Instants are
// rounded down to µs; one trace spans at most 2^31 µs (35 minutes), because
// TLC's integers have 32 bits. Error: *TraceDataError, or of the writer.
func WriteTraceData(out io.Writer, parameters TraceParameters, traces []Trace) error {
	if err := parameters.validate(); err != nil {
		return err
	}
	maxFaults := 0
	for _, trace := range traces {
		if err := parameters.validateTrace(trace); err != nil {
			return err
		}
		maxFaults = max(maxFaults, len(trace.Events))
	}
	restart := "barred"
	if parameters.Guarded {
		restart = "guarded"
	}
	text := bufio.NewWriter(out)
	fmt.Fprintf(text, "---- MODULE TraceData ----\nTraceClients == %s\nTraceNodes == %s\n",
		stringSet(parameters.Clients), stringSet(parameters.Nodes))
	fmt.Fprintf(text, "TraceTTL == %d\nTraceDrift == %d\nTraceMargin == %d\nTraceMaxFaults == %d\n",
		parameters.TTL.Microseconds(), (parameters.ClockError + rounding).Microseconds(),
		parameters.Allowance.Microseconds(), maxFaults)
	fmt.Fprintf(text, "TraceRestartRule == %q\nTraceRestartTicks == %d\n", restart, parameters.RestartBar.Microseconds())
	fmt.Fprintf(text, "KindNames == %s\nClientNames == %s\nNodeNames == %s\nAnswerNames == %s\n",
		stringTuple(kindNames()), stringTuple(parameters.Clients), stringTuple(parameters.Nodes), stringTuple(answerNames()))
	fmt.Fprint(text, "Packed == <<")
	for i, trace := range traces {
		separator := ","
		if i == 0 {
			separator = ""
		}
		fmt.Fprintf(text, "%s\n<<", separator)
		for j, event := range trace.Events {
			if j > 0 {
				fmt.Fprint(text, ",\n")
			}
			fmt.Fprintf(text, "%d,%d,%d,%d", event.At.Microseconds(), parameters.pack(event), event.Attempt, event.Left.Microseconds())
		}
		fmt.Fprint(text, ">>")
	}
	fmt.Fprint(text, "\n>>\n====\n")
	if err := text.Flush(); err != nil {
		return fmt.Errorf("tla: write TraceData: %w", err)
	}
	return nil
}

// packing is the base in which pack writes names; TraceRedlock.tla reads them.
const packing = 64

// pack writes kind, client, node and answer as one number, each as its place in
// its list from 1, 0 for none: TLC's parser takes longer than its checker for
// traces that are written out.
func (p TraceParameters) pack(event Event) int {
	code := 0
	for _, place := range []int{
		slices.Index(kindNames(), string(event.Kind)), slices.Index(p.Clients, event.Client),
		slices.Index(p.Nodes, event.Node), slices.Index(answerNames(), string(event.Answer)),
	} {
		code = code*packing + place + 1
	}
	return code
}

func kindNames() []string {
	names := make([]string, len(EventKinds))
	for i, kind := range EventKinds {
		names[i] = string(kind)
	}
	return names
}

func answerNames() []string {
	var names []string
	for _, kind := range EventKinds {
		for _, answer := range answersOf[kind] {
			if !slices.Contains(names, string(answer)) {
				names = append(names, string(answer))
			}
		}
	}
	return names
}

func stringTuple(names []string) string { return "<<" + quoted(names) + ">>" }

func stringSet(names []string) string { return "{" + quoted(names) + "}" }

func quoted(names []string) string {
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = fmt.Sprintf("%q", name)
	}
	return strings.Join(texts, ", ")
}

func (p TraceParameters) validate() error {
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
	return nil
}

func (p TraceParameters) validateTrace(trace Trace) error {
	before := time.Duration(0)
	for i, event := range trace.Events {
		if reason := p.invalid(event, before); reason != "" {
			return &TraceDataError{Trace: trace.Name, Event: i, Reason: reason}
		}
		before = event.At
	}
	return nil
}

func (p TraceParameters) invalid(event Event, before time.Duration) string {
	needsClient := !slices.Contains([]EventKind{EventExpire, EventCrash, EventClockStep, EventKeyRemoved}, event.Kind)
	needsNode := !needsClient || answersOf[event.Kind] != nil ||
		event.Kind == EventVoteRead || event.Kind == EventExtensionRead
	switch {
	case !slices.Contains(EventKinds, event.Kind):
		return fmt.Sprintf("kind %q", event.Kind)
	case event.At < before:
		return fmt.Sprintf("at %s after %s", event.At, before)
	case event.At.Microseconds() > math.MaxInt32:
		return fmt.Sprintf("at %s, beyond 32 bits of µs", event.At)
	case needsClient && !slices.Contains(p.Clients, event.Client):
		return fmt.Sprintf("client %q", event.Client)
	case needsNode && !slices.Contains(p.Nodes, event.Node):
		return fmt.Sprintf("node %q", event.Node)
	case answersOf[event.Kind] != nil && !slices.Contains(answersOf[event.Kind], event.Answer):
		return fmt.Sprintf("answer %q to %s", event.Answer, event.Kind)
	case event.Left < 0 || event.Left > 2*p.TTL:
		return fmt.Sprintf("%s left of a lease", event.Left)
	}
	return ""
}
