package tla

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

var traceParameters = TraceParameters{
	Clients: []string{"A", "B"}, Nodes: []string{"n1", "n2", "n3"},
	TTL: 100 * time.Millisecond, ClockError: time.Millisecond, Allowance: 2 * time.Millisecond,
	RestartBar: 120 * time.Millisecond,
}

// script builds a trace from times in ms.
type script struct{ events []Event }

func (s *script) add(ms float64, kind EventKind, client, node string, attempt int, answer Answer) {
	s.events = append(s.events, Event{At: time.Duration(ms * float64(time.Millisecond)), Kind: kind,
		Client: client, Node: node, Attempt: attempt, Answer: answer})
}

// acquire is a whole acquisition on two of the three nodes, from ms on.
func (s *script) acquire(ms float64, client string, attempt int, first, second string) {
	s.add(ms, EventStart, client, "", attempt, "")
	s.add(ms+1, EventSet, client, first, attempt, AnswerWon)
	s.add(ms+2, EventSet, client, second, attempt, AnswerWon)
	s.add(ms+3, EventVoteRead, client, first, 0, "")
	s.add(ms+4, EventVoteRead, client, second, 0, "")
	s.add(ms+4, EventGranted, client, "", 0, "")
}

// story uses every kind of event, and is a behaviour of the specification.
func story() Trace {
	var s script
	s.acquire(0, "A", 1, "n1", "n2")
	s.add(5, EventSet, "A", "n3", 1, AnswerWon) // arrives after the decision
	s.add(6, EventStart, "B", "", 1, "")
	s.add(7, EventSet, "B", "n1", 1, AnswerHeld)
	s.add(8, EventSet, "B", "n2", 1, AnswerHeld)
	s.add(9, EventGivenUp, "B", "", 0, "")
	s.add(10, EventDelete, "B", "n1", 1, AnswerKept)
	s.add(11, EventSet, "A", "n1", 1, AnswerOwn) // a driver's repetition
	s.add(20, EventExtendStart, "A", "", 0, "")
	s.add(21, EventExtend, "A", "n1", 1, AnswerExtended)
	s.add(22, EventExtend, "A", "n3", 1, AnswerExtended)
	s.add(23, EventExtensionRead, "A", "n1", 0, "")
	s.add(24, EventExtensionRead, "A", "n3", 0, "")
	s.add(24, EventExtended, "A", "", 0, "")
	s.add(25, EventExtend, "A", "n2", 1, AnswerExtended) // after the decision
	s.add(30, EventExtendStart, "A", "", 0, "")
	s.add(31, EventExtendFailed, "A", "", 0, "")
	s.add(40, EventReleased, "A", "", 0, "")
	s.add(41, EventDelete, "A", "n1", 1, AnswerRemoved)
	s.add(42, EventDelete, "A", "n2", 1, AnswerRemoved)
	s.add(43, EventDelete, "A", "n3", 1, AnswerRemoved)
	s.add(44, EventSet, "B", "n3", 1, AnswerWon) // of an attempt that was given up
	s.acquire(50, "B", 2, "n1", "n2")
	s.add(60, EventCrash, "", "n3", 0, AnswerForgot)
	// B's lease has lapsed and its keys expired: nobody released.
	s.add(151, EventExpire, "", "n1", 0, "")
	s.acquire(160, "A", 2, "n1", "n2")
	s.add(170, EventClockStep, "", "n1", 0, "")
	s.add(171, EventKeyRemoved, "", "n2", 0, "")
	return Trace{Name: "story", Events: s.events}
}

// edited is the story with its events changed.
func edited(name string, change func(events []Event) []Event) Trace {
	return Trace{Name: name, Events: change(slices.Clone(story().Events))}
}

// without removes the first event that matches.
func without(events []Event, kind EventKind, client, node string) []Event {
	i := slices.IndexFunc(events, func(e Event) bool {
		return e.Kind == kind && e.Client == client && e.Node == node
	})
	return slices.Delete(events, i, i+1)
}

func TestConformAcceptsAStoryAndRejectsMutants(t *testing.T) {
	requireTLC(t)
	// n2 forgets A's key, is barred, and serves B.
	var amnesia script
	amnesia.acquire(0, "A", 1, "n1", "n2")
	amnesia.add(10, EventCrash, "", "n2", 0, AnswerForgot)
	amnesia.acquire(131, "B", 1, "n2", "n3")
	// The same sooner and without the crash: n2 still has A's key.
	var lost script
	lost.acquire(0, "A", 1, "n1", "n2")
	lost.acquire(60, "B", 1, "n3", "n2")
	var earlyHolder script
	earlyHolder.acquire(0, "A", 1, "n1", "n2")
	earlyHolder.acquire(50, "B", 1, "n2", "n3")
	var lateExtension script
	lateExtension.acquire(0, "A", 1, "n1", "n2")
	lateExtension.add(96, EventExtendStart, "A", "", 0, "")
	lateExtension.add(97, EventExtend, "A", "n1", 1, AnswerExtended)
	lateExtension.add(97.5, EventExtend, "A", "n2", 1, AnswerExtended)
	lateExtension.add(98, EventExtensionRead, "A", "n1", 0, "")
	lateExtension.add(99.5, EventExtensionRead, "A", "n2", 0, "")
	lateExtension.add(99.5, EventExtended, "A", "", 0, "")

	cases := []struct {
		trace    Trace
		rejected EventKind // empty: accepted
		client   string
	}{
		{trace: story()},
		{trace: Trace{Name: "empty"}},
		{trace: Trace{Name: "amnesia", Events: amnesia.events}},
		{trace: Trace{Name: "lost crash", Events: lost.events}, rejected: EventSet, client: "B"},
		{trace: edited("vote without SET", func(events []Event) []Event {
			return without(events, EventSet, "A", "n1")
		}), rejected: EventVoteRead, client: "A"},
		{trace: edited("granted by one vote", func(events []Event) []Event {
			return without(events, EventVoteRead, "A", "n2")
		}), rejected: EventGranted, client: "A"},
		{trace: Trace{Name: "early second holder", Events: earlyHolder.events}, rejected: EventSet, client: "B"},
		{trace: edited("wrong owner", func(events []Event) []Event {
			i := slices.IndexFunc(events, func(e Event) bool { return e.Kind == EventDelete && e.Answer == AnswerKept })
			events[i].Answer = AnswerRemoved
			return events
		}), rejected: EventDelete, client: "B"},
		{trace: edited("overstated validity", func(events []Event) []Event {
			i := slices.IndexFunc(events, func(e Event) bool { return e.Kind == EventGranted })
			events[i].Left = traceParameters.TTL - traceParameters.Allowance
			return events
		}), rejected: EventGranted, client: "A"},
		{trace: edited("key that goes early", func(events []Event) []Event {
			i := slices.IndexFunc(events, func(e Event) bool { return e.Kind == EventExtendStart })
			return slices.Insert(events, i, Event{At: events[i].At, Kind: EventExpire, Node: "n1"})
		}), rejected: EventExpire},
		{trace: edited("foreign orphan removed", func(events []Event) []Event {
			i := slices.IndexFunc(events, func(e Event) bool {
				return e.Kind == EventDelete && e.Client == "A" && e.Node == "n2"
			})
			events[i].Client = "B"
			return events
		}), rejected: EventDelete, client: "B"},
		{trace: Trace{Name: "extension after lapse", Events: lateExtension.events}, rejected: EventExtended, client: "A"},
	}
	traces := make([]Trace, len(cases))
	for i, test := range cases {
		traces[i] = test.trace
	}
	done, events := 0, 0
	for _, trace := range traces {
		events += len(trace.Events)
	}
	verdicts, err := CheckTraces(context.Background(), "", traceParameters, traces, func() { done++ })
	if err != nil {
		t.Fatal(err)
	}
	if done != events {
		t.Errorf("%d of %d events were counted as done", done, events)
	}
	for i, test := range cases {
		verdict := verdicts[i]
		switch {
		case test.rejected == "" && !verdict.Accepted:
			t.Errorf("%s: first unexplained: %v", verdict.Name, verdict.Unexplained)
		case test.rejected != "" && verdict.Accepted:
			t.Errorf("%s: accepted", verdict.Name)
		case test.rejected != "" && (verdict.Unexplained.Kind != test.rejected ||
			verdict.Unexplained.Client != test.client):
			t.Errorf("%s: rejected at %v, expected %s of %s", verdict.Name, verdict.Unexplained, test.rejected, test.client)
		}
	}
	for _, action := range TraceActions {
		if verdicts[0].Actions[action] == 0 {
			t.Errorf("the story has no %s", action)
		}
	}
}

func TestTheLongestPrefixCounts(t *testing.T) {
	trace := story()
	printed := []string{`<<"explained", 1, 2, "">>`, `<<"explained", 1, 3, "Start">>`, `<<"explained", 1, 1, "">>`}
	verdicts, err := traceVerdicts(printed, []Trace{trace, {Name: "empty"}})
	if err != nil {
		t.Fatal(err)
	}
	if first := verdicts[0]; first.Accepted || first.Explained != 3 || *first.Unexplained != trace.Events[3] {
		t.Errorf("verdict %+v", first)
	}
	if verdicts[0].Actions["Start"] != 1 {
		t.Errorf("actions %v", verdicts[0].Actions)
	}
	if !verdicts[1].Accepted {
		t.Error("an empty trace is a behaviour")
	}
	if _, err := traceVerdicts([]string{`<<"explained", 3, 1, "">>`}, []Trace{trace}); err == nil {
		t.Error("a trace that is not there was explained")
	}
}

func TestTraceDataIsRefused(t *testing.T) {
	start := Event{Kind: EventStart, Client: "A", Attempt: 1}
	for name, test := range map[string]struct {
		change func(*TraceParameters)
		events []Event
	}{
		"client called none": {change: func(p *TraceParameters) { p.Clients = []string{"none"} }},
		"quote in a name":    {change: func(p *TraceParameters) { p.Nodes = []string{`n"1`} }},
		"no node":            {change: func(p *TraceParameters) { p.Nodes = nil }},
		"allowance of a TTL": {change: func(p *TraceParameters) { p.Allowance = p.TTL }},
		"TTL under 1 ms":     {change: func(p *TraceParameters) { p.TTL = time.Microsecond }},
		"TTL of an hour":     {change: func(p *TraceParameters) { p.TTL = time.Hour }},
		"negative bar":       {change: func(p *TraceParameters) { p.RestartBar = -1 }},
		"unknown client":     {events: []Event{{Kind: EventStart, Client: "C"}}},
		"unknown node":       {events: []Event{{Kind: EventCrash, Node: "n9"}}},
		"unknown kind":       {events: []Event{{Kind: "lapsed", Client: "A"}}},
		"more than a TTL":    {events: []Event{{Kind: EventGranted, Client: "A", Left: time.Hour}}},
		"answer missing":     {events: []Event{{Kind: EventSet, Client: "A", Node: "n1"}}},
		"back in time":       {events: []Event{{At: 2, Kind: EventStart, Client: "A"}, start}},
		"beyond 32 bits":     {events: []Event{{At: time.Hour, Kind: EventStart, Client: "A"}}},
	} {
		parameters := traceParameters
		if test.change != nil {
			test.change(&parameters)
		}
		var refused *TraceDataError
		_, err := traceData(parameters, []Trace{{Name: name, Events: test.events}})
		if !errors.As(err, &refused) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTraceDataRounding(t *testing.T) {
	event := Event{At: 1999 * time.Nanosecond, Kind: EventStart, Client: "A", Attempt: 1}
	text, err := traceData(traceParameters, []Trace{{Name: "t", Events: []Event{event}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"TraceDrift == 1001\n", "<<1,266240,1,0>>", "TraceTTL == 100000\n"} {
		if !strings.Contains(text, line) {
			t.Errorf("%q is missing in\n%s", line, text)
		}
	}
}
