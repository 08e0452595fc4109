package conform

import (
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
			resource: resource, timeout: result.Plan.Lock.NodeTimeout, longest: p.TTL + p.ClockError,
			leases: map[*sim.Lease]*client{}, senders: map[*sim.Request]*client{},
			reached: map[place][]time.Duration{}, failed: map[place][]time.Duration{},
			lost: lostKeys(result.Events, resource), watchdog: result.Plan.Subject.Option("renewal", "false") == "true",
		}
		var reader sim.Reader
		for step := range reader.Steps(result.Events) {
			if err := t.take(&step); err != nil {
				return p, nil, err
			}
		}
		for _, c := range t.clients {
			if !slices.Contains(p.Clients, c.name) {
				p.Clients = append(p.Clients, c.name)
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

type translator struct {
	resource string
	timeout  time.Duration // per node: no attempt sends its first SET later than this after its call
	longest  time.Duration // that a lease may last after its grant or its last extension
	events   []tla.Event
	clients  []*client // in the order in which they began
	leases   map[*sim.Lease]*client
	senders  map[*sim.Request]*client  // that commands on the key belong to
	reached  map[place][]time.Duration // when something about the key was sent from there to there
	failed   map[place][]time.Duration // when a process gave up a connection or a dial
	watchdog bool                      // extensions have no call in the trace
	lost     map[int]bool
}

func (t *translator) add(at time.Duration, kind tla.EventKind, name, node string) *tla.Event {
	t.events = append(t.events, tla.Event{At: at, Kind: kind, Client: name, Node: node})
	return &t.events[len(t.events)-1]
}

// take translates one event of the run.
func (t *translator) take(step *sim.Step) error {
	e := step.Event
	switch {
	case e.Kind == sim.Crash && e.Node != "":
		crash := t.add(e.At, tla.EventCrash, "", e.Node)
		crash.Answer = tla.AnswerKept
		if t.lost[e.Seq] {
			crash.Answer = tla.AnswerForgot
		}
	case e.Kind == sim.ClockStep && e.Node != "":
		t.add(e.At, tla.EventClockStep, "", e.Node)
	case e.Kind == sim.Close, e.Kind == sim.Refuse, e.Kind == sim.Drop && e.Message == 0:
		from := place{e.Process, e.Node}
		t.failed[from] = append(t.failed[from], e.At)
	case e.Resource == t.resource:
		t.client(step)
	case e.Key == t.resource:
		return t.aboutKey(step)
	}
	return nil
}

// aboutKey translates commands on the key, their answers, and what else happens to
// the key.
func (t *translator) aboutKey(step *sim.Step) error {
	e := step.Event
	switch e.Kind {
	case sim.Send:
		return t.send(step.Request)
	case sim.Execute:
		t.executed(step)
	case sim.Reply:
		t.replied(step)
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

// send translates the sending of a command. The first SET with a new token begins an
// attempt, and the first release of that token ends it. Only the first attempt of a call
// begins with the call. If it had to end before it could send a SET, the SET belongs to
// another attempt.
func (t *translator) send(q *sim.Request) error {
	at, token := q.Sent.At, q.Token()
	c := t.sender(q.Process, token)
	attempt, known := c.attempts[token]
	kind := tla.EventKind("")
	switch sim.PurposeOf(q.Command) {
	case sim.PurposeAcquire:
		kind = tla.EventSetSent
		if known {
			break
		}
		if !c.unbound || at-c.called > t.timeout {
			c = t.start(at, q.Process)
		}
		c.bind(token)
	case sim.PurposeRelease:
		kind = tla.EventDeleteSent
		switch {
		case token == "": // a plain DEL ends no attempt
		case !known && c.unbound: // of an attempt that could not send a SET
			c.bind(token)
			t.rest(at, c)
		case known && attempt == c.attempt && c.phase == acquiring:
			t.rest(at, c)
		}
	case sim.PurposeExtend:
		kind = tla.EventExtendSent
		t.renew(at, c)
	case sim.PurposeRead: // neither begins an attempt nor ends one
	default:
		return unmodelled("command %s", q.Command)
	}
	t.senders[q], attempt = c, c.attempts[token]
	from := place{q.Process, q.Node}
	t.reached[from] = append(t.reached[from], at)
	if kind == tla.EventDeleteSent {
		c.released[released{q.Node, attempt}] = true
	}
	if kind != "" {
		t.add(at, kind, c.name, q.Node).Attempt = attempt
	}
	if kind == tla.EventDeleteSent && c.phase == holding && attempt == c.attempt {
		// It is a lapsed lease that nobody released.
		t.rest(at, c)
	}
	return nil
}

// gets reports whether a command is SET … GET, whose answer is the holder.
func gets(q *sim.Request) bool { return strings.Contains(strings.ToUpper(q.Sent.Detail), " GET ") }

// fenceOf returns the fencing token that a write-back carries; 0 for other commands.
func fenceOf(q *sim.Request) int {
	fence := 0
	if _, behind, found := strings.Cut(q.Sent.Detail, " "+q.Token()+" "); q.Command == "fence" && found {
		fence, _ = strconv.Atoi(strings.Fields(behind)[0])
	}
	return fence
}

// unreached says why a key that expires was not released by the client whose attempt
// is over: for as long as a release waits for a node, it could send nothing to this one, or
// it gave up a connection or a dial, over which the release would have gone.
func (t *translator) unreached(e *sim.Event) {
	for _, c := range t.clients {
		attempt, ours := c.attempts[e.Value]
		ended, over := c.ended[attempt]
		if !ours || !over || c.released[released{e.Node, attempt}] {
			continue
		}
		from := place{c.process, e.Node}
		if within(t.failed[from], ended, t.timeout+timerGrain) || !within(t.reached[from], ended, t.timeout) {
			t.add(e.At, tla.EventUnreached, c.name, e.Node).Attempt = attempt
		}
	}
}

// timerGrain is how much later than its deadline a driver gives up.
const timerGrain = time.Millisecond

func within(instants []time.Duration, from, length time.Duration) bool {
	return slices.ContainsFunc(instants, func(at time.Duration) bool { return at >= from && at <= from+length })
}

// refusal matches an answer that is an error, after which nothing was done.
var refusal = regexp.MustCompile(`^[A-Z]{3,}( |$)`)

// executed translates a command that a node executed.
func (t *translator) executed(step *sim.Step) {
	e, q, before := step.Event, step.Request, step.Change.Before.Value
	fence, token, purpose := fenceOf(q), q.Token(), sim.PurposeOf(q.Command)
	if refusal.MatchString(e.Detail) || purpose == sim.PurposeRead && fence == 0 {
		return
	}
	kind, answer := tla.EventDelete, tla.AnswerKept
	switch purpose {
	case sim.PurposeRead:
		kind = tla.EventFence
		if e.Detail == "1" {
			answer = tla.AnswerRaised
		}
	case sim.PurposeAcquire:
		kind = tla.EventSet
		switch {
		case !yes(e, q):
			answer = tla.AnswerHeld
		case e.Command != "SET" && before == token, gets(q) && e.Detail == token:
			answer = tla.AnswerOwn
		default:
			answer = tla.AnswerWon
		}
	case sim.PurposeExtend:
		kind = tla.EventExtend
		switch {
		case e.Detail == "1":
			answer = tla.AnswerExtended
		case before != token && e.Value == token:
			answer = tla.AnswerToppedUp
		}
	default:
		if e.Detail == "1" {
			answer = tla.AnswerRemoved
		}
	}
	c := t.senders[q]
	event := t.add(e.At, kind, c.name, e.Node)
	event.Answer, event.Attempt, event.Fence = answer, c.attempts[token], fence
}

// yes reports whether an answer to a SET is a vote.
func yes(e *sim.Event, q *sim.Request) bool {
	switch {
	case e.Command == "acquire":
		return e.Detail == "1"
	case e.Command == "acquire_fenced":
		return e.Detail != "-1" // the counter
	case gets(q):
		return e.Detail == "nil" || e.Detail == q.Token()
	}
	return e.Detail == "OK"
}

// replied translates an answer that its client was waiting for.
func (t *translator) replied(step *sim.Step) {
	e, q := step.Event, step.Request
	c := t.senders[q]
	if refusal.MatchString(e.Detail) || c.attempts[q.Token()] != c.attempt || c.unbound {
		return
	}
	switch purpose := sim.PurposeOf(q.Command); {
	case purpose == sim.PurposeAcquire && c.phase == acquiring && yes(e, q):
		t.add(e.At, tla.EventVoteRead, c.name, e.Node)
	case purpose == sim.PurposeExtend && c.extending && e.Detail == "1":
		t.add(e.At, tla.EventExtensionRead, c.name, e.Node)
	}
}
