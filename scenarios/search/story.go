package search

import (
	"fmt"
	"slices"

	"redlocklab/scenarios/plan"
)

// seeds is a strategy that plays one scenario of the suite, seed after seed, with the
// settings of the options.
type seeds struct {
	scenario *plan.Scenario
	options  Options
	seed     uint64
}

// Next implements Strategy.
func (s *seeds) Next(most int) ([]*plan.Plan, error) {
	row := slices.IndexFunc(s.scenario.Subjects, func(x plan.Subject) bool { return x.Name == s.options.Subject })
	if row < 0 {
		return nil, fmt.Errorf("scenario %s has no row of %s", s.scenario.Name, s.options.Subject)
	}
	var plans []*plan.Plan
	for range most {
		p, err := s.scenario.Plan(s.scenario.Subjects[row].Title(), s.seed)
		if err != nil {
			return nil, err
		}
		p.Subject.Options = slices.Concat(p.Subject.Options, s.options.Settings)
		plans = append(plans, p)
		s.seed++
	}
	return plans, nil
}

// Learn implements Strategy: nothing depends on what was found.
func (*seeds) Learn([]Outcome) {}

// Tell gives the mutant the scenario that Story names.
func (m *Mutant) Tell(suite []*plan.Scenario) error {
	if m.Story == "" {
		return nil
	}
	for _, s := range suite {
		if s.Name == m.Story {
			m.scenario = s
			return nil
		}
	}
	return fmt.Errorf("%s: found no scenario %s in the suite", m.Name, m.Story)
}
