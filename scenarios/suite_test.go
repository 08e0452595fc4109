package scenarios

import (
	"redlocklab/scenarios/matrix"
	"slices"
	"testing"
)

func TestSuiteLoads(t *testing.T) {
	all, err := Suite()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range all {
		names = append(names, s.Name)
		if err := s.Faults.Validate(s.Topology()); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
	}
	for _, want := range []string{"MX-1", "MX-3", "MX-4", "MX-6", "BA-1", "BA-2", "RP-1", "RS-1", "LV-1", "LV-2"} {
		if !slices.Contains(names, want) {
			t.Errorf("the suite lacks %s; it has %q", want, names)
		}
	}
}

func TestEveryPlanOfTheSuiteIsValid(t *testing.T) {
	suite, err := Suite()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range suite {
		for _, c := range matrix.CellsOf(s) {
			if c.NotApplicable != "" {
				continue
			}
			plan, err := c.Scenario.Plan(c.Subject.Title(), 1)
			if err != nil {
				t.Fatal(err)
			}
			if err := plan.Validate(); err != nil {
				t.Errorf("%s %s: %v", s.Name, c.Subject.Title(), err)
			}
		}
	}
}
