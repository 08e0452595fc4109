package conform

import (
	"context"
	"errors"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"redlocklab/scenarios"
	"redlocklab/scenarios/file"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/sim"
	"redlocklab/tla"
)

// requireTLC skips loudly where Java or the jar is absent, and fails in CI.
func requireTLC(t *testing.T) {
	t.Helper()
	_, err := tla.FindToolchain("")
	switch {
	case err != nil && os.Getenv("CI") == "true":
		t.Fatalf("CI must have TLC: %v", err)
	case err != nil:
		t.Skip("NOT CHECKED: ", err)
	}
}

func some(t *testing.T, names ...string) []*plan.Scenario {
	t.Helper()
	suite, err := scenarios.Suite()
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(suite, func(s *plan.Scenario) bool { return !slices.Contains(names, s.Name) })
}

// Traces are explained, and each change that fits one is rejected.
func TestCheck(t *testing.T) {
	requireTLC(t)
	report, err := Check(context.Background(), Options{Scenarios: some(t, "BA-2", "LV-2", "BA-1", "BA-10-delete", "MX-9-set", "SY-10"), First: 1, Last: 1})
	if err != nil {
		t.Fatal(err)
	}
	if report.Rejected() > 0 || report.Failed() > 0 {
		t.Errorf("problems:\n%s", strings.Join(report.Problems(), "\n"))
	}
	if missed := report.Missed(); len(missed) > 0 {
		t.Errorf("changes that the sample does not show to be rejected: %s", strings.Join(missed, ", "))
	}
	// What this sample lacks, the whole suite has: simulate conform says so.
	for _, action := range []string{"Decide", "LateSetExecutes", "ExtendDecide", "Expire", "Crash", "ClockSteps", "KeyRemoved"} {
		if report.Actions[action] == 0 {
			t.Errorf("%s was never seen", action)
		}
	}
}

// A lock that does not follow the specification is found out: here its traces
// say so, because somebody removed what they began with.
func TestCheckRejects(t *testing.T) {
	requireTLC(t)
	c := newCollection()
	for _, s := range some(t, "MX-4") {
		for _, subject := range s.Subjects {
			row := c.newRow(s.Name, subject.Title())
			for seed := uint64(1); seed <= 2; seed++ {
				result, err := play.Run(planOf(t, s.Name, row.Subject, seed), play.RunOptions{})
				if err != nil {
					t.Fatal(err)
				}
				if seed == 2 {
					i := slices.IndexFunc(result.Events, func(e sim.Event) bool {
						return e.Kind == sim.Execute && e.Command == "SET"
					})
					result.Events = slices.Delete(result.Events, i, i+1)
				}
				if err := c.add(row, result); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if err := c.ask(t.Context(), Options{}); err != nil {
		t.Fatal(err)
	}
	for _, row := range c.report.Rows {
		if len(row.Rejected) != 1 || row.Rejected[0].Seed != 2 || row.Rejected[0].What.Kind == "" {
			t.Errorf("%s %s: %+v", row.Scenario, row.Subject, row.Rejected)
		}
	}
}

// relock has a client that asks again while its first lease runs, which a watchdog may renew.
const relock = `claim: MX-1
title: A client asks again while its first lease runs
source: [D]
story: A takes the lock, asks again, and asks again when its first lease is about to lapse.
lock: { ttl: 1s, node_timeout: 50ms, retry: { delay: 60ms..120ms } }
clients:
  A: [ { lock: r }, { trylock: r }, { wait: 900ms..1100ms }, { trylock: r }, { extend: r }, { release: r }, { trylock: r }, { release: r } ]
  B: [ { wait: 300ms }, { trylock: r }, { wait: 600ms..800ms }, { trylock: r }, { release: r } ]
seeds: 1-5
subjects:
  SY-0: { expect: { overlap: holds }, broken: [], runs: all }
  SY-10: { expect: { overlap: holds }, broken: [], runs: all }
  SY-10 renewed: { expect: { overlap: holds }, broken: [], runs: all, options: { renewal: true } }
`

// A process that asks again while its lease runs has two leases, each with its own attempts.
func TestCheckAClientThatAsksAgain(t *testing.T) {
	requireTLC(t)
	s, err := file.Parse("MX-1-relock.yaml", []byte(relock))
	if err != nil {
		t.Fatal(err)
	}
	again, err := s.Plan("SY-10", 1)
	if err != nil {
		t.Fatal(err)
	}
	result, err := play.Run(again, play.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := Translate(result)
	if err != nil || !slices.Contains(p.Clients, "A lease 2") {
		t.Errorf("clients %q, error %v: A has one lease at a time", p.Clients, err)
	}
	report, err := Check(context.Background(), Options{Scenarios: []*plan.Scenario{s}, First: 1, Last: 5})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Rows) != 3 || report.Rejected() > 0 || report.Failed() > 0 {
		t.Errorf("%d rows, problems:\n%s", len(report.Rows), strings.Join(report.Problems(), "\n"))
	}
	for _, row := range report.Rows {
		if row.Traces != 5 {
			t.Errorf("%s: %d traces, unmodelled: %q", row.Subject, row.Traces, row.Unmodelled)
		}
	}
}

// What TLC has answered is not asked again, and makes the same report.
func TestCheckContinues(t *testing.T) {
	requireTLC(t)
	options := Options{Scenarios: some(t, "MX-4", "BA-2"), First: 1, Last: 1}
	var answers []Answer
	options.Keep = func(a Answer) { answers = append(answers, a) }
	whole, err := Check(context.Background(), options)
	if err != nil {
		t.Fatal(err)
	}
	if len(answers) < 2 {
		t.Fatalf("%d answers", len(answers))
	}
	first := answers[0]
	options.Kept = map[int][]tla.TraceVerdict{first.Batch: first.Verdicts}
	var asked []int
	options.Keep = func(a Answer) { asked = append(asked, a.Batch) }
	continued, err := Check(context.Background(), options)
	if err != nil {
		t.Fatal(err)
	}
	if slices.Contains(asked, first.Batch) || len(asked) != len(answers)-1 {
		t.Errorf("asked for %v, had %d", asked, first.Batch)
	}
	for i, row := range whole.Rows {
		if !reflect.DeepEqual(row, continued.Rows[i]) {
			t.Errorf("%+v, then %+v", row, continued.Rows[i])
		}
	}
	if !reflect.DeepEqual(whole.Actions, continued.Actions) {
		t.Errorf("%v, then %v", whole.Actions, continued.Actions)
	}
	options.Kept[first.Batch] = []tla.TraceVerdict{}
	if _, err := Check(context.Background(), options); err == nil {
		t.Error("an answer about no trace was taken")
	}
}

func TestCheckIsCutShort(t *testing.T) {
	requireTLC(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Check(ctx, Options{Scenarios: some(t, "MX-4"), First: 1, Last: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// A change that fits no trace is not taken for one that was rejected.
func TestMissedChanges(t *testing.T) {
	report := Report{Mutations: []*MutationRow{{Traces: 0}, {Traces: 2, Rejected: 2},
		{Traces: 2, Rejected: 1, Failed: []string{"x"}}}}
	if missed := report.Missed(); len(missed) != 2 || report.Failed() != 1 {
		t.Errorf("missed %q, %d failed", missed, report.Failed())
	}
}
