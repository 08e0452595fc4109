package counterexample

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"redlocklab/tla"
)

// UnsupportedError says why the code cannot be led through a counterexample.
type UnsupportedError struct{ Reason string }

func (e *UnsupportedError) Error() string { return e.Reason }

func unsupported(format string, arguments ...any) error {
	return &UnsupportedError{Reason: fmt.Sprintf(format, arguments...)}
}

// Real times of a replay.
const (
	ttl       = 10 * time.Second
	allowance = ttl/100 + 2*time.Millisecond // what SY-0 takes off its validity
	first     = time.Second                  // when the behaviour begins; warm-up is over
	slot      = 10 * time.Millisecond        // between two steps of one tick
	// nodeTimeout is how long an attempt waits for a node, at least.
	nodeTimeout = 5 * slot
	// window is how far from its planned instant a client may send: it makes up
	// for the few round trips that happen before.
	window = time.Millisecond
)

// operation is one call of a client in the replay.
type operation struct {
	kind    string // trylock, extend, release
	client  string // of the model
	process string // that plays it
	call    int    // index of the step that begins it
	decided int    // … that grants it; -1: none
	lost    int    // … that gives it up; -1: none
	// executes says at which step its command executes at a node; deletes, of an
	// attempt that is given up, its releases.
	executes, deletes map[string]int
	retries           map[string]bool // nodes that the driver asks again
}

// schedule is a counterexample with instants.
type schedule struct {
	initial    tla.State
	constants  map[string]string
	steps      []tla.Step
	at         []time.Duration // per step
	operations []*operation
	timeout    time.Duration // per node and round: an attempt that is given up waits for so long
	tick       time.Duration
	oneProcess bool // all attempts of a client in one process
	// bySilence: a round may be granted because of nodes that do not answer, which
	// takes the whole timeout.
	bySilence bool
}

func (s *schedule) number(name string) int {
	n, _ := strconv.Atoi(s.constants[name])
	return n
}

// newSchedule turns the steps of a counterexample into operations with instants.
// Errors: *UnsupportedError, tla.ErrNotRedlock.
func newSchedule(trace tla.ErrorTrace, constants map[string]string) (*schedule, error) {
	steps, err := trace.Steps()
	if err != nil {
		return nil, err
	}
	s := &schedule{
		initial: trace[0], constants: constants, steps: steps, oneProcess: constants["TokenRule"] == `"reused"`,
		bySilence: constants["QuorumRule"] == `"responders"` || constants["AnswerRule"] == `"silence"`,
	}
	s.begin()
	s.crashEarly()
	s.startLate()
	if err := s.read(); err != nil {
		return nil, err
	}
	s.time()
	return s, nil
}

// begin adds steps that the model leaves out: the start of a client that acquires in
// the initial state, and the attempt that sent a release of unknown origin.
func (s *schedule) begin() {
	var added []tla.Step
	for _, client := range s.initial.Keys("client") {
		if s.initial.Field("client", client, "phase") == "acquiring" {
			added = append(added, tla.Step{Action: "Start", Client: client, State: s.initial})
		}
	}
	ended := map[string]bool{}
	for i := range s.steps {
		step := &s.steps[i]
		switch step.Action {
		case "GiveUp", "Release":
			ended[step.Client] = true
		case "ForeignReleaseExecutes":
			if s.oneProcess {
				step.Client = step.Before
			}
			if !ended[step.Client] {
				added = append(added, tla.Step{Action: "Start", Client: step.Client, State: s.initial},
					tla.Step{Action: "GiveUp", Client: step.Client, State: s.initial})
				ended[step.Client] = true
			}
		}
	}
	s.steps = append(added, s.steps...)
}

// read gathers the steps into operations.
func (s *schedule) read() error {
	current := map[string]*operation{} // client → its attempt
	extending := map[string]*operation{}
	ended := map[string]*operation{} // client → its last release, or attempt that was given up
	setter := map[string]string{}    // node → client that set its key last
	attempts := map[string]int{}
	begin := func(kind string, i int) *operation {
		o := &operation{
			kind: kind, client: s.steps[i].Client, call: i, decided: -1, lost: -1,
			executes: map[string]int{}, deletes: map[string]int{}, retries: map[string]bool{},
		}
		if kind == "trylock" && !s.oneProcess || attempts[o.client] == 0 {
			attempts[o.client]++
		}
		o.process = processName(o.client, attempts[o.client])
		s.operations = append(s.operations, o)
		return o
	}
	for i, step := range s.steps {
		c, n := step.Client, step.Node
		if c == "" {
			c = setter[n]
		}
		switch step.Action {
		case "Start":
			current[c] = begin("trylock", i)
		case "SetExecutes":
			current[c].executes[n] = i
			if step.Before == "none" { // else the key is there, with the same token
				setter[n] = c
			}
		case "DriverRetries":
			current[c].retries[n] = true
		case "OwnSetExecutes": // the driver's, when it is due
		case "LateSetExecutes":
			late := s.pending(n)
			if late == nil {
				return unsupported("a SET of an attempt from before the behaviour")
			}
			late.executes[n] = i
			setter[n] = late.client
		case "Decide":
			current[c].decided = i
		case "GiveUp":
			current[c].lost, ended[c] = i, current[c]
		case "Release":
			ended[c] = begin("release", i)
		case "ReleaseExecutes", "ForeignReleaseExecutes":
			if ended[c] == nil {
				return unsupported("a release of an attempt from before the behaviour")
			}
			ended[c].deletes[n] = i
		case "ExtendStart":
			extending[c] = begin("extend", i)
		case "ExtendExecutes", "LateExtendExecutes":
			if extending[c] == nil {
				return unsupported("an extension of an attempt from before the behaviour")
			}
			extending[c].executes[n] = i
			setter[n] = c // it may have been topped up
		case "ExtendDecide":
			extending[c].decided = i
		case "ExtendGiveUp":
			extending[c].lost = i
		case "Expire", "Crash", "ClockSteps", "KeyRemoved":
		default:
			return unsupported("action %s", step.Action)
		}
	}
	return nil
}

// pending finds an attempt that is over and whose SET has not reached a node.
func (s *schedule) pending(node string) *operation {
	for _, o := range s.operations {
		if _, executed := o.executes[node]; o.kind == "trylock" && !executed && o.lost >= 0 {
			return o
		}
	}
	return nil
}

// processName names the process that plays a client's attempt: A, B, …, and A2
// for a second one.
func processName(client string, attempt int) string {
	number, _ := strconv.Atoi(client[1:])
	name := string(rune('A' + number - 1))
	if attempt > 1 {
		name += strconv.Itoa(attempt)
	}
	return name
}

// exact reports whether the replay needs no clock errors: the allowance of the
// model covers its clocks.
func (s *schedule) exact() bool { return s.number("Margin") >= 2*s.number("Drift") }

// time gives every step its instant. An attempt that is given up takes the whole
// timeout, which must be longer than every decided round.
func (s *schedule) time() {
	s.tick = ttl / time.Duration(s.number("TTL"))
	if s.exact() {
		s.tick = ttl / time.Duration(s.number("TTL")-s.number("Drift"))
	}
	s.timeout = nodeTimeout
	if slices.ContainsFunc(s.steps, func(step tla.Step) bool { return step.Action == "DriverRetries" }) {
		s.timeout = 50 * slot // the driver asks again after a fifth of it, when what the first command suffered is over
	}
	for range len(s.steps) + 2 { // each round repairs one attempt at least
		longest := s.assign()
		if longest < s.timeout {
			return
		}
		s.timeout = longest + slot
	}
}

// assign computes the instants for one timeout and returns the longest round that
// is decided.
func (s *schedule) assign() time.Duration {
	s.at = make([]time.Duration, len(s.steps))
	var shift, longest time.Duration
	for i, step := range s.steps {
		s.at[i] = first + time.Duration(step.At)*s.tick + time.Duration(i)*slot + shift
		for _, o := range s.operations {
			switch {
			case o.lost == i, o.decided == i && s.bySilence:
				if late := s.at[o.call] + s.timeout + slot - s.at[i]; late > 0 {
					shift += late
					s.at[i] += late
				}
			case o.decided == i:
				longest = max(longest, s.at[i]-s.at[o.call])
			}
		}
	}
	return longest
}

// nodes lists the nodes' names.
func (s *schedule) nodes() []string { return slices.Sorted(slices.Values(s.initial.Keys("node"))) }

// crashEarly moves every crash before steps of the same tick that it commutes with:
// starts, and commands at other nodes. A crash cuts connections, and loses commands
// that execute later in the model. Their rounds should begin after the crash.
func (s *schedule) crashEarly() {
	for i := range s.steps {
		for j := i; j > 0 && s.steps[j].Action == "Crash"; j-- {
			crash, before := s.steps[j], s.steps[j-1]
			commutes := before.Action == "Start" || before.Action == "SetExecutes" && before.Node != crash.Node
			if !commutes || before.At != crash.At {
				break
			}
			s.steps[j-1], s.steps[j] = crash, before
		}
	}
}

// startLate moves a start after a crash of a later tick, for the same reason, when the
// client does nothing between the two. A later start only makes the lease end later.
func (s *schedule) startLate() {
	for i := range s.steps {
		crash := s.steps[i]
		for j := i - 1; j >= 0 && crash.Action == "Crash"; j-- {
			start := s.steps[j]
			ofStarter := func(step tla.Step) bool { return step.Client == start.Client }
			if start.Action != "Start" || !s.cuts(i, start.Client) || slices.ContainsFunc(s.steps[j+1:i], ofStarter) {
				continue
			}
			start.At = crash.At
			s.steps = slices.Insert(slices.Delete(s.steps, j, j+1), i, start)
			i-- // the crash is one step earlier now
		}
	}
}

// cuts reports whether a crash would lose a command that a client has sent: one that
// executes at that node before the client does anything else.
func (s *schedule) cuts(crash int, client string) bool {
	for _, step := range s.steps[crash+1:] {
		switch {
		case step.Client != client:
		case step.Action != "SetExecutes":
			return false
		case step.Node == s.steps[crash].Node:
			return true
		}
	}
	return false
}
