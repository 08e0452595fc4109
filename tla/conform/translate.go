package conform

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"redlocklab/scenarios/play"
	"redlocklab/sim"
	"redlocklab/tla"
)

// Translate translates a run into events of the specification, one trace per
// resource. The error is an [*UnmodelledError].
func Translate(result *play.Result) (tla.TraceParameters, []tla.Trace, error) {
	p, err := parameters(result.Plan)
	if err != nil {
		return p, nil, err
	}
	var traces []tla.Trace
	for _, resource := range resources(result.Events) {
		t := &translator{
			resource: resource, timeout: result.Plan.Lock.NodeTimeout, clients: map[string]*client{}, sent: map[int]command{},
			lost: lostKeys(result.Events, resource), watchdog: result.Plan.Subject.Option("renewal", "false") == "true",
		}
		for _, c := range p.Clients {
			t.clients[c] = &client{
				attempts: map[string]int{}, ended: map[int]time.Duration{}, sent: map[string][]time.Duration{}, released: map[string]map[int]bool{},
			}
		}
		for i := range result.Events {
			if err := t.take(&result.Events[i]); err != nil {
				return p, nil, err
			}
		}
		traces = append(traces, tla.Trace{Name: resource, Events: t.events})
	}
	return p, traces, nil
}

// resources lists what clients lock, in the order of their first calls.
func resources(events []sim.Event) []string {
	var list []string
	for _, e := range events {
		if e.Kind == sim.Call && e.Detail == "acquire" && !slices.Contains(list, e.Resource) {
			list = append(list, e.Resource)
		}
	}
	return list
}

// lostKeys returns the crashes, by Seq, through which a node lost the key. The trace
// shows the loss only when the node is up again.
func lostKeys(events []sim.Event, resource string) map[int]bool {
	lost := map[int]bool{}
	crashes := map[string]int{} // node → its last crash
	for _, e := range events {
		switch {
		case e.Kind == sim.Crash && e.Node != "":
			crashes[e.Node] = e.Seq
		case e.Kind == sim.Forget && e.Key == resource:
			lost[crashes[e.Node]] = true
		}
	}
	return lost
}

// phase is what a client is doing, as far as the trace shows it.
type phase uint8

const (
	resting phase = iota
	acquiring
	holding
)

type client struct {
	phase     phase
	attempt   int            // number of the current attempt, from 1
	attempts  map[string]int // token → attempt
	unbound   bool           // no SET of the current attempt was sent yet
	called    time.Duration  // when the acquisition was called
	extending bool
	round     time.Duration              // when the watchdog's running extension began; 0: the client's own
	ended     map[int]time.Duration      // attempt → when it was over
	sent      map[string][]time.Duration // node → when something about the key was sent to it
	released  map[string]map[int]bool    // node → attempts whose release was sent to it
}

// command is a request that was sent.
type command struct {
	purpose sim.Purpose
	token   string
	get     bool // SET … GET: the answer is the holder
	fence   int  // of a write-back, its fencing token
}

type translator struct {
	resource string
	timeout  time.Duration // per node: no attempt sends its first SET later than this after its call
	events   []tla.Event
	clients  map[string]*client
	sent     map[int]command // by number of the message
	keys     sim.Keys
	watchdog bool // extensions have no call in the trace
	lost     map[int]bool
}

func (t *translator) add(at time.Duration, kind tla.EventKind, name, node string) *tla.Event {
	t.events = append(t.events, tla.Event{At: at, Kind: kind, Client: name, Node: node})
	return &t.events[len(t.events)-1]
}

// take translates one event of the run.
func (t *translator) take(e *sim.Event) error {
	change, _ := t.keys.Apply(e)
	switch {
	case e.Kind == sim.Crash && e.Node != "":
		crash := t.add(e.At, tla.EventCrash, "", e.Node)
		crash.Answer = tla.AnswerKept
		if t.lost[e.Seq] {
			crash.Answer = tla.AnswerForgot
		}
	case e.Kind == sim.ClockStep && e.Node != "":
		t.add(e.At, tla.EventClockStep, "", e.Node)
	case e.Resource == t.resource:
		t.returned(e)
	case e.Key == t.resource:
		return t.aboutKey(e, change.Before.Value)
	}
	return nil
}

// aboutKey translates commands on the key, their answers, and what else happens to
// the key. before is the token that it had.
func (t *translator) aboutKey(e *sim.Event, before string) error {
	switch e.Kind {
	case sim.Send:
		return t.send(e)
	case sim.Execute:
		t.executed(e, before)
	case sim.Reply:
		t.replied(e)
	case sim.Expire:
		t.unreached(e)
		t.add(e.At, tla.EventExpire, "", e.Node)
	case sim.NodeCall:
		if e.Command == sim.Removal {
			t.add(e.At, tla.EventKeyRemoved, "", e.Node)
		}
	case sim.Revive:
		return unmodelled("a key that comes back from an old snapshot keeps its old age")
	}
	return nil
}

// send notes the purpose and the token of a command. The first SET with a new token
// begins an attempt, and the first release of that token ends it. Only the first
// attempt of a call begins with the call. If it had to end before it could send a
// SET, the SET belongs to another attempt.
func (t *translator) send(e *sim.Event) error {
	c := t.clients[e.Process]
	sent := command{purpose: sim.PurposeOf(e.Command), token: sim.TokenOf(e), get: strings.Contains(strings.ToUpper(e.Detail), " GET ")}
	kind := tla.EventKind("")
	switch sent.purpose {
	case sim.PurposeAcquire:
		kind = tla.EventSetSent
		if _, known := c.attempts[sent.token]; known {
			break
		}
		if !c.unbound || e.At-c.called > t.timeout {
			t.start(e.At, e.Process)
		}
		c.attempts[sent.token], c.unbound = c.attempt, false
	case sim.PurposeRelease:
		kind = tla.EventDeleteSent
		attempt, known := c.attempts[sent.token]
		switch {
		case sent.token == "": // a plain DEL ends no attempt
		case !known && c.unbound: // of an attempt that could not send a SET
			c.attempts[sent.token], c.unbound = c.attempt, false
			t.rest(e.At, e.Process)
		case known && attempt == c.attempt && c.phase == acquiring:
			t.rest(e.At, e.Process)
		}
	case sim.PurposeExtend:
		kind = tla.EventExtendSent
		t.renew(e.At, e.Process)
	case sim.PurposeRead: // neither begins an attempt nor ends one
		if _, behind, found := strings.Cut(e.Detail, " "+sent.token+" "); e.Command == "fence" && found {
			sent.fence, _ = strconv.Atoi(strings.Fields(behind)[0])
		}
	default:
		return unmodelled("command %s", e.Command)
	}
	t.sent[e.Message] = sent
	c.sent[e.Node] = append(c.sent[e.Node], e.At)
	attempt := c.attempts[sent.token]
	if kind == tla.EventDeleteSent {
		if c.released[e.Node] == nil {
			c.released[e.Node] = map[int]bool{}
		}
		c.released[e.Node][attempt] = true
	}
	if kind != "" {
		t.add(e.At, kind, e.Process, e.Node).Attempt = attempt
	}
	if kind == tla.EventDeleteSent && c.phase == holding && attempt == c.attempt { // a lapsed lease that nobody released
		t.rest(e.At, e.Process)
	}
	return nil
}

// renew begins a round of a watchdog with its first request. A round that has taken
// longer than the timeout has failed.
func (t *translator) renew(at time.Duration, name string) {
	c := t.clients[name]
	if !t.watchdog || c.phase != holding || c.extending && at-c.round <= t.timeout {
		return
	}
	if c.extending {
		t.add(at, tla.EventExtendFailed, name, "")
	}
	t.add(at, tla.EventExtendStart, name, "")
	c.extending, c.round = true, at
}

// unreached says why a key that expires was not released by the client whose attempt
// is over: for as long as a release waits for a node, it could send nothing to this one.
func (t *translator) unreached(e *sim.Event) {
	for _, name := range slices.Sorted(maps.Keys(t.clients)) {
		c := t.clients[name]
		attempt, ours := c.attempts[e.Value]
		ended, over := c.ended[attempt]
		reached := slices.ContainsFunc(c.sent[e.Node], func(at time.Duration) bool { return at >= ended && at <= ended+t.timeout })
		if ours && over && !c.released[e.Node][attempt] && !reached {
			t.add(e.At, tla.EventUnreached, name, e.Node).Attempt = attempt
		}
	}
}

func (t *translator) start(at time.Duration, name string) {
	t.rest(at, name)
	c := t.clients[name]
	c.attempt++
	c.phase, c.unbound = acquiring, true
	t.add(at, tla.EventStart, name, "").Attempt = c.attempt
}

// rest ends a client's attempt or lease.
func (t *translator) rest(at time.Duration, name string) {
	c := t.clients[name]
	switch c.phase {
	case acquiring:
		t.add(at, tla.EventGivenUp, name, "")
	case holding:
		t.add(at, tla.EventReleased, name, "")
	}
	if c.phase != resting {
		c.ended[c.attempt] = at
	}
	c.phase, c.extending = resting, false
}

// returned translates the calls and returns of a client.
func (t *translator) returned(e *sim.Event) {
	c := t.clients[e.Process]
	operation, _, _ := strings.Cut(e.Detail, ":")
	switch {
	case e.Kind == sim.Call && operation == "acquire":
		t.start(e.At, e.Process)
		c.called = e.At
	case e.Kind == sim.Call && operation == "release" && c.phase == holding:
		t.rest(e.At, e.Process)
	case e.Kind == sim.Call && operation == "extend" && c.phase == holding:
		t.add(e.At, tla.EventExtendStart, e.Process, "")
		c.extending = true
	case e.Kind == sim.Acquired:
		t.add(e.At, tla.EventGranted, e.Process, "").Left = e.Duration
		c.phase = holding
	case e.Kind == sim.Failed && operation == "acquire" && c.phase == acquiring:
		t.rest(e.At, e.Process)
	case e.Kind == sim.Extended:
		t.add(e.At, tla.EventExtended, e.Process, "").Left = e.Duration
		c.extending = false
	case e.Kind == sim.Failed && operation == "extend" && c.extending:
		t.add(e.At, tla.EventExtendFailed, e.Process, "")
		c.extending = false
	}
}

// refusal matches an answer that is an error, after which nothing was done.
var refusal = regexp.MustCompile(`^[A-Z]{3,}( |$)`)

// executed translates a command that a node executed.
func (t *translator) executed(e *sim.Event, before string) {
	sent := t.sent[e.Message]
	if refusal.MatchString(e.Detail) || sent.purpose == sim.PurposeRead && sent.fence == 0 {
		return
	}
	kind, answer := tla.EventDelete, tla.AnswerKept
	switch sent.purpose {
	case sim.PurposeRead:
		kind = tla.EventFence
		if e.Detail == "1" {
			answer = tla.AnswerRaised
		}
	case sim.PurposeAcquire:
		kind = tla.EventSet
		switch {
		case !t.yes(e, sent):
			answer = tla.AnswerHeld
		case e.Command != "SET" && before == sent.token, sent.get && e.Detail == sent.token:
			answer = tla.AnswerOwn
		default:
			answer = tla.AnswerWon
		}
	case sim.PurposeExtend:
		kind = tla.EventExtend
		switch {
		case e.Detail == "1":
			answer = tla.AnswerExtended
		case before != sent.token && e.Value == sent.token:
			answer = tla.AnswerToppedUp
		}
	default:
		if e.Detail == "1" {
			answer = tla.AnswerRemoved
		}
	}
	event := t.add(e.At, kind, e.Process, e.Node)
	event.Answer, event.Attempt, event.Fence = answer, t.clients[e.Process].attempts[sent.token], sent.fence
}

// yes reports whether the answer to a SET is a vote.
func (t *translator) yes(e *sim.Event, sent command) bool {
	switch {
	case e.Command == "acquire":
		return e.Detail == "1"
	case e.Command == "acquire_fenced":
		return e.Detail != "-1" // the counter
	case sent.get:
		return e.Detail == "nil" || e.Detail == sent.token
	}
	return e.Detail == "OK"
}

// replied translates an answer that its client was waiting for.
func (t *translator) replied(e *sim.Event) {
	if refusal.MatchString(e.Detail) {
		return
	}
	c, sent := t.clients[e.Process], t.sent[e.Message]
	if c.attempts[sent.token] != c.attempt || c.unbound {
		return
	}
	switch sent.purpose {
	case sim.PurposeAcquire:
		if c.phase == acquiring && t.yes(e, sent) {
			t.add(e.At, tla.EventVoteRead, e.Process, e.Node)
		}
	case sim.PurposeExtend:
		if c.extending && e.Detail == "1" {
			t.add(e.At, tla.EventExtensionRead, e.Process, e.Node)
		}
	}
}
