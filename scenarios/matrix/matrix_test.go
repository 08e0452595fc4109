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
	suite, err := scenarios.Suite()
	if err != nil {
		t.Fatal(err)
	}
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
			if !slices.ContainsFunc(cells, func(c matrix.Cell) bool { return c.Subject.Title() == row.Title() && c.NotApplicable == "" }) {
				t.Errorf("%s: the file's row %s is no cell", s.Name, row.Title())
			}
		}
	}
	if stated == 0 || shown == 0 || played == 0 || left == 0 {
		t.Errorf("%d stated, %d shown, %d found, %d not applicable: one of the four sorts is not there", stated, shown, played, left)
	}
}

// TestNotApplicable: each reason is given where it is one, and not where it is not.
func TestNotApplicable(t *testing.T) {
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
		s := suiteScenario(t, c.scenario)
		got := matrix.NotApplicable(s, plan.Subject{Name: c.subject})
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s with %s: %q; expected: %q", c.scenario, c.subject, got, c.want)
		}
	}
}

func suiteScenario(t *testing.T, name string) *plan.Scenario {
	t.Helper()
	suite, err := scenarios.Suite()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(suite, func(s *plan.Scenario) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("the suite has no %s", name)
	}
	return suite[i]
}
