package report_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redlocklab/checker"
	"redlocklab/cmd/simulate/report"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/matrix"
	"redlocklab/scenarios/plan"
)

// played are reports of one cell: overlap is violated in the given seeds.
func played(violated ...uint64) ([]matrix.Cell, []campaign.Summary) {
	subjects := []plan.Subject{{Name: "SY-0"}}
	s := &plan.Scenario{Name: "BA-2", Claim: "BA-2", Seeds: plan.Seeds{First: 1, Last: 5}, Subjects: subjects}
	cells := []matrix.Cell{{Scenario: s, Subject: subjects[0]}}
	var reports []campaign.Summary
	for seed := uint64(5); seed > 0; seed-- { // in any order
		r := campaign.Summary{Scenario: "BA-2", Subject: "SY-0", Seed: seed, Outcome: campaign.Finished}
		for _, v := range violated {
			if v == seed {
				r.Answers = checker.Answers{
					{Oracle: checker.OracleOverlap, Status: checker.Violated, ExplainedBy: []string{"A-VOTE"}},
				}
				r.Broken = []string{"A-VOTE"}
			}
		}
		reports = append(reports, r)
	}
	return cells, reports
}

func TestResults(t *testing.T) {
	cells, reports := played(1, 2, 4)
	text, err := report.Collect(cells, reports, "it").Encode()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), `"seeds":"1-2 4","answers":[{"oracle":"overlap","status":"violated","explained_by":["A-VOTE"]}],"broken":["A-VOTE"]`) || !strings.Contains(string(text), `"seeds":"3 5"`) {
		t.Errorf("%s", text)
	}
	path := filepath.Join(t.TempDir(), "cells.jsonl")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	back, err := report.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if changes := append(back.Stale(cells), back.Compare(reports)...); len(changes) > 0 {
		t.Errorf("the same runs: %q", changes)
	}
	_, others := played(1, 2)
	if changes := back.Compare(others); len(changes) != 1 || changes[0] != "BA-2 SY-0 seed 4: was violated: overlap (A-VOTE); broken: A-VOTE; now holds" {
		t.Errorf("another verdict in seed 4: %q", changes)
	}
	cells[0].NotApplicable = "no question"
	if changes := back.Stale(cells); len(changes) != 1 {
		t.Errorf("a cell that does not apply any more: %q", changes)
	}
	if changes := back.Stale(nil); len(changes) != 1 {
		t.Errorf("a suite without the scenario: %q", changes)
	}
}

func TestBadResults(t *testing.T) {
	for text, want := range map[string]string{
		"{\"version\":9}\n": ":1: found version 9; allowed: 3",
		"{\"version\":3,\"made_by\":\"x\"}\n{\"scenario\":1}\n":                                        ":2: ",
		"{\"version\":3,\"made_by\":\"x\"}\n{\"scenario\":\"a\",\"outcomes\":[{\"seeds\":\"4-2\"}]}\n": `:2: found the seeds "4-2"`,
	} {
		path := filepath.Join(t.TempDir(), "cells.jsonl")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := report.Load(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}
