package faults

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"redlocklab/sim"
)

// fake is a world that only writes down what is done to it.
type fake struct {
	now      time.Duration
	due      []timed
	observer []func(sim.Event)
	rules    []sim.Rule
	log      []string
	down     map[string]bool
}

type timed struct {
	at time.Duration
	f  func()
}

func newFake() *fake { return &fake{down: map[string]bool{}} }

func (w *fake) Now() time.Duration                        { return w.now }
func (w *fake) Random(stream string, index uint64) uint64 { return sim.Random(7, stream, index) }
func (w *fake) At(t time.Duration, f func())              { w.due = append(w.due, timed{t, f}) }
func (w *fake) Observe(f func(sim.Event))                 { w.observer = append(w.observer, f) }
func (w *fake) AddRule(r sim.Rule)                        { w.rules = append(w.rules, r); w.write(r.Fault, "cut") }
func (w *fake) Handle(name string) NodeHandle             { return fakeNode{w: w, name: name} }
func (w *fake) Actor(name string) ProcessHandle           { return fakeProcess{w: w, name: name} }
func (w *fake) write(fault string, text ...string) {
	w.log = append(w.log, fmt.Sprint(w.now, " ", fault, " ", text))
}

func (w *fake) RemoveRule(name, fault string) {
	w.rules = slices.DeleteFunc(w.rules, func(r sim.Rule) bool { return r.Name == name && r.Fault == fault })
	w.write(fault, "heal")
}

// emit reports an event, as the world does before its effect goes on.
func (w *fake) emit(e sim.Event) {
	for _, f := range w.observer {
		f(e)
	}
}

// advance runs what is due until t, in order of time and then of request.
func (w *fake) advance(t time.Duration) {
	for {
		next := -1
		for i, d := range w.due {
			if d.at <= t && (next < 0 || d.at < w.due[next].at) {
				next = i
			}
		}
		if next < 0 {
			w.now = t
			return
		}
		d := w.due[next]
		w.due = slices.Delete(w.due, next, next+1)
		w.now = max(w.now, d.at)
		d.f()
	}
}

func (w *fake) ResetConnections(among func(client, node string) bool, fault string) {
	for _, c := range []string{"A", "B"} {
		for _, n := range []string{"n1", "n2"} {
			if among(c, n) {
				w.write(fault, "reset", c, n)
			}
		}
	}
}

// fakeNode and fakeProcess panic at what they do not write down.
type fakeNode struct {
	NodeHandle
	w    *fake
	name string
}

func (n fakeNode) Crash(how sim.End, fault string) {
	n.w.down[n.name] = true
	n.w.write(fault, "crash", n.name, string(how))
	n.w.emit(sim.Event{Kind: sim.Crash, Node: n.name, Fault: fault})
}

func (n fakeNode) Restart(fault string) {
	n.w.down[n.name] = false
	n.w.write(fault, "restart", n.name)
	n.w.emit(sim.Event{Kind: sim.Restart, Node: n.name, Fault: fault})
}

func (n fakeNode) WhenClockAdvanced(d time.Duration, f func()) { n.w.At(n.w.now+d, f) }

func (n fakeNode) Operator(fault string, args ...string) string {
	n.w.write(fault, append([]string{"operator", n.name}, args...)...)
	return ""
}

func (n fakeNode) Up() bool { return !n.w.down[n.name] }

func (n fakeNode) StepClock(by time.Duration, fault string) {
	n.w.write(fault, "step", n.name, by.String())
	n.w.emit(sim.Event{Kind: sim.ClockStep, Node: n.name, Duration: by, Fault: fault})
}

func (n fakeNode) SetClockRate(ppm int64, fault string) {
	n.w.write(fault, "rate", n.name, fmt.Sprint(ppm))
}

func (n fakeNode) EndClockRate(fault string) { n.w.write(fault, "rate", n.name, "no more") }

func (n fakeNode) Refuse(why, fault string)     { n.w.write(fault, "refuse", n.name, why) }
func (n fakeNode) Grant(why, fault string)      { n.w.write(fault, "grant", n.name, why) }
func (n fakeNode) Evict(keys int, fault string) { n.w.write(fault, "evict", n.name, fmt.Sprint(keys)) }
func (n fakeNode) Replicate(lag time.Duration)  { n.w.write("start", "replicate", n.name, lag.String()) }
func (n fakeNode) Promote(fault string) {
	n.w.down[n.name] = false
	n.w.write(fault, "promote", n.name)
	n.w.emit(sim.Event{Kind: sim.Restart, Node: n.name, Detail: sim.Promoted, Fault: fault})
}
func (n fakeNode) LoadFor(d time.Duration, fault string) {
	n.w.write(fault, "load", n.name, d.String())
}

func (n fakeNode) SetClockDrift(d sim.Drift, every time.Duration, fault string) {
	n.w.write(fault, drifting(d, every, n.name)...)
}

func (p fakeProcess) SetClockDrift(kind sim.ClockKind, d sim.Drift, every time.Duration, fault string) {
	p.w.write(fault, drifting(d, every, p.name, string(kind))...)
}

// drifting writes the steps of a drift down.
func drifting(d sim.Drift, every time.Duration, whose ...string) []string {
	if d == nil {
		return append(whose, "drifts no more")
	}
	return append(whose, "drifts", every.String(), fmt.Sprint(d(0), d(2), d(8), d(18)))
}

func (n fakeNode) Stop(fault string)     { n.w.write(fault, "stop", n.name) }
func (n fakeNode) Continue(fault string) { n.w.write(fault, "continue", n.name) }

func (n fakeNode) SetService(f func(*sim.Message) time.Duration, fault string) {
	takes := "nothing"
	if f != nil {
		takes = f(&sim.Message{}).String()
	}
	n.w.write(fault, "service", n.name, takes)
}

type fakeProcess struct {
	ProcessHandle
	w    *fake
	name string
}

func (p fakeProcess) SetNotice(f func(int) time.Duration, fault string) {
	late := "nothing"
	if f != nil {
		late = f(1).String()
	}
	p.w.write(fault, "notice", p.name, late)
}

func (p fakeProcess) Pause(fault string) {
	p.w.write(fault, "pause", p.name)
	p.w.emit(sim.Event{Kind: sim.Pause, Process: p.name, Fault: fault})
}

func (p fakeProcess) Resume(fault string)  { p.w.write(fault, "resume", p.name) }
func (p fakeProcess) Suspend(fault string) { p.w.write(fault, "suspend", p.name) }
func (p fakeProcess) Wake(fault string)    { p.w.write(fault, "wake", p.name) }
func (p fakeProcess) Crash(fault string)   { p.w.write(fault, "crash", p.name) }

func (p fakeProcess) StepClock(kind sim.ClockKind, by time.Duration, fault string) {
	p.w.write(fault, "step", p.name, string(kind), by.String())
}

func (p fakeProcess) SetClockRate(kind sim.ClockKind, ppm int64, fault string) {
	p.w.write(fault, "rate", p.name, string(kind), fmt.Sprint(ppm))
}

func (p fakeProcess) EndClockRate(kind sim.ClockKind, fault string) {
	p.w.write(fault, "rate", p.name, string(kind), "no more")
}

func acquired(client string) sim.Event {
	return sim.Event{Kind: sim.Acquired, Process: client, Resource: "r"}
}

func expectLog(t *testing.T, w *fake, want ...string) {
	t.Helper()
	if !slices.Equal(w.log, want) {
		t.Errorf("the world saw\n%q, want\n%q", w.log, want)
	}
}

func TestTriggersFireWhenTheySay(t *testing.T) {
	w := newFake()
	installed := InstallOn(w, schedule(t,
		"{name: by time, crash: n1, at: 2s, restart_after: 1s}",
		"{name: by event, pause: A, when: A acquired, nth: 2, after: 500ms, for: 1s}",
		"{name: by fault, node_clock_step: n2, by: 15s, when: by time ended, after: 10ms}",
		"{name: never, crash: n5, when: B acquired}"))
	w.emit(acquired("A"))
	w.advance(1 * time.Second)
	w.emit(acquired("A"))
	w.emit(acquired("A"))
	w.advance(10 * time.Second)
	expectLog(t, w,
		"1.5s by event [pause A]",
		"2s by time [crash n1 process crash]",
		"2.5s by event [resume A]",
		"3s by time [restart n1]",
		"3.01s by fault [step n2 15s]")
	want := []Count{{"by time", 1, 1, 1}, {"by event", 1, 1, 1}, {"by fault", 1, 1, 0}, {"never", 0, 0, 0}}
	if got := installed.Fired(); !reflect.DeepEqual(got, want) {
		t.Errorf("fired %v, want %v", got, want)
	}
}

func TestPatternsEndOnlyWhatHasBegun(t *testing.T) {
	w := newFake()
	installed := InstallOn(w, schedule(t,
		"{name: cut, partition: A, from: n4 n5, at: 1s, until: A acquired}",
		"{name: down, crash: n3, at: 1s, restart_when: cut ended}"))
	w.emit(acquired("A"))
	w.advance(2 * time.Second)
	expectLog(t, w, "1s cut [cut]", "1s down [crash n3 process crash]")
	w.emit(acquired("A"))
	w.emit(acquired("A"))
	expectLog(t, w, "1s cut [cut]", "1s down [crash n3 process crash]", "2s cut [heal]", "2s down [restart n3]")
	if got := installed.Fired(); got[0].Ended != 1 || got[1].Ended != 1 {
		t.Errorf("fired %v", got)
	}
}

// Both faults wait for A; the first one's crash is an event that a third waits
// for. The third must come behind the second, although its event comes earlier.
func TestCausesComeBeforeConsequences(t *testing.T) {
	w := newFake()
	InstallOn(w, schedule(t,
		"{name: first, crash: n1, when: A acquired}",
		"{name: third, crash: n3, when: n1 crashed}",
		"{name: second, crash: n2, when: A acquired}",
		"{name: fourth, crash: n4, when: third began}"))
	w.emit(acquired("A"))
	expectLog(t, w, "0s first [crash n1 process crash]", "0s second [crash n2 process crash]",
		"0s third [crash n3 process crash]", "0s fourth [crash n4 process crash]")
}

func TestWatchersSeeEventsAndFaults(t *testing.T) {
	w := newFake()
	installed := InstallOn(w, schedule(t, "{name: x, pause: A, for: 2s, when: A acquired, after: 1s}"))
	var calls []string
	for _, trigger := range []Trigger{
		{At: 5 * time.Second},
		{When: Pattern{Fault: "x", Word: "ended"}, Nth: 1, After: time.Second},
		{When: Pattern{Subject: "A", Word: "acquired"}, Nth: 2},
		{When: Pattern{Subject: "B", Word: "acquired"}, Nth: 1},
	} {
		installed.Watch(trigger, func() { calls = append(calls, fmt.Sprint(w.now, trigger.When)) })
	}
	w.emit(acquired("A"))
	w.advance(10 * time.Second)
	w.emit(acquired("A"))
	w.emit(acquired("A"))
	want := []string{"4s x ended", "5s ", "10s A acquired"}
	if !slices.Equal(calls, want) {
		t.Errorf("called %q, want %q", calls, want)
	}
}

func TestEveryKindActs(t *testing.T) {
	untried := slices.DeleteFunc(kindNames(), func(k string) bool { return k == "restart" }) // see TestNodesAreDownAsLongAsAFaultKeepsThemSo
	defer func() {
		if len(untried) > 0 {
			t.Errorf("nobody tries %q", untried)
		}
	}()
	for _, test := range []struct{ line, begin, end string }{
		{"{name: x, crash: n1 n2, end: power loss, at: 0s}", "[0s x [crash n1 power loss] 0s x [crash n2 power loss]]", "[]"},
		{"{name: x, node_clock_step: n1, by: -3s, at: 0s}", "[0s x [step n1 -3s]]", "[]"},
		{"{name: x, node_clock_rate: n1, ppm: 500, at: 0s, for: 1s}", "[0s x [rate n1 500]]", "[1s x [rate n1 no more]]"},
		{"{name: x, client_clock_step: A, clock: wall, by: 3s, at: 0s}", "[0s x [step A wall 3s]]", "[]"},
		{"{name: x, client_clock_rate: A, clock: monotonic, ppm: -5, at: 0s, for: 1s}", "[0s x [rate A monotonic -5]]", "[1s x [rate A monotonic no more]]"},
		{"{name: x, partition: A, from: n1, at: 0s, for: 1s}", "[0s x [cut]]", "[1s x [heal]]"},
		{"{name: x, lose: 50%, at: 0s, for: 1s}", "[0s x [cut]]", "[1s x [heal]]"},
		{"{name: x, delay: 1ms, at: 0s, for: 1s}", "[0s x [cut]]", "[1s x [heal]]"},
		{"{name: x, pause: A B, at: 0s, for: 1s}", "[0s x [pause A] 0s x [pause B]]", "[1s x [resume A] 1s x [resume B]]"},
		{"{name: x, client_crash: A, at: 0s}", "[0s x [crash A]]", "[]"},
		{"{name: x, suspend: A, at: 0s, for: 1s}", "[0s x [suspend A]]", "[1s x [wake A]]"},
		{"{name: x, operator_delete: n1, keys: r, at: 0s}", "[0s x [operator n1 DEL r]]", "[]"},
		{"{name: x, operator_flush: n1, at: 0s}", "[0s x [operator n1 FLUSHALL]]", "[]"},
		{"{name: x, reset: A, at: 0s}", "[0s x [reset A n1] 0s x [reset A n2]]", "[]"},
		{"{name: x, reset: all, to: n2, at: 0s}", "[0s x [reset A n2] 0s x [reset B n2]]", "[]"},
		{"{name: x, black_hole: n1, at: 0s, for: 1s}", "[0s x [cut]]", "[1s x [heal]]"},
		{"{name: x, drip: 1ms, at: 0s, for: 1s}", "[0s x [cut]]", "[1s x [heal]]"},
		{"{name: x, slow_node: n1 n2, by: 5ms, at: 0s, for: 1s}", "[0s x [service n1 5ms] 0s x [service n2 5ms]]", "[1s x [service n1 nothing] 1s x [service n2 nothing]]"},
		{"{name: x, stop_node: n1, at: 0s, for: 1s}", "[0s x [stop n1]]", "[1s x [continue n1]]"},
		{"{name: x, refuse: n1, as: read-only, at: 0s, for: 1s}", "[0s x [refuse n1 read-only]]", "[1s x [grant n1 read-only]]"},
		{"{name: x, evict: n1 n2, count: 3, at: 0s}", "[0s x [evict n1 3] 0s x [evict n2 3]]", "[]"},
		{"{name: x, script_flush: n1, at: 0s}", "[0s x [operator n1 SCRIPT FLUSH]]", "[]"},
		{"{name: x, failover: n1, lag: 1s, promoted_after: 2s, at: 0s}", "[0s start [replicate n1 1s] 0s x [crash n1 process crash]]", "[2s x [promote n1]]"},
		{"{name: x, crash: n1, restart_after: 1s, loading: 2s, at: 0s}", "[0s x [crash n1 process crash]]", "[1s x [restart n1] 1s x [load n1 2s]]"},
		{"{name: x, node_clock_drift: n1, ppm: 1000, period: 16s, for: 9s, at: 0s}", "[0s x [n1 drifts 1s 1000 707 -1000 707]]", "[9s x [n1 drifts no more]]"},
		{"{name: x, client_clock_drift: A, clock: wall, shape: non-ideal, ppm: 3, period: 16s, for: 9s, at: 0s}", "[0s x [A wall drifts 1s -1 1 0 3]]", "[9s x [A wall drifts no more]]"},
		{"{name: x, slow_client: A, by: 5ms, at: 0s, for: 1s}", "[0s x [notice A 5ms]]", "[1s x [notice A nothing]]"},
	} {
		kind, _ := ParseLine(test.line)
		untried = slices.DeleteFunc(untried, func(k string) bool { return k == kind.Effect.Kind() })
		w := newFake()
		InstallOn(w, schedule(t, test.line))
		w.advance(0)
		begun := len(w.log)
		if got := fmt.Sprint(w.log); got != test.begin {
			t.Errorf("%s begins with %s, want %s", test.line, got, test.begin)
		}
		w.advance(time.Minute)
		if got := fmt.Sprint(w.log[begun:]); got != test.end {
			t.Errorf("%s ends with %s, want %s", test.line, got, test.end)
		}
	}
}

func TestFaultsBeginAgain(t *testing.T) {
	for _, test := range []struct {
		line string
		want []string
	}{
		{"{name: x, reset: A, to: n1, at: 1s, every: 2s, repeat: 3}", []string{"1s x [reset A n1]", "3s x [reset A n1]", "5s x [reset A n1]"}},
		{"{name: x, partition: A, from: n1, for: 1s, at: 0s, every: 4s, repeat: 2}", []string{"0s x [cut]", "1s x [heal]", "4s x [cut]", "5s x [heal]"}},
		{"{name: x, reset: A, to: n1, when: A acquired, nth: 2, repeat: 2}", []string{"0s x [reset A n1]", "10s x [reset A n1]"}},
		{"{name: x, reset: A, to: n1, when: A acquired, after: 1s, repeat: 2}", []string{"1s x [reset A n1]", "1s x [reset A n1]"}},
		{"{name: x, reset: A, to: n1, when: A acquired, every: 8s, repeat: 2}", []string{"0s x [reset A n1]", "8s x [reset A n1]"}},
		// A beginning that comes while the fault lasts is left out.
		{"{name: x, pause: A, until: B acquired, at: 1s, every: 3s, repeat: 2}", []string{"1s x [pause A]", "10s x [resume A]", "13s x [pause A]"}},
	} {
		w := newFake()
		installed := InstallOn(w, schedule(t, test.line))
		w.emit(acquired("A"))
		w.emit(acquired("A"))
		w.advance(10 * time.Second)
		w.emit(acquired("A"))
		w.emit(acquired("B"))
		w.emit(acquired("A"))
		w.advance(time.Minute)
		if !slices.Equal(w.log, test.want) {
			t.Errorf("%s: the world saw\n%q, want\n%q", test.line, w.log, test.want)
		}
		begun := 0
		for _, line := range test.want {
			if !strings.Contains(line, "heal") && !strings.Contains(line, "resume") {
				begun++
			}
		}
		if got := installed.Fired()[0].Began; got != begun {
			t.Errorf("%s began %d times, want %d", test.line, got, begun)
		}
	}
}

// A match that comes while the fault lasts costs none of its repetitions.
func TestMatchesWhileItLastsAreLeftOut(t *testing.T) {
	for _, line := range []string{
		"{name: x, pause: A, for: 1s, when: A acquired, repeat: 2}",
		"{name: x, pause: A, for: 1s, when: A acquired, after: 100ms, repeat: 2}",
	} {
		w := newFake()
		installed := InstallOn(w, schedule(t, line))
		w.emit(acquired("A"))
		w.advance(500 * time.Millisecond)
		w.emit(acquired("A")) // it lasts
		for _, t := range []time.Duration{10 * time.Second, 20 * time.Second, time.Minute} {
			w.advance(t)
			w.emit(acquired("A"))
		}
		w.advance(2 * time.Minute)
		if got := installed.Fired()[0]; got.Began != 2 || got.Ended != 2 {
			t.Errorf("%s began %d times and ended %d times, want 2: %q", line, got.Began, got.Ended, w.log)
		}
	}
}

// A fault that finds nothing to act on has begun and not acted.
func TestBeginningsWithoutEffectAreTold(t *testing.T) {
	w := newFake()
	installed := InstallOn(w, schedule(t, "{name: x, crash: n1, at: 0s}", "{name: y, crash: n1, at: 1s}", "{name: z, restart: n1, at: 5s}"))
	w.advance(time.Minute)
	for i, acted := range []int{1, 0, 1} {
		if got := installed.Fired()[i]; got.Began != 1 || got.Acted != acted {
			t.Errorf("%s began %d times and acted %d times, want 1 and %d", got.Fault, got.Began, got.Acted, acted)
		}
	}
}

func TestEndlessRepetitionGoesOn(t *testing.T) {
	w := newFake()
	installed := InstallOn(w, schedule(t, "{name: x, partition: A, from: n1, for: 1s, at: 0s, every: 2s}"))
	w.advance(time.Minute)
	if got := installed.Fired()[0]; got.Began != 31 || got.Ended != 30 {
		t.Errorf("in a minute it began %d times and ended %d times", got.Began, got.Ended)
	}
}

// A node that is down is not crashed again, and comes back when the last fault
// that keeps it down ends; a restart and a promotion do not wait for that.
func TestNodesAreDownAsLongAsAFaultKeepsThemSo(t *testing.T) {
	for _, test := range []struct {
		name  string
		lines []string
		want  []string
		acted []int
	}{
		{"a restart ends all", []string{"{name: x, crash: n1, at: 0s}", "{name: y, crash: n1, at: 1s, restart_after: 1s}", "{name: z, restart: n1, at: 5s}"},
			[]string{"0s x [crash n1 process crash]", "5s z [restart n1]"}, []int{1, 0, 1}},
		{"what a restart ended ends no more", []string{"{name: x, crash: n1, at: 0s, restart_after: 9s}", "{name: v, crash: n1, at: 1s}",
			"{name: z, restart: n1, at: 5s}", "{name: y, crash: n1, at: 6s, restart_after: 5s}"},
			[]string{"0s x [crash n1 process crash]", "5s z [restart n1]", "6s y [crash n1 process crash]", "11s y [restart n1]"}, []int{1, 0, 1, 1}},
		{"the longer one", []string{"{name: x, crash: n1, at: 1s, restart_after: 2s}", "{name: y, crash: n1, at: 2s, restart_after: 8s}"},
			[]string{"1s x [crash n1 process crash]", "10s y [restart n1]"}, []int{1, 1}},
		{"the longer one came first", []string{"{name: x, crash: n1, at: 1s, restart_after: 9s}", "{name: y, crash: n1, at: 2s, restart_after: 1s}"},
			[]string{"1s x [crash n1 process crash]", "10s x [restart n1]"}, []int{1, 0}},
		{"for ever", []string{"{name: x, crash: n1, at: 1s, restart_after: 2s}", "{name: y, crash: n1, at: 2s}"},
			[]string{"1s x [crash n1 process crash]"}, []int{1, 1}},
		{"a crash during a failover", []string{"{name: x, failover: n1, lag: 1s, at: 1s, promoted_after: 8s}", "{name: y, crash: n1, at: 2s, restart_after: 1s}"},
			[]string{"0s start [replicate n1 1s]", "1s x [crash n1 process crash]", "9s x [promote n1]"}, []int{1, 0}},
		{"a failover during a crash", []string{"{name: x, crash: n1, at: 1s, restart_after: 20s}", "{name: y, failover: n1, lag: 1s, at: 2s, promoted_after: 1s}"},
			[]string{"0s start [replicate n1 1s]", "1s x [crash n1 process crash]", "3s y [promote n1]"}, []int{1, 1}},
	} {
		w := newFake()
		installed := InstallOn(w, schedule(t, test.lines...))
		w.advance(time.Minute)
		if !slices.Equal(w.log, test.want) {
			t.Errorf("%s: the world saw\n%q, want\n%q", test.name, w.log, test.want)
		}
		for i, want := range test.acted {
			if got := installed.Fired()[i]; got.Acted != want {
				t.Errorf("%s: %s acted %d times, want %d", test.name, got.Fault, got.Acted, want)
			}
		}
	}
}

func TestRulesJudgeTheRightMessages(t *testing.T) {
	request := sim.Message{Process: "A", Node: "n4", Direction: sim.ToNode, Number: 1}
	reply := sim.Message{Process: "A", Node: "n4", Direction: sim.ToProcess, Number: 1}
	for _, test := range []struct {
		line    string
		message sim.Message
		want    sim.Verdict
	}{
		{"{name: x, partition: A, from: n4 n5, at: 0s}", request, sim.Verdict{Action: sim.Lose}},
		{"{name: x, partition: A, from: n4 n5, at: 0s}", reply, sim.Verdict{Action: sim.Lose}},
		{"{name: x, partition: A, from: n5, at: 0s}", request, sim.Verdict{Action: sim.Pass}},
		{"{name: x, partition: B, from: n4, at: 0s}", request, sim.Verdict{Action: sim.Pass}},
		{"{name: x, partition: all, from: all, at: 0s}", request, sim.Verdict{Action: sim.Lose}},
		{"{name: x, partition: A, from: n4, direction: requests, at: 0s}", request, sim.Verdict{Action: sim.Lose}},
		{"{name: x, partition: A, from: n4, direction: requests, at: 0s}", reply, sim.Verdict{Action: sim.Pass}},
		{"{name: x, partition: A, from: n4, direction: replies, at: 0s}", reply, sim.Verdict{Action: sim.Lose}},
		{"{name: x, partition: A, from: n4, direction: replies, at: 0s}", request, sim.Verdict{Action: sim.Pass}},
		{"{name: x, lose: 100%, nodes: n4, at: 0s}", request, sim.Verdict{Action: sim.Lose}},
		{"{name: x, lose: 100%, nodes: n5, at: 0s}", request, sim.Verdict{Action: sim.Pass}},
		{"{name: x, delay: 7ms, clients: A, at: 0s}", reply, sim.Verdict{Action: sim.Hold, Delay: 7 * time.Millisecond}},
		{"{name: x, delay: 7ms, clients: B, at: 0s}", reply, sim.Verdict{Action: sim.Pass}},
	} {
		w := newFake()
		InstallOn(w, schedule(t, test.line))
		w.advance(0)
		if got := w.rules[0].Judge(&test.message); got != test.want {
			t.Errorf("%s judges %+v as %+v, want %+v", test.line, test.message, got, test.want)
		}
	}
}

func TestChanceGoesByIdentity(t *testing.T) {
	w := newFake()
	InstallOn(w, schedule(t, "{name: x, lose: 30%, at: 0s}", "{name: y, delay: 1ms..9ms, at: 0s}"))
	w.advance(0)
	const messages = 10_000
	lost, requestsAndRepliesAlike := 0, 0
	for n := range messages {
		request := sim.Message{Process: "A", Node: "n1", Direction: sim.ToNode, Number: n}
		reply := sim.Message{Process: "A", Node: "n1", Direction: sim.ToProcess, Number: n}
		for _, rule := range w.rules {
			if rule.Judge(&request) != rule.Judge(&request) {
				t.Fatalf("two answers for one message %d", n)
			}
		}
		if w.rules[0].Judge(&request).Action == sim.Lose {
			lost++
		}
		if w.rules[0].Judge(&request) == w.rules[0].Judge(&reply) {
			requestsAndRepliesAlike++
		}
		if d := w.rules[1].Judge(&request).Delay; d < time.Millisecond || d > 9*time.Millisecond {
			t.Fatalf("message %d is held up for %v", n, d)
		}
	}
	// The standard deviation of the count is 46 messages; six of them bound it.
	if lost < 3000-276 || lost > 3000+276 {
		t.Errorf("%d of %d messages were lost, want about 30 %%", lost, messages)
	}
	// Independent draws agree in 0.3² + 0.7² = 58 % of the messages.
	if requestsAndRepliesAlike < 5800-300 || requestsAndRepliesAlike > 5800+300 {
		t.Errorf("request and reply fare alike in %d of %d messages, want about 58 %%", requestsAndRepliesAlike, messages)
	}
}
