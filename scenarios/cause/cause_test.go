package cause_test

import (
	"slices"
	"strings"
	"testing"

	"redlocklab/checker"
	"redlocklab/scenarios"
	"redlocklab/scenarios/cause"
	"redlocklab/scenarios/file"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
)

func replay(p *plan.Plan) (*play.Result, error) { return play.Run(p, play.RunOptions{}) }

// decide plays a plan and finds the causes of its findings.
func decide(t *testing.T, p *plan.Plan) (*play.Result, *cause.Answer) {
	t.Helper()
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	run, err := replay(p)
	if err != nil {
		t.Fatal(err)
	}
	return run, cause.Decide(run, replay, cause.Options{Needed: true})
}

// story makes a plan of a story. Its clients and faults are in the notation of scenario files.
func story(t *testing.T, subject, clients, faults string) *plan.Plan {
	t.Helper()
	text := `claim: BA-2
title: a test
story: A test.
lock: { ttl: 10s, node_timeout: 50ms, retry: { delay: 50ms..150ms } }
clients:
` + clients + `faults:
` + faults + `seeds: 1-10
subjects:
  ` + subject + `: { expect: any }
`
	s, err := file.Parse("BA-2-test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Plan(subject, 1)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// inSuite makes the plan of a scenario of the suite. A subject that the file does not
// name is played with its defaults.
func inSuite(t *testing.T, name, subject string) *plan.Plan {
	t.Helper()
	suite, err := scenarios.Suite()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range suite {
		if s.Name != name {
			continue
		}
		other := *s
		if !slices.ContainsFunc(s.Subjects, func(x plan.Subject) bool { return x.Title() == subject }) {
			other.Subjects = []plan.Subject{{Name: subject, Unstated: true}}
		}
		p, err := other.Plan(subject, 1)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	t.Fatalf("no scenario %s", name)
	return nil
}

const (
	twoClients = `  A: [ { lock: r }, { hold: 3s }, { release: r } ]
  B: [ { wait: 300ms }, { lock: r }, { hold: 1s }, { release: r } ]
`
	cut     = "  - { name: cut, partition: A, from: [n4, n5], for: 1s, at: 0s }\n"
	forgets = "  - { name: n3 forgets, crash: n3, restart_after: 1ms, when: A acquired, after: 100ms }\n"
)

// kinds are the causes of each finding in short: sets of heals, "a+b" where each is enough.
func kinds(a *cause.Answer) map[checker.Oracle][]string {
	all := map[checker.Oracle][]string{}
	for _, f := range a.Findings {
		if len(f.Causes) == 0 {
			all[f.Oracle] = append(all[f.Oracle], "own bug")
		}
		for _, c := range f.Causes {
			all[f.Oracle] = append(all[f.Oracle], strings.Join(f.Assumptions(), " ")+": "+strings.Join(c.Names(), " + "))
		}
	}
	return all
}

// TestCauses: what is taken away from a run, and what is then left of its findings.
func TestCauses(t *testing.T) {
	tests := map[string]struct {
		plan   *plan.Plan
		oracle checker.Oracle
		want   []string
	}{
		"one break": {
			story(t, "SY-0", twoClients, cut+forgets), checker.OracleOverlap,
			[]string{"A-VOTE: keep n3 forgets"},
		},
		"two breaks of which one matters": {
			story(t, "SY-0", twoClients, cut+forgets+"  - { name: n1 leaps, node_clock_step: n1, by: 5ms, when: A acquired, after: 50ms }\n"), checker.OracleOverlap,
			[]string{"A-VOTE: keep n3 forgets"},
		},
		"two breaks, each enough": {
			story(t, "SY-0", twoClients, cut+forgets+"  - { name: n2 leaps, node_clock_step: n2, by: 15s, when: A acquired, after: 50ms }\n"), checker.OracleOverlap,
			[]string{"A-STEP A-VOTE: keep n3 forgets + remove n2 leaps"},
		},
		"two crashes of one node, one after the harm": {
			story(t, "SY-0", twoClients, cut+forgets+"  - { name: again, crash: n3, restart_after: 1ms, when: B acquired, after: 100ms }\n"), checker.OracleOverlap,
			[]string{"A-VOTE: keep n3 forgets"},
		},
		"two breaks, needed together": {
			inSuite(t, "BA-8-both-above", "SY-0"), checker.OracleOverlap,
			[]string{"A-RATE: remove nodes run fast", "A-RATE: remove A runs slow"},
		},
		"a setting": {
			inSuite(t, "BA-9-resize", "SY-0"), checker.OracleOverlap,
			[]string{"A-DISTINCT: one set of nodes"},
		},
		"an address that moves": {
			inSuite(t, "BA-9-moved", "SY-0"), checker.OracleOverlap,
			[]string{"A-DISTINCT: remove n3 moves"},
		},
		"an address that moves, and a release that goes to the wrong server": {
			story(t, "SY-10", "  A: [ { lock: r }, { hold: 500ms }, { release: r }, { wait: 10s } ]\n",
				"  - { name: cut, partition: A, from: n4, for: 1500ms, when: A called release }\n"+
					"  - { name: n4 moves, move: n4, to: n5, for: 1500ms, when: A called release }\n"+
					"liveness: [ { claim: LV-11, client: any, does: release, each: clears, within: 1500ms } ]\n"), checker.OracleLiveness,
			[]string{"A-DISTINCT: remove n4 moves"},
		},
		"shared tokens": {
			inSuite(t, "BA-11", "SY-0 shared"), checker.OracleOverlap,
			[]string{"A-TOKEN: unique tokens"},
		},
		"a trigger that the break fired": {
			inSuite(t, "BA-4-on-demand", "SY-0"), checker.OracleOverlap,
			[]string{"A-VOTE: keep n3 dies"},
		},
		"a suspension": {
			inSuite(t, "BA-7", "SY-0 monotonic"), checker.OracleOverlap,
			[]string{"A-RATE: count the lid is closed"},
		},
		"late work": {
			inSuite(t, "RS-1", "SY-0"), checker.OracleResourceUnfenced,
			[]string{"A-WORK: remove garbage collection"},
		},
		"a goal": {
			inSuite(t, "LV-9", "SY-0"), checker.OracleLiveness,
			[]string{"A-BOUNDED: extensions of A"},
		},
		"the lock's own bug beside a break": {
			inSuite(t, "BA-2", "SY-8"), checker.OracleLinearizability,
			[]string{"own bug"},
		},
		"a break beside the lock's own bug": {
			inSuite(t, "BA-2", "SY-8"), checker.OracleOverlap,
			[]string{"A-VOTE: keep n3 forgets"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			run, answer := decide(t, test.plan)
			if got := kinds(answer)[test.oracle]; !slices.Equal(got, test.want) {
				t.Errorf("found %q of %d faults; want %q", got, len(run.Plan.Faults), test.want)
			}
		})
	}
}

// TestUnrelatedBreak: a break that harms nothing excuses no bug of the lock.
func TestUnrelatedBreak(t *testing.T) {
	clients := `  A: [ { lock: r }, { hold: 12s }, { release: r } ]
  B: [ { wait: 300ms }, { lock: r }, { hold: 5s }, { release: r } ]
  C: [ { wait: 13s }, { lock: r }, { hold: 3s }, { release: r } ]
  D: [ { lock: other }, { hold: 2s }, { release: other } ]
`
	p := story(t, "SY-2", clients, "  - { name: a tidy operator, operator_delete: n1, keys: other, when: D acquired, after: 100ms }\n")
	run, answer := decide(t, p)
	if broken := run.Verdict.Broken(); !slices.Equal(broken, []string{checker.AssumptionOwner}) {
		t.Fatalf("broken: %v", broken)
	}
	if !slices.Contains(run.Verdict.Answers().Violated(), checker.OracleOverlap) {
		t.Fatalf("SY-2 is not violated: %s", run.Verdict.Answers())
	}
	for _, f := range answer.Findings {
		if f.Resource == "r" && !f.OwnBug() {
			t.Errorf("%s of r: %s", f.Oracle, f.Kind())
		}
	}
	by := answer.Answers(run.Verdict.Answers())
	if bugs := by.Bugs(); !slices.Contains(bugs, checker.OracleOverlap) {
		t.Errorf("bugs by the causes: %v", bugs)
	}
}

// TestPromotedWhileDown: the votes of a node are lost when a replica is promoted, whatever
// fault the node had ended by.
func TestPromotedWhileDown(t *testing.T) {
	p := story(t, "SY-1", `  A: [ { lock: r }, { hold: 5s } ]
  B: [ { wait: 100ms }, { lock: r }, { hold: 100ms } ]
`, `  - { name: first, failover: n1, lag: 38ms, promoted_after: 485ms, when: A acquired, after: 2ms }
  - { name: second, failover: n1, lag: 72ms, promoted_after: 13ms, when: A acquired, after: 20ms }
`)
	run, answer := decide(t, p)
	if run.Verdict.Overlap.Status != checker.Violated || len(answer.Findings) == 0 {
		t.Fatalf("%s; %d findings", run.Verdict.Overlap.Status, len(answer.Findings))
	}
	for _, f := range answer.Findings {
		if got := f.Assumptions(); !slices.Equal(got, []string{checker.AssumptionDistinct}) {
			t.Errorf("%s: causes %v", f.Oracle, got)
		}
	}
}

// TestHiddenBreak: a break that is only there when another is healed is healed, too: of two
// rates of one clock the later one hides the other.
func TestHiddenBreak(t *testing.T) {
	clients := `  A: [ { lock: r }, { hold: 14s }, { release: r } ]
  B: [ { wait: 300ms }, { lock: r }, { hold: 3s }, { release: r } ]
`
	rates := `  - { name: slow, client_clock_rate: A, clock: boottime, ppm: -500000, at: 0s }
  - { name: slow too, client_clock_rate: A, clock: boottime, ppm: -500000, at: 0s }
`
	_, answer := decide(t, story(t, "SY-0", clients, rates))
	if len(answer.Findings) < 2 {
		t.Fatalf("%d findings", len(answer.Findings))
	}
	for _, f := range answer.Findings {
		if len(f.Causes) != 1 || f.Kind() != checker.AssumptionRate ||
			!slices.Equal(slices.Sorted(slices.Values(f.Causes[0].Names())), []string{"remove slow", "remove slow too"}) {
			t.Errorf("%s: %s %q", f.Oracle, f.Kind(), f.Lines())
		}
	}
}

// TestNeeded: what breaks nothing and is needed is named apart.
func TestNeeded(t *testing.T) {
	_, answer := decide(t, story(t, "SY-0", twoClients, cut+forgets+"  - { name: drops, reset: B, to: n1, when: B called acquire }\n"))
	var needed []string
	for _, f := range answer.Findings {
		if f.Oracle == checker.OracleOverlap {
			for _, c := range f.Needed {
				needed = append(needed, c.Names()...)
			}
		}
	}
	if want := []string{"remove cut"}; !slices.Equal(needed, want) {
		t.Errorf("needed %q; want %q", needed, want)
	}
}

// TestSentences: the answer says what happens without the cause, and which event broke it.
func TestSentences(t *testing.T) {
	run, answer := decide(t, inSuite(t, "BA-2", "SY-0"))
	var text strings.Builder
	if _, err := answer.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{
		"cause: A-VOTE: n3 forgot the vote", `if n3 keeps its data through "n3 forgets": B gets 2 of 5 votes and waits`,
		"after A has released it", `without the fault "A cannot reach n4 and n5" it would not happen; no assumption forbids that`,
	} {
		if !strings.Contains(text.String(), words) {
			t.Errorf("%q is not in:\n%s", words, text.String())
		}
	}
	events := answer.Events()
	if len(events) != 1 || run.Events[events[0]-1].Kind != "forget" {
		t.Errorf("decisive events %v", events)
	}
	if answer.Replays != 2 {
		t.Errorf("%d replays; want one without the crash and one without the partition", answer.Replays)
	}
}

// TestWithout: the plan without a cause can be saved and played, and its run is the one
// that the answer is about.
func TestWithout(t *testing.T) {
	run, answer := decide(t, inSuite(t, "BA-4-on-demand", "SY-0"))
	healed := cause.Without(run, answer.Findings[0].Causes[0].Names())
	if err := healed.Validate(); err != nil {
		t.Fatal(err)
	}
	without, err := replay(healed)
	if err != nil {
		t.Fatal(err)
	}
	if without.Violated() {
		t.Errorf("without the cause: %s", without.Verdict.Answers())
	}
	if run.Plan.Hash() == healed.Hash() || run.PlanHash != run.Plan.Hash() {
		t.Error("the run's own plan was changed, or the other was not")
	}
}

// TestExplain: what explains a finding follows from the causes.
func TestExplain(t *testing.T) {
	run, answer := decide(t, inSuite(t, "BA-2", "SY-8"))
	verdict := answer.Explain(run.Verdict)
	if verdict.Overlap.Bug || !verdict.Linearizability.Bug {
		t.Errorf("%s", verdict.Answers().Explained())
	}
	for _, f := range verdict.Linearizability.Findings {
		if len(f.ExplainedBy) > 0 {
			t.Errorf("%s is explained by %v", f.Text, f.ExplainedBy)
		}
	}
	if run.Verdict.Linearizability.Bug || len(run.Verdict.Linearizability.Findings[0].ExplainedBy) == 0 {
		t.Error("the run's own verdict was changed")
	}
}
