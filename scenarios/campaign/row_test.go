package campaign_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"redlocklab/checker"
	"redlocklab/cmd/simulate/tables"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
)

// report is a finished run with the given oracles violated and assumptions broken.
func report(seed uint64, violated []checker.Oracle, broken ...string) campaign.Summary {
	r := campaign.Summary{Scenario: "BA-2", Subject: "SY-0", Seed: seed, Outcome: campaign.Finished, Broken: broken}
	for _, oracle := range checker.Oracles() {
		status := checker.Holds
		for _, v := range violated {
			if v == oracle {
				status = checker.Violated
			}
		}
		r.Answers = append(r.Answers, checker.Answer{Oracle: oracle, Status: status})
	}
	return r
}

func fired(r campaign.Summary, counts ...campaign.Count) campaign.Summary {
	r.Fired = counts
	return r
}

func expected(runs plan.Runs, violated []checker.Oracle, broken ...string) *plan.Subject {
	s := &plan.Subject{Name: "SY-0", Expect: map[checker.Oracle]checker.Status{}, Broken: broken, Runs: runs}
	for _, oracle := range checker.Oracles() {
		s.Expect[oracle] = checker.Holds
	}
	for _, oracle := range violated {
		s.Expect[oracle] = checker.Violated
	}
	return s
}

// undecided is a run whose liveness has no verdict.
func undecided(seed uint64, reason string) campaign.Summary {
	r := report(seed, nil)
	for i := range r.Answers {
		if r.Answers[i].Oracle == checker.OracleLiveness {
			r.Answers[i].Status, r.Answers[i].Reason = checker.Inconclusive, reason
		}
	}
	return r
}

func TestCompareInBothDirections(t *testing.T) {
	overlap := []checker.Oracle{checker.OracleOverlap}
	liveness := []checker.Oracle{checker.OracleLiveness}
	bounded := report(1, nil)
	bounded.Outcome = "event bound"
	open := report(1, nil)
	open.Answers[0].Status = checker.Inconclusive
	for _, test := range []struct {
		name     string
		expected *plan.Subject
		report   campaign.Summary
		want     []campaign.Class
	}{
		{"as expected, holds", expected("all", nil), report(1, nil), nil},
		{"as expected, violated", expected("all", overlap, "A-VOTE"), report(1, overlap, "A-VOTE"), nil},
		{"violated, not expected", expected("all", nil), report(1, overlap), []campaign.Class{campaign.Safety}},
		{"holds, not expected", expected("all", overlap), report(1, nil), []campaign.Class{campaign.Safety}},
		{"one more assumption broken", expected("all", overlap, "A-VOTE"), report(1, overlap, "A-STEP", "A-VOTE"), []campaign.Class{campaign.Safety}},
		{"one less assumption broken", expected("all", overlap, "A-VOTE"), report(1, overlap), []campaign.Class{campaign.Safety}},
		{"liveness violated, not expected", expected("all", nil), report(1, liveness), []campaign.Class{campaign.Liveness}},
		{"liveness holds, not expected", expected("all", liveness), report(1, nil), []campaign.Class{campaign.Liveness}},
		{"random family shows less", expected("some", overlap, "A-VOTE"), report(1, nil), nil},
		{"random family shows other", expected("some", liveness, "A-HEAL"), report(1, overlap, "A-VOTE"), []campaign.Class{campaign.Safety, campaign.Safety}},
		{"bound", expected("all", nil), bounded, []campaign.Class{campaign.Incomplete}},
		{"bound before the violation", expected("all", overlap), bounded, []campaign.Class{campaign.Incomplete}},
		{"inconclusive oracle", expected("all", nil), open, []campaign.Class{campaign.Incomplete}},
		{"killed", expected("all", nil), campaign.Summary{Failure: "killed"}, []campaign.Class{campaign.Incomplete}},
	} {
		var got []campaign.Class
		for _, d := range campaign.Compare(test.expected, &test.report) {
			got = append(got, d.Class)
		}
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// job is BA-2 on SY-0 with another expectation of runs.
func job(t *testing.T, runs plan.Runs, n uint64) *campaign.Job {
	s := scenario(t, "BA-2", "x")
	s.Subjects[0].Runs, s.Seeds = runs, plan.Seeds{First: 1, Last: 2}
	return &campaign.Job{Scenario: s, Subject: "SY-0", Seeds: seeds(1, n)}
}

var (
	bothOracles = []checker.Oracle{checker.OracleOverlap, checker.OracleLinearizability}
	bothFired   = []campaign.Count{{Name: "A cannot reach n4 and n5", Times: 1}, {Name: "n3 forgets", Times: 2}}
)

func TestSumOfRows(t *testing.T) {
	full := func(seed uint64) campaign.Summary { return fired(report(seed, bothOracles, "A-VOTE"), bothFired...) }
	empty := func(seed uint64) campaign.Summary { return fired(report(seed, nil), bothFired...) }
	for _, test := range []struct {
		name    string
		runs    plan.Runs
		planned uint64
		reports []campaign.Summary
		exit    int
		says    string
	}{
		{"all", "all", 2, []campaign.Summary{full(1), full(2)}, 0, ""},
		{"one is not", "all", 2, []campaign.Summary{full(1), empty(2)}, 1, "overlap holds, expected: violated"},
		{"some, one of two", "some", 2, []campaign.Summary{empty(1), full(2)}, 0, ""},
		{"some, but none", "some", 2, []campaign.Summary{empty(1), empty(2)}, 1, "none of 2 runs shows all that is expected"},
		{"some, and one seed of two does not show it", "some", 1, []campaign.Summary{empty(1)}, 4, "the file states 2 seeds"},
		{"fault fired in one of two", "all", 2, []campaign.Summary{full(1), fired(full(2), bothFired[1])}, 0, ""},
		{"fault fired in none", "all", 2, []campaign.Summary{fired(full(1), bothFired[1]), fired(full(2), bothFired[1])}, 4, `"A cannot reach n4 and n5" fired in none of 2 runs`},
		{"not all played", "all", 3, []campaign.Summary{full(1), full(2)}, 4, "1 of 3 runs were not played"},
		{"safety goes before inconclusive", "all", 3, []campaign.Summary{{Seed: 1, Failure: "killed"}, full(2), empty(3)}, 1, "killed"},
	} {
		row := campaign.NewRow(job(t, test.runs, test.planned), test.reports)
		if got := campaign.ExitCode([]campaign.Row{row}); got != test.exit || row.AsExpected != (test.exit == 0) {
			t.Errorf("%s: exit code %d, want %d; %+v", test.name, got, test.exit, row.Problems)
		}
		if said := fmt.Sprint(row.Problems); !strings.Contains(said, test.says) {
			t.Errorf("%s: %s does not say %q", test.name, said, test.says)
		}
	}
}

func TestExitCodeOfTheWorst(t *testing.T) {
	row := func(class campaign.Class) campaign.Row {
		return campaign.Row{Problems: []campaign.Problem{{Class: class}}}
	}
	order := []campaign.Class{campaign.Nondeterministic, campaign.Safety, campaign.Liveness, campaign.Incomplete}
	codes := []int{5, 1, 3, 4}
	for i, class := range order {
		for _, lesser := range order[i:] {
			if got := campaign.ExitCode([]campaign.Row{row(lesser), row(class)}); got != codes[i] {
				t.Errorf("%s beside %s: %d, want %d", class, lesser, got, codes[i])
			}
		}
	}
}

// What is printed depends on the runs, not on the order in which they ended.
func TestSumDoesNotDependOnTheOrder(t *testing.T) {
	base := job(t, "all", 12)
	rapid.Check(t, func(t *rapid.T) {
		var reports []campaign.Summary
		for _, seed := range base.Seeds {
			var r campaign.Summary
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0:
				r = report(seed, nil)
			case 1:
				r = fired(report(seed, bothOracles, "A-VOTE"), bothFired...)
			case 2:
				r = campaign.Summary{Seed: seed, Failure: "killed"}
			case 3:
				r = fired(report(seed, bothOracles[:1], "A-STEP"), bothFired[1])
			case 4:
				r = undecided(seed, fmt.Sprintf("the run ended at %ds", rapid.IntRange(1, 2).Draw(t, "end")))
			}
			margin := rapid.Int64Range(-2, 2).Draw(t, "margin")
			r.MarginNS = &margin
			reports = append(reports, r)
		}
		shuffled := rapid.Permutation(reports).Draw(t, "order")
		var a, b bytes.Buffer
		for _, side := range []struct {
			out     *bytes.Buffer
			reports []campaign.Summary
		}{{&a, reports}, {&b, shuffled}} {
			row := campaign.NewRow(base, side.reports)
			if err := json.NewEncoder(side.out).Encode(row); err != nil {
				t.Fatal(err)
			}
			if err := tables.WriteRows(side.out, []campaign.Row{row}); err != nil {
				t.Fatal(err)
			}
		}
		if a.String() != b.String() {
			t.Fatalf("in order:\n%s\nshuffled:\n%s", a.String(), b.String())
		}
	})
}

func TestTable(t *testing.T) {
	t.Setenv("COLUMNS", "300")
	good := campaign.NewRow(job(t, "all", 1), []campaign.Summary{fired(report(1, bothOracles, "A-VOTE"), bothFired...)})
	bad := campaign.NewRow(job(t, "all", 2), []campaign.Summary{
		fired(report(1, bothOracles, "A-VOTE"), bothFired...), fired(report(2, nil, "A-VOTE"), bothFired...),
	})
	var out bytes.Buffer
	if err := tables.WriteRows(&out, []campaign.Row{good, bad}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if last := lines[len(lines)-1]; last != "1 as expected, 1 not" {
		t.Errorf("last line %q", last)
	}
	for _, want := range []string{
		"violated: overlap 1/2, linearizability 1/2",
		"overlap holds, expected: violated (1 of 2 runs, first seed 2)",
		"replay: ./simulate run BA-2 --subject SY-0 --seed 2 --out out/BA-2-2",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the table does not say %q:\n%s", want, out.String())
		}
	}
}

// A row that is inconclusive in many runs says so once, whatever each of them says.
func TestTableSaysOneThingOnce(t *testing.T) {
	base := job(t, "all", 3)
	base.Scenario.Subjects[0].Expect = expected("all", nil).Expect
	base.Scenario.Subjects[0].Broken = nil
	row := campaign.NewRow(base, []campaign.Summary{
		fired(undecided(3, "the run ended at 3s"), bothFired...),
		fired(undecided(1, "the run ended at 1s"), bothFired...),
		fired(undecided(2, "the run ended at 2s"), bothFired...),
	})
	var out bytes.Buffer
	if err := tables.WriteRows(&out, []campaign.Row{row}); err != nil {
		t.Fatal(err)
	}
	want := "liveness is inconclusive: the run ended at 1s (3 of 3 runs, first seed 1; other runs say it with other words)\n"
	if !strings.Contains(out.String(), want) || strings.Count(out.String(), "the run ended") != 1 {
		t.Errorf("the table does not say %q once:\n%s", want, out.String())
	}
}

// TestReplayCommand: what is printed can be pasted into a shell.
func TestReplayCommand(t *testing.T) {
	for _, test := range []struct{ path, name, subject, want string }{
		{"suite/BA-2.yaml", "BA-2", "SY-0", "./simulate run BA-2 --subject SY-0 --seed 3 --out out/BA-2-3"},
		{"my stories/a b.yaml", "a b", "SY-10 guarded", "./simulate run 'my stories/a b.yaml' --subject 'SY-10 guarded' --seed 3 --out 'out/a b-3'"},
		{"", "BA-8@node_rate_ppm=5000", "SY-0", "./simulate run BA-8 --set node_rate_ppm=5000 --subject SY-0 --seed 3 --out out/BA-8-3"},
	} {
		job := campaign.Job{Scenario: &plan.Scenario{Path: test.path, Name: test.name}, Subject: test.subject}
		if got := campaign.ReplayCommand(&job, 3); got != test.want {
			t.Errorf("%s %s:\n%s, want\n%s", test.name, test.subject, got, test.want)
		}
	}
}
