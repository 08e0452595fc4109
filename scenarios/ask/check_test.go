package ask_test

import (
	"slices"
	"testing"
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios/ask"
	"redlocklab/scenarios/plan"
)

// TestCheckFindsNothingWrong draws a few setups; simulate ask --check draws many.
func TestCheckFindsNothingWrong(t *testing.T) {
	a := &ask.Asker{Laboratory: laboratory, Evidence: 20, Seed: 1, Workers: 2}
	attacks := 0
	for number := range ask.Cases(1) {
		c, err := a.Check(t.Context(), 7, number)
		if err != nil {
			t.Fatal(err)
		}
		if c.Wrong != "" || c.Disagree != "" || c.Status == ask.Undecided {
			t.Errorf("ask %s: %s: %s; wrong: %s; %s", c.Setup, c.Status, c.Says, c.Wrong, c.Disagree)
		}
		if attacks += c.Attacks; c.Status != ask.Unsafe && c.Attacks == 0 && c.Question != "step" && c.Question != "clocks" {
			t.Errorf("ask %s: %s, and nothing was attacked", c.Setup, c.Question)
		}
	}
	if attacks < 100 {
		t.Errorf("only %d attacks", attacks)
	}
}

// TestCheckFindsWrongAnswers: attacks from outside find a lock whose allowance is missing, where the
// rule and the question's own runs, which are played without faults here, say that it is safe.
func TestCheckFindsWrongAnswers(t *testing.T) {
	blind := func(p *plan.Plan) (ask.Played, error) {
		if !slices.ContainsFunc(p.Clients, func(c plan.Client) bool { return c.Name == "C" }) {
			calm := *p
			calm.Faults = nil
			p = &calm
		}
		return laboratory(p)
	}
	a := &ask.Asker{Laboratory: blind, Evidence: 1, Seed: 1, Workers: 2}
	s := ask.NewSetup()
	s.Lock, s.Persistence, s.RestartAfter, s.TTL = "textbook", "none", 900*time.Millisecond, time.Second
	s.ClockRate = 0
	s.Options = []plan.Setting{{Name: "bug", Value: "no-allowance"}, {Name: "drift_factor", Value: "30%"}}
	for _, q := range ask.Questions(&s) {
		if q.Name != "restart" {
			continue
		}
		for number := range 4 {
			c, err := a.Examine(t.Context(), s, q, number)
			if err != nil {
				t.Fatal(err)
			}
			if c.Wrong != "" {
				return
			}
			t.Logf("%s: %s, %d attacks", c.Status, c.Says, c.Attacks)
		}
	}
	t.Error("a lock without an allowance was found by no attack")
}

// TestNobodyCanLock: a lock that fails even while all servers are up is unsafe.
func TestNobodyCanLock(t *testing.T) {
	hopeless := func(p *plan.Plan) (ask.Played, error) {
		played, err := laboratory(p)
		for i := range played.Answers {
			if played.Answers[i].Oracle == checker.OracleLiveness {
				played.Answers[i].Status = checker.Violated
			}
		}
		return played, err
	}
	a := &ask.Asker{Laboratory: hopeless, Evidence: 1, Seed: 1, Workers: 2}
	s := ready(t, "docker")
	for _, q := range ask.Questions(&s) {
		if q.Name != "down" {
			continue
		}
		answer, err := a.Ask(t.Context(), &s, &q)
		if err != nil || answer.Status != ask.Unsafe {
			t.Errorf("%s: %s, %v", answer.Status, answer.Says, err)
		}
		t.Log(answer.Says)
		return
	}
	t.Error("nobody asked how many servers may be down")
}
