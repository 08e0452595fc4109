package report_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"redlocklab/cmd/simulate/report"
	"redlocklab/scenarios"
	"redlocklab/scenarios/plan"
)

// documents is what the documents are made of.
func documents(t *testing.T) *report.Input {
	t.Helper()
	suite, err := scenarios.Suite()
	if err != nil {
		t.Fatal(err)
	}
	in, err := report.Open("../../..", suite)
	if err == nil {
		in.Results, err = report.Load("results/cells.jsonl")
	}
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// TestReportIsOnePage: at most 250 lines, and 100 columns outside of tables.
func TestReportIsOnePage(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(report.Render(documents(t)), "\n"), "\n")
	if len(lines) > 250 {
		t.Errorf("%d lines; allowed: 250", len(lines))
	}
	for i, line := range lines {
		if n := utf8.RuneCountInString(line); n > 100 && !strings.HasPrefix(line, "|") {
			t.Errorf("line %d has %d columns; allowed: 100: %s", i+1, n, line)
		}
	}
	if commands := regexp.MustCompile(`(?m)^   \./simulate run `).FindAllString(strings.Join(lines, "\n"), -1); len(commands) != 10 {
		t.Errorf("%d commands behind ten sentences", len(commands))
	}
}

// TestCellsHaveNoEmptyRows: a cell that shows nothing is told with its reason, not as a row.
func TestCellsHaveNoEmptyRows(t *testing.T) {
	text := report.RenderCells(documents(t))
	if rows := regexp.MustCompile(`(?m)^\| [^|]+ \| [^|]+ \| n/a \|  \|  \|`).FindAllString(text, -1); len(rows) > 0 {
		t.Errorf("%d rows are n/a; the first: %s", len(rows), rows[0])
	}
	if !strings.Contains(text, "- n/a, because a lease is extended in it, and this lock has no extension to ask for: ") {
		t.Error("no reason says why a cell is n/a")
	}
	if strings.Contains(text, "](cmd/") || strings.Contains(text, "](scenarios/") {
		t.Error("a link leads from the root, and the file is not there")
	}
}

// TestMatrixIsLegible: a row per claim with a link, a sign per cell, 900 pixels wide.
func TestMatrixIsLegible(t *testing.T) {
	picture := documents(t).Matrix()
	for _, claim := range plan.Claims() {
		if claim.Kind != plan.KindSystem && !strings.Contains(picture, `href="CELLS.md#`+strings.ToLower(claim.ID)+`"`) {
			t.Errorf("no link to %s", claim.ID)
		}
	}
	for _, s := range plan.Systems() {
		if !strings.Contains(picture, ">"+plan.KnownAs(s.Name)+"<") {
			t.Errorf("no column %s", plan.KnownAs(s.Name))
		}
	}
	if !strings.HasPrefix(picture, `<svg xmlns="http://www.w3.org/2000/svg" width="900"`) {
		t.Errorf("%.80s is not 900 pixels wide", picture)
	}
	for _, size := range regexp.MustCompile(`font-size="([0-9.]+)"`).FindAllStringSubmatch(picture, -1) {
		if len(size[1]) < 2 || size[1] < "11" {
			t.Errorf("letters of %s pixels", size[1])
		}
	}
}

// TestDecisionsAreShown: the table of decisions says what the cells show, and notices when they
// do not.
func TestDecisionsAreShown(t *testing.T) {
	in := documents(t)
	if changes := in.Unshown(); len(changes) > 0 {
		t.Errorf("%q", changes)
	}
	for i := range in.Results.Cells {
		if c := &in.Results.Cells[i]; c.Scenario == "BA-2" && c.Subject == "SY-10 unguarded" {
			for k := range c.Endings {
				c.Endings[k].Answers = nil
			}
		}
	}
	if changes := in.Unshown(); len(changes) != 1 || !strings.Contains(changes[0], "BA-2 SY-10 unguarded: overlap") {
		t.Errorf("BA-2 holds now, and what is noticed is %q", changes)
	}
}
