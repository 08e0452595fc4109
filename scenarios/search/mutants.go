package search

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"redlocklab/checker"
	"redlocklab/scenarios/overlay"
	"redlocklab/scenarios/plan"
)

// Mutant is a lock with one bug planted in it, and who must find it; or a healthy
// lock, in which nobody must find anything.
type Mutant struct {
	Name    string
	Intent  string // what its author got wrong, in one line; of a healthy lock "healthy"
	Option  plan.Option
	Subject string
	Oracle  checker.Oracle // that must call it violated; "" for a healthy lock
	Broken  []string       // assumptions that the bug breaks by itself, in the ledger's order; mostly none
	Break   []string       // assumptions that its runs may break, for a repair that must do without them
	Budget  int            // within so many runs
	Seeds   string         // a scenario of the suite whose seeds decide, in place of drawn runs; "": none
	Sample  bool           // it is found so soon that every check of a change can afford it

	scenario *plan.Scenario // the one that Seeds names; see FindScenario
}

// Target is what a run must show that catches the mutant.
func (m Mutant) Target() Target { return Target{Oracle: m.Oracle, Broken: m.Broken} }

// Trial is what the mutant's runs are drawn with.
func (m Mutant) Trial() Trial {
	t := Trial{Subject: m.Subject, Break: m.Break}
	if m.Oracle != "" {
		t.Settings = []plan.Option{m.Option}
	}
	return t
}

// FindScenario finds the scenario that Seeds names.
func (m *Mutant) FindScenario(suite []*plan.Scenario) error {
	if m.Seeds == "" {
		return nil
	}
	i := slices.IndexFunc(suite, func(s *plan.Scenario) bool { return s.Name == m.Seeds })
	if i < 0 {
		return fmt.Errorf("%s: found no scenario %s in the suite", m.Name, m.Seeds)
	}
	m.scenario = suite[i]
	return nil
}

// FindMutant returns the planted bug of this name.
func FindMutant(name string) (Mutant, bool) {
	for _, m := range Mutants() {
		if m.Name == name {
			return m, true
		}
	}
	return Mutant{}, false
}

//go:embed mutants.yaml
var mutantsText []byte

// Mutants lists the planted bugs of mutants.yaml: switches of the textbook algorithm, then
// patches of package redlock's source, which are not in the sample.
func Mutants() []Mutant {
	var rows []struct {
		Mutant `yaml:",inline"`
		Patch  string
	}
	decoder := yaml.NewDecoder(bytes.NewReader(mutantsText))
	decoder.KnownFields(true)
	if err := decoder.Decode(&rows); err != nil {
		panic(err) // the file is our own
	}
	var list []Mutant
	for _, row := range rows {
		m := row.Mutant
		m.Subject, m.Oracle = "SY-0", cmp.Or(m.Oracle, checker.OracleOverlap)
		m.Sample = row.Patch == "" && m.Budget <= sampleBudget
		if m.Option.Name == "" {
			m.Option = plan.Option{Name: "bug", Value: m.Name}
		}
		if row.Patch != "" {
			p, _ := overlay.Find(row.Patch) // TestMutantsAreDeclared: all are there
			m.Name, m.Subject, m.Intent = "redlock:"+row.Patch, "SY-10", p.Intent
			m.Option = plan.Option{Name: "patch", Value: row.Patch}
		}
		list = append(list, m)
	}
	return list
}

// sampleBudget is the largest budget of a mutant in the sample.
const sampleBudget = 200

// Healthy lists what must not be caught in the largest budget: the locks that the
// bugs are planted in, where their runs may break no more than a bug's runs may.
func Healthy() []Mutant {
	var list []Mutant
	for _, t := range []Trial{{Subject: "SY-0"}, {Subject: "SY-10"}, {Subject: "SY-10", Break: []string{checker.AssumptionVote}}} {
		list = append(list, Mutant{
			Name: strings.Join(append([]string{t.Subject}, t.Break...), ":"), Intent: "healthy",
			Subject: t.Subject, Break: t.Break,
		})
	}
	return list
}
