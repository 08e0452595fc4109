package conform

import (
	"slices"
	"strings"
	"time"

	"redlocklab/scenarios/play"
	"redlocklab/sim"
	"redlocklab/tla"
)

// Translate turns a run into events of the specification, one trace per
// resource. Error: *UnmodelledError.
func Translate(result *play.Result) (tla.TraceParameters, []tla.Trace, error) {
	p, err := parameters(result.Plan)
	if err != nil {
		return p, nil, err
	}
	var traces []tla.Trace
	for _, resource := range resources(result.Events) {
		t := &translator{
			resource: resource, timeout: result.Plan.Lock.NodeTimeout, clients: map[string]*client{}, sent: map[int]command{}, keys: map[string]string{},
			lost: lostKeys(result.Events, resource),
		}
		for _, c := range p.Clients {
			t.clients[c] = &client{attempts: map[string]int{}}
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

// resources lists what clients lock, in the order of the first calls.
func resources(events []sim.Event) []string {
	var list []string
	for _, e := range events {
		if e.Kind == sim.Call && e.Detail == "acquire" && !slices.Contains(list, e.Resource) {
			list = append(list, e.Resource)
		}
	}
	return list
}

// lostKeys are the crashes, by number of their event, that took the key away: its
// loss is written when the node is up again.
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

// phase is what a client is doing, as far as the world saw it.
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
	called    time.Duration  // when the acquisition was
	extending bool
}

// command is a request that was sent.
type command struct {
	token string
	get   bool // SET … GET: the answer is the holder
}

type translator struct {
	resource string
	timeout  time.Duration // per node: no attempt sends its first SET later than this after its call
	events   []tla.Event
	clients  map[string]*client
	sent     map[int]command   // by number of the message
	keys     map[string]string // node → token that its key carries; empty is none
	lost     map[int]bool
}

func (t *translator) add(at time.Duration, kind tla.EventKind, name, node string) *tla.Event {
	event := tla.Event{At: at, Kind: kind, Client: name, Node: node}
	t.events = append(t.events, event)
	return &t.events[len(t.events)-1]
}

// take translates one event of the run.
func (t *translator) take(e *sim.Event) error {
	switch e.Kind {
	case sim.Crash:
		if e.Node != "" {
			crash := t.add(e.At, tla.EventCrash, "", e.Node)
			crash.Answer = tla.AnswerKept
			if t.lost[e.Seq] {
				crash.Answer = tla.AnswerForgot
			}
		}
	case sim.ClockStep:
		if e.Node != "" {
			t.add(e.At, tla.EventClockStep, "", e.Node)
		}
	case sim.Revive:
		if e.Key == t.resource {
			return unmodelled("a key that comes back from an old snapshot keeps its old age")
		}
	case sim.Send:
		return t.send(e)
	case sim.Call, sim.Acquired, sim.Failed, sim.Extended:
		if e.Resource == t.resource {
			t.returned(e)
		}
	case sim.Execute, sim.Reply, sim.Expire, sim.NodeCall, sim.Forget:
		if e.Key == t.resource {
			return t.atNode(e)
		}
	}
	return nil
}

// send notes what a command carries. The first SET of a new token begins an
// attempt, the first release of it ends it. The first attempt begins with the
// call, unless it ended, or must have, before it could send any SET.
func (t *translator) send(e *sim.Event) error {
	if e.Key != t.resource {
		return nil
	}
	c := t.clients[e.Process]
	sent := command{token: token(e), get: strings.Contains(strings.ToUpper(e.Detail), " GET ")}
	t.sent[e.Message] = sent
	switch e.Command {
	case "SET", "acquire", "acquire_fenced":
		if _, known := c.attempts[sent.token]; known {
			return nil
		}
		if !c.unbound || e.At-c.called > t.timeout {
			t.start(e.At, e.Process)
		}
		c.attempts[sent.token], c.unbound = c.attempt, false
	case "release", "DELEX":
		attempt, known := c.attempts[sent.token]
		switch {
		case !known && c.unbound: // of an attempt that could not send a SET
			c.attempts[sent.token], c.unbound = c.attempt, false
			t.rest(e.At, e.Process)
		case known && attempt == c.attempt && !c.unbound:
			t.rest(e.At, e.Process)
		}
	case "extend", "DEL", "PEXPIRE":
	case "fence": // raises a counter, and leaves the key as it is
	default:
		return unmodelled("command %s", e.Command)
	}
	return nil
}

// token is the value that a command compares or sets: behind the key, or in a
// script behind its keys: the lock's, and that of a fenced acquisition's counter.
func token(e *sim.Event) string {
	words := strings.Fields(e.Detail)
	place := map[string]int{"SET": 2, "DELEX": 3, "acquire": 4, "acquire_fenced": 5, "extend": 4, "release": 4}[e.Command]
	if place == 0 || place >= len(words) {
		return ""
	}
	return words[place]
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
	c.phase, c.extending = resting, false
}

// returned translates calls and returns of a client.
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

// atNode translates what a node did with the key, and replies of it.
func (t *translator) atNode(e *sim.Event) error {
	before := t.keys[e.Node]
	switch e.Kind {
	case sim.Expire:
		t.keys[e.Node] = ""
		t.add(e.At, tla.EventExpire, "", e.Node)
	case sim.Forget:
		t.keys[e.Node] = ""
	case sim.NodeCall:
		if e.Command == "(removed)" {
			t.keys[e.Node] = ""
			t.add(e.At, tla.EventKeyRemoved, "", e.Node)
		}
	case sim.Execute:
		t.keys[e.Node] = e.Value
		t.executed(e, before)
	case sim.Reply:
		t.replied(e)
	}
	return nil
}

// refused reports an answer that says that nothing was done.
func refused(detail string) bool {
	code, _, _ := strings.Cut(detail, " ")
	return len(code) >= 3 && code == strings.ToUpper(code) && strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// executed translates a command that a node executed and answered.
func (t *translator) executed(e *sim.Event, before string) {
	if refused(e.Detail) || e.Command == "fence" {
		return
	}
	sent := t.sent[e.Message]
	kind, answer := tla.EventDelete, tla.AnswerKept
	switch e.Command {
	case "SET", "acquire", "acquire_fenced":
		kind = tla.EventSet
		switch {
		case !t.yes(e, sent):
			answer = tla.AnswerHeld
		case e.Command != "SET" && before == sent.token, sent.get && e.Detail == sent.token:
			answer = tla.AnswerOwn
		default:
			answer = tla.AnswerWon
		}
	case "extend", "PEXPIRE":
		kind = tla.EventExtend
		switch e.Detail {
		case "1":
			answer = tla.AnswerExtended
		case "-1":
			answer = tla.AnswerToppedUp
		}
	default:
		if e.Detail == "1" {
			answer = tla.AnswerRemoved
		}
	}
	event := t.add(e.At, kind, e.Process, e.Node)
	event.Answer, event.Attempt = answer, t.clients[e.Process].attempts[sent.token]
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

// replied translates an answer that its client reads while it waits for it.
func (t *translator) replied(e *sim.Event) {
	if refused(e.Detail) {
		return
	}
	c, sent := t.clients[e.Process], t.sent[e.Message]
	if c.attempts[sent.token] != c.attempt || c.unbound {
		return
	}
	switch e.Command {
	case "SET", "acquire", "acquire_fenced":
		if c.phase == acquiring && t.yes(e, sent) {
			t.add(e.At, tla.EventVoteRead, e.Process, e.Node)
		}
	case "extend":
		if c.extending && e.Detail == "1" {
			t.add(e.At, tla.EventExtensionRead, e.Process, e.Node)
		}
	}
}
