package ask_test

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"redlocklab/checker"
	"redlocklab/faults"
	"redlocklab/scenarios/ask"
	"redlocklab/scenarios/file"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	_ "redlocklab/scenarios/subjects"
)

func laboratory(p *plan.Plan) (ask.Played, error) {
	result, err := play.Run(p, play.RunOptions{})
	if err != nil {
		return ask.Played{}, err
	}
	idle := slices.ContainsFunc(result.Fired, func(f faults.Count) bool { return f.Acted == 0 })
	return ask.Played{Answers: result.Verdict.Answers(), Idle: idle}, nil
}

// some is enough evidence for a test; what is shown to people has 200 runs.
const some = 20

func asker() *ask.Asker {
	return &ask.Asker{Laboratory: laboratory, Evidence: some, Seed: 1, Workers: 2}
}

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

// violated reports whether one of the question's oracles is violated in the run behind an answer.
func violated(t *testing.T, s *ask.Setup, q *ask.Question, a *ask.Answer) bool {
	t.Helper()
	p, err := q.PlanOf(s, a)
	if err != nil {
		t.Fatal(err)
	}
	r, err := laboratory(p)
	if err != nil {
		t.Fatal(err)
	}
	if r.Idle {
		t.Errorf("%s %s at %d: a fault did nothing", s.Name, q.Name, a.Show)
	}
	return slices.ContainsFunc(r.Answers.Violated(), func(o checker.Oracle) bool {
		return slices.Contains(oracles(q.Name, s.Fencing), o)
	})
}

// answers asks all questions of a setup, or those that are named.
func answers(t *testing.T, s *ask.Setup, names ...string) map[string]ask.Answer {
	t.Helper()
	all := map[string]ask.Answer{}
	for _, q := range ask.Questions(s) {
		if len(names) > 0 && !slices.Contains(names, q.Name) {
			continue
		}
		a, err := asker().Ask(context.Background(), s, &q)
		if err != nil {
			t.Fatalf("%s %s: %v", s.Name, q.Name, err)
		}
		all[q.Name] = a
	}
	return all
}

// TestAnswersNameTheBoundary: of every ready setup, rule and play agree about each border, a run
// beyond it is violated, and evidence stands on its safe side. An answer that is unsafe shows a
// run that is, and a change. No sentence has more than 25 words.
func TestAnswersNameTheBoundary(t *testing.T) {
	boundaries, least, names, says := 0, 20, ask.Ready(), map[string][]string{}
	if testing.Short() {
		names, least = []string{"docker", "managed-failover"}, 8
		t.Logf("short: only %v of %v", names, ask.Ready())
	}
	for _, name := range names {
		s := ready(t, name)
		for _, q := range ask.Questions(&s) {
			a, err := asker().Ask(context.Background(), &s, &q)
			if err != nil {
				t.Fatalf("%s %s: %v", name, q.Name, err)
			}
			if a.Says == "" || strings.Contains(a.Says, "%") || a.Status == ask.Undecided || a.Disagree != "" {
				t.Errorf("%s %s: %s: %q; %s", name, q.Name, a.Status, a.Says, a.Disagree)
			}
			says[name] = append(says[name], q.Name+" "+string(a.Status))
			for _, n := range a.Notes {
				a.Defaults += ". " + n.Says
			}
			for _, c := range a.Changes {
				a.Defaults += ". " + c.Says
			}
			texts := strings.Join([]string{a.Defaults, a.Says, q.ByRule(&a), q.ByPlay(&a)}, ". ")
			for sentence := range strings.SplitAfterSeq(texts, ". ") {
				if n := len(strings.Fields(sentence)); n > 25 {
					t.Errorf("%s %s: a sentence of %d words: %s", name, q.Name, n, sentence)
				}
			}
			if a.Violated != nil {
				boundaries++
				if !violated(t, &s, &q, &a) {
					t.Errorf("%s %s: the run that shows it, at %d, holds", name, q.Name, a.Show)
				}
			}
			if a.Holds != nil && *a.Holds > 1 && a.Play.Clean < some {
				t.Errorf("%s %s: only %d runs at %s", name, q.Name, a.Play.Clean, q.Say(*a.Holds))
			}
			if a.Status == ask.Unsafe && (a.Violated == nil && !a.TrueTime || len(a.Changes) == 0) {
				t.Errorf("%s %s is unsafe, without a run or without a change", name, q.Name)
			}
		}
	}
	if boundaries < least {
		t.Errorf("only %d boundaries", boundaries)
	}
	checkPage(t, says)
}

// TestNeverWrongOnTheUnsafeSide has setups of which an earlier version said that they were
// safe, or stated a border beyond the true one.
func TestNeverWrongOnTheUnsafeSide(t *testing.T) {
	for _, test := range []struct {
		setup, question string
		status          ask.Status
		below           int64 // the last safe number is at most this; 0: not compared
		above           int64 // at least this
	}{
		// BA-5: a lag of any length reaches back to a vote that was just given.
		{"lock: redsync\nnodes: 5\nfailover_lag: 30ms\npersistence: aof-everysec\nrestart_after: 30s", "failover", ask.Unsafe, 0, 0},
		// BA-1: redislock has no allowance; redsync's is 1 % of the TTL.
		{"lock: redislock\nnodes: 1\nttl: 5s\nclock_step: 1ms", "step", ask.Unsafe, 0, 0},
		{"lock: redsync\nttl: 30s\nclock_step: 310ms", "step", ask.Unsafe, int64(300 * time.Millisecond), 0},
		{"lock: redsync\nttl: 30s\nclock_step: 100ms\nclock_rate_ppm: 0", "step", ask.Safe, int64(300 * time.Millisecond), int64(290 * time.Millisecond)},
		// RP-1: 1 % of 30 s is 300 ms.
		{"lock: redsync\nttl: 30s\nrestart_after: 29.64s", "restart", ask.Unsafe, 0, int64(29700 * time.Millisecond)},
		{"lock: redsync\nttl: 30s\nrestart_after: 34s", "restart", ask.Safe, int64(30 * time.Second), int64(29700 * time.Millisecond)},
		// A holder whose clock is slow believes for longer than a TTL, where nothing is taken off.
		{"lock: redislock\nnodes: 1\nrestart_after: 10002ms", "restart", ask.Unsafe, 0, int64(10005 * time.Millisecond)},
		// The claims have no rule about a lock that deletes blindly.
		{"lock: setnx-del\nnodes: 1\npersistence: aof-always", "restart", ask.SafeIf, 0, 0},
		// RP-2: an fsync that runs loses the vote.
		{"lock: redsync\npersistence: aof-everysec\nrestart_after: 4s", "restart", ask.SafeIf, 0, int64(9900 * time.Millisecond)},
		{"lock: redsync\npersistence: aof-always\nrestart_after: 0s", "restart", ask.Safe, 0, 0},
		{"lock: redsync\npersistence: aof-always\nrestart_after: 0s", "power", ask.SafeIf, 0, 0},
		// BA-2: of four servers two must forget.
		{"lock: redsync\nnodes: 4\nrestart_after: 1s", "restart", ask.Unsafe, 0, int64(9900 * time.Millisecond)},
		// BA-5-newcomer: with the guard, a client that comes later sees the failover, too.
		{"lock: redlock\nnodes: 3\nfailover_lag: 10ms", "failover", ask.SafeIf, 0, 0},
		// A pair's replica takes over.
		{"lock: redislock\nnodes: 1\nfailover_lag: 10ms", "down", ask.SafeIf, 0, 0},
		{"lock: redislock\nnodes: 1", "down", ask.Unsafe, 0, 0},
	} {
		s, err := ask.Parse("test", []byte(test.setup))
		if err == nil {
			err = s.Check()
		}
		if err != nil {
			t.Fatal(err)
		}
		a := answers(t, &s, test.question)[test.question]
		if a.Status != test.status || a.Disagree != "" {
			t.Errorf("%q: %s %s: %s; want %s", test.setup, test.question, a.Status, a.Says, test.status)
		}
		compared := test.below+test.above > 0
		if compared && (a.Holds == nil || test.below > 0 && *a.Holds > test.below || *a.Holds < test.above) {
			t.Errorf("%q: %s: %s; want a border from %d to %d", test.setup, test.question, a.Says, test.above, test.below)
		}
	}
}

// TestDefaultsThatDecideAreNamed: what a setup does not say, and what decides, is told.
func TestDefaultsThatDecideAreNamed(t *testing.T) {
	s, err := ask.Parse("test", []byte("lock: redsync\npersistence: aof-always\nrestart_after: 0s\nclock_step: 0s"))
	if err != nil {
		t.Fatal(err)
	}
	all := answers(t, &s, "restart", "step")
	if got := all["restart"].Defaults; got != "You did not say disk: taken as kept" {
		t.Errorf("restart: %q", got)
	}
	if got := all["step"].Defaults; got != "" {
		t.Errorf("step: %q; it was said", got)
	}
}

// TestAnswersDependOnTheSeedAlone: the same seed gives the same answer with any number of workers.
func TestAnswersDependOnTheSeedAlone(t *testing.T) {
	s := ready(t, "docker")
	var all []ask.Answer
	for _, workers := range []int{1, 3} {
		a := asker()
		a.Workers = workers
		answer, err := a.Ask(context.Background(), &s, &ask.Questions(&s)[0])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, answer)
	}
	if !reflect.DeepEqual(all[0], all[1]) {
		t.Errorf("one worker: %+v; three: %+v", all[0], all[1])
	}
}

// TestChangesAreNamed: with its guard off, redlock's cheapest change is the guard, and with
// the guard no restart makes two holders.
func TestChangesAreNamed(t *testing.T) {
	s := ask.NewSetup()
	for _, guard := range []bool{false, true} {
		s.Guard = guard
		a := answers(t, &s, "restart")["restart"]
		if guard && (a.Status != ask.SafeIf || a.Holds != nil) ||
			!guard && (a.Status != ask.Unsafe || len(a.Changes) < 2 || a.Changes[0].Key != "guard") {
			t.Errorf("guard %v: %s: %s; %v", guard, a.Status, a.Says, a.Changes)
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
			x, errX := play.Run(a, play.RunOptions{})
			y, errY := play.Run(b, play.RunOptions{})
			if errX != nil || errY != nil || x.TraceHash != y.TraceHash {
				t.Errorf("%s %s: the written file plays another run (%v, %v)", name, q.Name, errX, errY)
			}
		}
	}
}

func TestBadSetupsAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"nodes: 0":                    "1:8: nodes: found \"0\"; allowed: a whole number from 1 to 15",
		"node: 3":                     "unknown field \"node\"",
		"lock: zookeeper":             "redlock",
		"persistence: disk":           "none, rdb, aof-everysec, aof-always",
		"ttl: 10":                     "a duration from 100ms to 10m0s; 10s?",
		"ttl: 1s\nlatency: 1ms..60ms": "latency: found \"1ms..60ms\"; allowed: at most 25ms beside ttl: 1s",
		"latency: 3":                  "any, or a duration or range",
		"rolling: yes":                "none, or a duration from 0s",
		"guard: perhaps":              "true, false",
		"failover_lag: soon":          "none, or a duration",
		"nodes: 3\n nodes: 5":         "mine.yaml:2:1: found no valid YAML",
		"ttl: 10s\nnodes: [3]":        "mine.yaml:2:8: nodes: found \"a list or a mapping\"; allowed",
		"ttl: 10s\nnods: 3":           "mine.yaml:2:1: found the unknown field \"nods\"",
		"nodes: 3\nnodes: 5":          "mine.yaml:2:1: found nodes twice",
		"- nodes":                     "mine.yaml:1:1: found no mapping",
		"":                            "mine.yaml:1:1: found no mapping",
		"clock_rate_ppm: 1%":          "a whole number from 0 to 100000",
		"fencing: reads":              "none, writes, every",
		"restart_after: -1s":          "a duration from 0s to 1h0m0s",
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
