package conform

import (
	"errors"
	"slices"
	"testing"

	"redlocklab/scenarios"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/tla"
)

func planOf(t *testing.T, scenario, subject string, seed uint64) *plan.Plan {
	t.Helper()
	suite, err := scenarios.Suite()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range suite {
		if s.Name == scenario {
			plan, err := s.Plan(subject, seed)
			if err != nil {
				t.Fatal(err)
			}
			return plan
		}
	}
	t.Fatalf("no scenario %s", scenario)
	return nil
}

func translated(t *testing.T, scenario, subject string) (tla.TraceParameters, []tla.Event) {
	t.Helper()
	result, err := play.Run(planOf(t, scenario, subject, 7), play.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p, traces, err := Translate(result)
	if err != nil {
		t.Fatal(err)
	}
	if len(traces) != 1 || traces[0].Name != "r" {
		t.Fatalf("%d traces", len(traces))
	}
	return p, traces[0].Events
}

// The story of BA-2 in the specification's words.
func TestTranslateForgottenVote(t *testing.T) {
	for _, subject := range []string{"SY-0", "SY-10 unguarded"} {
		p, events := translated(t, "BA-2", subject)
		if len(p.Clients) != 2 || len(p.Nodes) != 5 || p.Guarded || p.RestartBar != 0 {
			t.Errorf("%s: parameters %+v", subject, p)
		}
		var story []string
		for _, e := range events {
			if e.Kind == tla.EventStart || e.Kind == tla.EventGranted || e.Kind == tla.EventCrash ||
				e.Kind == tla.EventReleased || e.Node == "n3" && e.Answer == tla.AnswerWon {
				story = append(story, string(e.Kind)+" "+e.Client+e.Node+" "+string(e.Answer))
			}
		}
		want := []string{"start A ", "set An3 won", "granted A ", "crash n3 forgot", "start B ", "set Bn3 won", "granted B ", "released B ", "released A "}
		if !slices.Equal(story, want) {
			t.Errorf("%s: %q", subject, story)
		}
	}
	if p, _ := translated(t, "BA-2", "SY-10 guarded"); !p.Guarded || p.RestartBar == 0 {
		t.Errorf("guarded: %+v", p)
	}
}

// An attempt whose connection never comes up sends no SET. It ends with its
// release, and the next one begins with a SET of its own: in MX-7-n1, B's.
func TestTranslateAttemptWithoutSet(t *testing.T) {
	result, err := play.Run(planOf(t, "MX-7-n1", "SY-0", 4), play.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, traces, err := Translate(result)
	if err != nil {
		t.Fatal(err)
	}
	var story []tla.EventKind
	for _, e := range traces[0].Events {
		if e.Client == "B" {
			story = append(story, e.Kind)
		}
	}
	want := []tla.EventKind{tla.EventStart, tla.EventGivenUp}
	granted := slices.Index(story, tla.EventGranted)
	set := slices.Index(story, tla.EventSet)
	if !slices.Equal(story[:2], want) || set < 0 || granted < set || !slices.Contains(story[2:set], tla.EventStart) {
		t.Errorf("B: %q", story)
	}
}

// A release that never left has a reason: its connection was reset before, its dial was lost,
// or its handshake had no answer, while an earlier connection still carried the SET.
func TestTranslateReleaseThatCouldNotLeave(t *testing.T) {
	for _, test := range []struct {
		scenario string
		seed     uint64
		node     string
	}{{"MX-1-resp3", 7, "n4"}, {"MX-7-n7", 14, "n6"}, {"MX-1-flapping", 8, "n5"}} {
		result, err := play.Run(planOf(t, test.scenario, "SY-0", test.seed), play.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		_, traces, err := Translate(result)
		if err != nil {
			t.Fatal(err)
		}
		events := traces[0].Events
		if !slices.ContainsFunc(events, func(e tla.Event) bool {
			return e.Kind == tla.EventUnreached && e.Node == test.node
		}) {
			t.Errorf("%s, seed %d: no reason why a release never left for %s", test.scenario, test.seed, test.node)
		}
	}
}

// Every retry of a blocking acquisition is an attempt of its own, and every
// attempt ends.
func TestTranslateAttempts(t *testing.T) {
	for _, subject := range []string{"SY-0", "SY-10"} {
		_, events := translated(t, "MX-6", subject)
		started, ended := 0, 0
		for _, e := range events {
			switch e.Kind {
			case tla.EventStart:
				started++
			case tla.EventGivenUp, tla.EventReleased:
				ended++
			case tla.EventSet:
				if e.Attempt == 0 {
					t.Errorf("%s: %v is of no attempt", subject, e)
				}
			}
		}
		if started < 3 || started != ended {
			t.Errorf("%s: %d attempts began, %d ended", subject, started, ended)
		}
	}
}

func TestUnmodelled(t *testing.T) {
	for _, c := range []struct{ scenario, subject string }{
		{"MX-2", "SY-0 without-allowance"}, {"BA-11", "SY-0 shared"}, {"MX-11-retried", "SY-0"},
		{"BA-6", "SY-0 wall"}, {"BA-7", "SY-0 monotonic"}, {"LV-12-step", "SY-10"}, {"BA-3-rdb-revived", "SY-0"},
	} {
		plan := planOf(t, c.scenario, c.subject, 1)
		var reason *UnmodelledError
		if _, err := parameters(plan); errors.As(err, &reason) {
			continue
		}
		result, err := play.Run(plan, play.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := Translate(result); !errors.As(err, &reason) || reason.Reason == "" {
			t.Errorf("%s %s: %v", c.scenario, c.subject, err)
		}
	}
}

func TestRefusal(t *testing.T) {
	for detail, want := range map[string]bool{
		"NOSCRIPT No matching script. Please use EVAL.": true, "ERR syntax": true, "LOADING": true,
		"OK": false, "nil": false, "1": false, "-1": false, "token#1": false, "": false,
	} {
		if refusal.MatchString(detail) != want {
			t.Errorf("%q: %v", detail, !want)
		}
	}
}

// What leaves a client, the rounds of a watchdog, and write-backs of fencing tokens are events.
func TestTranslateSendsRenewalsAndFences(t *testing.T) {
	count := func(events []tla.Event, kind tla.EventKind, answers ...tla.Answer) int {
		n := 0
		for i := range events {
			if ofKind(kind, answers...)(&events[i]) {
				n++
			}
		}
		return n
	}
	p, events := translated(t, "MX-10", "SY-10")
	if !p.Strict || p.Fenced {
		t.Errorf("MX-10: %+v", p)
	}
	if rounds, done := count(events, tla.EventExtendStart), count(events, tla.EventExtended); rounds == 0 ||
		done == 0 || done > rounds {
		t.Errorf("MX-10: %d rounds of the watchdog began, %d succeeded", rounds, done)
	}
	if sent := count(events, tla.EventExtendSent); sent < count(events, tla.EventExtend) {
		t.Errorf("MX-10: %d extensions were sent, more executed", sent)
	}
	p, events = translated(t, "SY-10", "SY-10")
	if !p.Fenced || count(events, tla.EventFence, tla.AnswerRaised) < 3*count(events, tla.EventGranted) {
		t.Errorf("SY-10: fenced %v, %d counters raised for %d leases", p.Fenced, count(events, tla.EventFence, tla.AnswerRaised), count(events, tla.EventGranted))
	}
	for _, e := range events {
		if e.Kind == tla.EventFence && (e.Fence < 1 || e.Attempt < 1) {
			t.Errorf("SY-10: %v", e)
		}
	}
	if p, _ = translated(t, "BA-2", "SY-0"); p.Strict {
		t.Error("SY-0 promises what the textbook does not")
	}
}

// The clock error is the run's, in parts per million.
func TestRateErrorIsNotRounded(t *testing.T) {
	plan := planOf(t, "BA-2", "SY-0", 1)
	plan.World.Nodes[0].RatePPM = 100
	if got, want := rateError(plan), plan.Lock.TTL/9_999; got < want || got > want+2 {
		t.Errorf("%v, expected %v", got, want)
	}
}
