package cause_test

import (
	"slices"
	"strings"
	"testing"

	"redlocklab/checker"
	"redlocklab/scenarios/cause"
)

// TestBreakNotListed: a break that the ledger counts and does not list causes a finding, too.
// Another client works late on another resource, often enough before A does.
func TestBreakNotListed(t *testing.T) {
	run, answer := decide(t, story(t, "SY-0", `  A: [ { wait: 200s }, { lock: r }, { write: r, guarded: true, think: 100ms }, { release: r } ]
  B: [ { wait: 200200ms }, { lock: r }, { write: r }, { release: r } ]
  Z: [ { repeat: { times: 12, steps: [ { lock: other }, { write: other, think: 20ms } ] } } ]
`, `  - { name: A stops, pause: A, for: 12s, when: A called write, after: 50ms }
  - { name: Z stops, pause: Z, for: 12s, when: Z acquired, after: 10ms, repeat: 12 }
bounds: { virtual: 10m }
`))
	for _, a := range run.Verdict.Ledger {
		if a.ID == checker.AssumptionWork && a.Found <= len(a.Breaks) {
			t.Fatalf("all of %d breaks are listed", a.Found)
		}
	}
	if got, want := kinds(answer)[checker.OracleResourceUnfenced], []string{"A-WORK: remove A stops"}; !slices.Equal(got, want) {
		t.Fatalf("found %q; want %q", got, want)
	}
	for _, e := range answer.Events() {
		if run.Events[e-1].Process != "A" {
			t.Errorf("event %d is decisive: %+v", e, run.Events[e-1])
		}
	}
}

// TestDecisiveKey: of the votes that one crash loses, the one on the finding's key decides.
func TestDecisiveKey(t *testing.T) {
	run, answer := decide(t, story(t, "SY-0", twoClients+"  Z: [ { lock: other }, { hold: 1s }, { release: other } ]\n", cut+forgets))
	lost := 0
	for _, e := range run.Events {
		if e.Kind == "forget" {
			lost++
		}
	}
	events := answer.Events()
	if lost != 2 || len(events) != 1 || run.Events[events[0]-1].Key != "r" {
		t.Errorf("%d votes lost; decisive events %v", lost, events)
	}
}

// TestGroups: of four nodes any three must forget. No break is needed or enough by itself, and
// the answer does not say so.
func TestGroups(t *testing.T) {
	_, answer := decide(t, story(t, "SY-0", twoClients, `  - { name: f1, crash: n1, restart_after: 1ms, when: A acquired, after: 100ms }
  - { name: f2, crash: n2, restart_after: 1ms, when: A acquired, after: 110ms }
  - { name: f3, crash: n3, restart_after: 1ms, when: A acquired, after: 120ms }
  - { name: f4, crash: n4, restart_after: 1ms, when: A acquired, after: 130ms }
`))
	if len(answer.Findings) == 0 {
		t.Fatal("nothing is violated")
	}
	for _, f := range answer.Findings {
		if len(f.Causes) != 6 { // the pairs of four
			t.Errorf("%s: %d causes", f.Oracle, len(f.Causes))
		}
		text := strings.Join(append(f.Lines(), answer.Sentences()...), "\n")
		if strings.Contains(text, "needed together") || strings.Contains(text, "Needed with it") || strings.Contains(text, "each of them enough") {
			t.Errorf("%s:\n%s", f.Oracle, text)
		}
		if strings.Count(text, "group:\n") != 6 {
			t.Errorf("%s: not six groups:\n%s", f.Oracle, text)
		}
	}
}

// TestHiddenBreakExplainsNothing: a break that happens only where another is healed explains nothing in
// the verdict on the run itself.
func TestHiddenBreakExplainsNothing(t *testing.T) {
	run, answer := decide(t, story(t, "SY-0", twoClients, cut+
		"  - { name: an operator, operator_delete: n3, keys: r, when: A acquired, after: 80ms }\n"+forgets))
	without, err := replay(cause.Without(run, answer.Findings[0].Causes[0].Names()))
	if err != nil || without.Violated() {
		t.Errorf("the run without its causes is violated (%v)", err)
	}
	verdict := answer.Explain(run.Verdict)
	if got := answer.Findings[0].Assumptions(); len(got) != 2 {
		t.Fatalf("causes in %v; want A-OWNER, and A-VOTE where it is healed", got)
	}
	if want := []string{checker.AssumptionOwner}; !slices.Equal(verdict.Overlap.ExplainedBy, want) ||
		!slices.Equal(verdict.Overlap.Findings[0].ExplainedBy, want) || verdict.Overlap.Bug {
		t.Errorf("explained by %v", verdict.Overlap.ExplainedBy)
	}
}
