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
