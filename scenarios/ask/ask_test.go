package ask_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios/ask"
	"redlocklab/scenarios/file"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	_ "redlocklab/scenarios/subjects"
)

func laboratory(p *plan.Plan) (*play.Result, error) { return play.Run(p, play.RunOptions{}) }

const seeds = 4

func ready(t *testing.T, name string) ask.Setup {
	t.Helper()
	text, err := ask.ReadyText(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := ask.Parse(name, text)
	if err == nil {
		err = s.Check()
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// oracles are those that the answers of a question are about.
func oracles(question, fencing string) []checker.Oracle {
	switch question {
	case "down":
		return []checker.Oracle{checker.OracleLiveness}
	case "pause":
		return []checker.Oracle{map[string]checker.Oracle{
			"none": checker.OracleResourceUnfenced, "writes": checker.OracleResourceFencedWrites,
			"every": checker.OracleResourceFenced,
		}[fencing]}
	}
	return []checker.Oracle{checker.OracleOverlap, checker.OracleLinearizability}
}

// violated counts the seeds in which one of the question's oracles is violated.
func violated(t *testing.T, s *ask.Setup, q *ask.Question, x int64) (n int) {
	t.Helper()
	for seed := uint64(1); seed <= seeds; seed++ {
		p, err := q.Plan(s, x, seed)
		if err != nil {
			t.Fatal(err)
		}
		r, err := laboratory(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, fault := range r.Fired {
			if fault.Acted == 0 {
				t.Errorf("%s %s at %s, seed %d: the fault %q did nothing", s.Name, q.Name, q.Say(x), seed, fault.Fault)
			}
		}
		if slices.ContainsFunc(r.Verdict.Answers().Violated(), func(o checker.Oracle) bool {
			return slices.Contains(oracles(q.Name, s.Fencing), o)
		}) {
			n++
		}
	}
	return n
}

// TestAnswersNameTheBoundary: of every ready setup, each boundary that an answer names is
// violated on one side and holds on the other, and the two are neighbours. An answer that
// is unsafe shows a run that is.
func TestAnswersNameTheBoundary(t *testing.T) {
	boundaries, least, names := 0, 20, ask.Ready()
	if testing.Short() {
		names, least = []string{"docker", "managed-failover"}, 8
		t.Logf("short: only %v of %v", names, ask.Ready())
	}
	for _, name := range names {
		s := ready(t, name)
		asker := &ask.Asker{Laboratory: laboratory, Seeds: seeds, Workers: 2}
		for _, q := range ask.Questions(&s) {
			a, err := asker.Ask(context.Background(), &s, &q)
			if err != nil {
				t.Fatalf("%s %s: %v", name, q.Name, err)
			}
			if a.Says == "" || strings.Contains(a.Says, "%") {
				t.Errorf("%s %s says %q", name, q.Name, a.Says)
			}
			if a.Holds != nil {
				boundaries++
				near := map[string]int64{"down": 1, "clocks": 10}[q.Name]
				if near == 0 {
					near = int64(time.Millisecond)
				}
				if gap := max(*a.Holds-*a.Violated, *a.Violated-*a.Holds); gap > near {
					t.Errorf("%s %s: %s and %s are no neighbours", name, q.Name, q.Say(*a.Holds), q.Say(*a.Violated))
				}
				if n := violated(t, &s, &q, *a.Holds); n > 0 {
					t.Errorf("%s %s: at %s, which is said to hold, %d of %d runs are violated", name, q.Name, q.Say(*a.Holds), n, seeds)
				}
				if violated(t, &s, &q, *a.Violated) == 0 {
					t.Errorf("%s %s: at %s, which is said to be violated, every run holds", name, q.Name, q.Say(*a.Violated))
				}
			}
			if a.Status == ask.Unsafe && violated(t, &s, &q, a.Show) == 0 {
				t.Errorf("%s %s: the run that shows it, at %s, holds", name, q.Name, q.Say(a.Show))
			}
			if a.Status == ask.Unsafe && a.Change == "" {
				t.Errorf("%s %s is unsafe, and no change helps", name, q.Name)
			}
		}
	}
	if boundaries < least {
		t.Errorf("only %d boundaries", boundaries)
	}
}

// TestBoundariesAreWhatTheArithmeticSays compares with the claims: a node that forgets is
// harmless once the validity is over; clocks may err by the allowance divided by both.
func TestBoundariesAreWhatTheArithmeticSays(t *testing.T) {
	s := ask.NewSetup() // redlock on five servers without a disk
	s.Guard = false
	for _, test := range []struct {
		question  string
		low, high int64
	}{
		{"restart", int64(s.TTL - s.TTL/100 - 200*time.Millisecond), int64(s.TTL)}, // RP-1
		{"clocks", 4_900, 5_300}, // BA-8: allowance/(2·ttl − allowance)
		{"step", int64(s.TTL / 100), int64(s.TTL/100 + 100*time.Millisecond)},                // BA-1: the allowance, and B's round
		{"pause", int64(s.TTL - s.TTL/100 - 100*time.Millisecond), int64(s.TTL + s.TTL/100)}, // RS-3
		{"down", 2, 2}, // LV-2
	} {
		asker := &ask.Asker{Laboratory: laboratory, Seeds: seeds, Workers: 2}
		for _, q := range ask.Questions(&s) {
			if q.Name != test.question {
				continue
			}
			a, err := asker.Ask(context.Background(), &s, &q)
			if err != nil {
				t.Fatal(err)
			}
			if a.Holds == nil || *a.Holds < test.low || *a.Holds > test.high {
				t.Errorf("%s: %s: %v; want a boundary from %s to %s", q.Name, a.Says, a.Holds, q.Say(test.low), q.Say(test.high))
			}
		}
	}
}

// TestChangesAreNamed: with its guard off, redlock's cheapest change is the guard, and with
// the guard no restart makes two holders.
func TestChangesAreNamed(t *testing.T) {
	s := ask.NewSetup()
	asker := &ask.Asker{Laboratory: laboratory, Seeds: seeds, Workers: 2}
	for _, guard := range []bool{false, true} {
		s.Guard = guard
		q := ask.Questions(&s)[0]
		a, err := asker.Ask(context.Background(), &s, &q)
		if err != nil {
			t.Fatal(err)
		}
		if guard && (a.Status != ask.Safe || a.Holds != nil) ||
			!guard && (a.Status != ask.Unsafe || !strings.Contains(a.Change, "WithRestartGuard")) {
			t.Errorf("guard %v: %s: %s; %s", guard, a.Status, a.Says, a.Change)
		}
	}
}

// TestWrittenQuestionsPlayTheSame: each question of each ready setup can be written as a
// scenario file, which makes the same plan.
func TestWrittenQuestionsPlayTheSame(t *testing.T) {
	for _, name := range ask.Ready() {
		s := ready(t, name)
		for _, q := range ask.Questions(&s) {
			scenario, err := q.Scenario(&s, q.Own(&s))
			if err != nil {
				t.Fatalf("%s %s: %v", name, q.Name, err)
			}
			text, err := file.Print(scenario)
			if err != nil {
				t.Fatalf("%s %s: %v", name, q.Name, err)
			}
			read, err := file.Parse(scenario.Name+".yaml", text)
			if err != nil {
				t.Errorf("%s %s: %v\n%s", name, q.Name, err, text)
				continue
			}
			a, b := scenario.PlanOf(scenario.Subjects[0], 1), read.PlanOf(read.Subjects[0], 1)
			if a.Hash() != b.Hash() {
				t.Errorf("%s %s: the written file makes another plan:\n%s", name, q.Name, text)
				continue
			}
			if q.Parameter != "" && len(read.Parameters) != 1 {
				t.Errorf("%s %s: the written file declares %v; want its number", name, q.Name, read.Parameters)
			}
			if testing.Short() {
				continue
			}
			x, errX := laboratory(a)
			y, errY := laboratory(b)
			if errX != nil || errY != nil || x.TraceHash != y.TraceHash {
				t.Errorf("%s %s: the written file plays another run (%v, %v)", name, q.Name, errX, errY)
			}
		}
	}
}

func TestBadSetupsAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"nodes: 0":                      "1:8: nodes: found \"0\"; allowed: a whole number from 1 to 15",
		"node: 3":                       "unknown field \"node\"",
		"lock: zookeeper":               "redlock",
		"persistence: disk":             "none, rdb, aof-everysec, aof-always",
		"ttl: 10":                       "a duration from 100ms to 10m0s; 10s?",
		"lock: redislock\nnodes: 3":     "keeps its lock on one server",
		"disk: empty\npersistence: rdb": "none beside disk: empty",
		"guard: perhaps":                "true, false",
		"failover_lag: soon":            "none, or a duration",
		"nodes: 3\n nodes: 5":           "mine.yaml:2:1: found no valid YAML",
		"ttl: 10s\nnodes: [3]":          "mine.yaml:2:8: nodes: found \"a list or a mapping\"; allowed",
		"ttl: 10s\nnods: 3":             "mine.yaml:2:1: found the unknown field \"nods\"",
		"nodes: 3\nnodes: 5":            "mine.yaml:2:1: found nodes twice",
		"- nodes":                       "mine.yaml:1:1: found no mapping",
		"":                              "mine.yaml:1:1: found no mapping",
		"clock_rate_ppm: 1%":            "a whole number from 0 to 100000",
		"fencing: reads":                "none, writes, every",
		"restart_after: -1s":            "a duration from 0s to 1h0m0s",
	} {
		s, err := ask.Parse("mine.yaml", []byte(text))
		if err == nil {
			err = s.Check()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v does not say %q", text, err, want)
		}
	}
}
