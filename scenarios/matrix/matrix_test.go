package matrix_test

import (
	"slices"
	"strings"
	"testing"

	"redlocklab/scenarios"
	"redlocklab/scenarios/matrix"
	"redlocklab/scenarios/plan"
)

// TestCells: every scenario has a cell of every system; what the files state stays
// theirs; what can be played has a plan, and what cannot says why.
func TestCells(t *testing.T) {
	suite := suite(t)
	stated, shown, played, left := 0, 0, 0, 0
	for _, s := range suite {
		cells := matrix.CellsOf(s)
		for _, d := range plan.Systems() {
			if !slices.ContainsFunc(cells, func(c matrix.Cell) bool { return c.Subject.Name == d.Name }) {
				t.Errorf("%s has no cell of %s", s.Name, d.Name)
			}
		}
		for _, c := range cells {
			switch {
			case c.Stated():
				stated++
			case slices.ContainsFunc(s.Subjects, func(x plan.Subject) bool { return x.Title() == c.Subject.Title() }):
				shown++ // the file says "any"
			case c.NotApplicable != "":
				left++
				continue
			default:
				played++
			}
			if _, err := c.Scenario.Plan(c.Subject.Title(), 1); err != nil {
				t.Errorf("%s with %s: %v", s.Name, c.Subject.Title(), err)
			}
		}
		for _, row := range s.Subjects {
			if !slices.ContainsFunc(cells, func(c matrix.Cell) bool {
				return c.Subject.Title() == row.Title() && c.NotApplicable == ""
			}) {
				t.Errorf("%s: the file's row %s is no cell", s.Name, row.Title())
			}
		}
	}
	if stated == 0 || shown == 0 || played == 0 || left == 0 {
		t.Errorf("%d stated, %d shown, %d found, %d not applicable: one of the four sorts is not there", stated, shown, played, left)
	}
}

// TestNotApplicable: the suite's stories are applicable to the systems that they should be.
func TestNotApplicable(t *testing.T) {
	cells := map[[2]string]matrix.Cell{} // by scenario and system, of its first row
	for _, c := range matrix.Cells(suite(t)) {
		if key := [2]string{c.Scenario.Name, c.Subject.Name}; cells[key].Scenario == nil {
			cells[key] = c
		}
	}
	for _, c := range []struct{ scenario, subject, want string }{
		{"MX-8-late", "SY-1", "no extension"},
		{"MX-10", "SY-11-redsync", "no watchdog"},
		{"BA-6", "SY-11-redsync", "true time"},
		{"BA-6", "SY-1", "reads none"},
		{"BA-2", "SY-1", "elsewhere"},
		{"MX-7-n5", "SY-1", "majority"},
		{"MX-7-n1", "SY-1", ""},
		{"MX-9-set", "SY-11-redislock", "never sends"},
		{"MX-9-set", "SY-11-redsync", ""},
		{"BA-2", "SY-11-redsync", ""},
		{"BA-8", "SY-7", "watchdog renews"},
		{"BA-8-drift-far", "SY-8", "watchdog renews"},
		{"MX-2", "SY-7", "watchdog renews"},
		{"MX-8-renewal", "SY-11-redsync", "no watchdog"},
		{"MX-8-late", "SY-11-redsync", ""},
		{"MX-10", "SY-7", ""}, // about renewals
		{"BA-7", "SY-7", ""},  // its holder cannot renew
		{"BA-8", "SY-4", "no TTL"},
		{"BA-8", "SY-1", ""},
		{"LV-7", "SY-1", "majority"},
		{"LV-3", "SY-9", "split vote"},
		{"LV-1", "SY-9", ""},
		{"MX-1", "SY-1", ""},
	} {
		cell, known := cells[[2]string{c.scenario, c.subject}]
		if !known || (c.want == "") != (cell.NotApplicable == "") || !strings.Contains(cell.NotApplicable, c.want) {
			t.Errorf("%s with %s: %q; expected: %q", c.scenario, c.subject, cell.NotApplicable, c.want)
		}
	}
}

func suite(t *testing.T) []*plan.Scenario {
	t.Helper()
	list, err := scenarios.Suite()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestSelect: a subject is selected by name, alias, system or title, in the order of the cells.
func TestSelect(t *testing.T) {
	var cells []matrix.Cell
	for _, s := range suite(t) {
		if s.Name == "MX-6" || s.Name == "LV-1" {
			cells = append(cells, matrix.CellsOf(s)...)
		}
	}
	for _, test := range []struct {
		subjects []string
		want     string // the subjects of the first scenario's cells, or a part of the error
	}{
		{[]string{"SY-1"}, "SY-1"},
		{[]string{"redlock-php"}, "SY-9 as-written, SY-9 integer"},
		{[]string{"SY-9 integer"}, "SY-9 integer"},
		{[]string{"SY-11"}, "SY-11-redislock, SY-11-redislock metadata, SY-11-redislock trylock-loop, SY-11-redsync, SY-11-redsync fail-fast, SY-11-redsync set-nx-on-extend, SY-11-redsync trylock-loop"},
		{[]string{"SY-3", "SY-1"}, "SY-1, SY-3"},
		{[]string{"SY-9 odd"}, `found "SY-9 odd", which no chosen scenario has; allowed: SY-9 as-written, SY-9 integer`},
		{[]string{"SY-99"}, `found the unknown subject "SY-99"`},
	} {
		selected, err := matrix.Select(cells, test.subjects)
		var titles []string
		for _, c := range selected {
			if c.Scenario.Name == cells[0].Scenario.Name {
				titles = append(titles, c.Subject.Title())
			}
		}
		got := strings.Join(titles, ", ")
		if err != nil {
			got = err.Error()
		}
		if got != test.want && (err == nil || !strings.Contains(got, test.want)) {
			t.Errorf("%q: %s, want %s", test.subjects, got, test.want)
		}
	}
	if all, err := matrix.Select(cells, nil); err != nil || len(all) != len(cells) {
		t.Errorf("without subjects: %d cells of %d, %v", len(all), len(cells), err)
	}
}

// TestSettles: a claim is settled by its own stories; a system also by those of others.
func TestSettles(t *testing.T) {
	own, others := matrix.Settles(plan.Claim{ID: "BA-2", Kind: plan.KindViolated}, suite(t))
	if len(own) == 0 || len(others) > 0 {
		t.Errorf("BA-2: %d own, %d others", len(own), len(others))
	}
	own, others = matrix.Settles(plan.Claim{ID: "SY-1", Kind: plan.KindSystem}, suite(t))
	extends := func(s *plan.Scenario) bool { return s.Name == "MX-8-late" } // SY-1 cannot extend
	if len(own) == 0 || len(others) < 20 || slices.ContainsFunc(others, extends) {
		t.Errorf("SY-1: %d own, %d others", len(own), len(others))
	}
}
