package search

import (
	"fmt"
	"slices"
	"strings"

	"redlocklab/checker"
	"redlocklab/scenarios/plan"
)

// Trial is what drawing does not leave to chance.
type Trial struct {
	// Subject is the lock under test: "SY-10". Its settings may be added.
	Subject  string        `json:"subject"`
	Settings []plan.Option `json:"settings,omitempty"`
	// Break lists the assumptions that the run may break. Empty: every assumption is kept.
	Break []string `json:"break,omitempty"`
}

// Validate says what is wrong with the trial; nil when its runs can be drawn.
func (o Trial) Validate() error {
	d, known := plan.Declared(o.Subject)
	if !known {
		subjects := plan.Texts(plan.Systems(), func(d plan.SubjectDeclaration) string { return d.Name })
		return fmt.Errorf("found the unknown subject %q; allowed: %s", o.Subject, strings.Join(subjects, ", "))
	}
	for _, setting := range o.Settings {
		if err := d.Check(setting); err != nil {
			return err
		}
	}
	for i, id := range o.Break {
		if !slices.Contains(checker.Assumptions(), id) {
			return fmt.Errorf("found the assumption %q; allowed: %s", id, strings.Join(checker.Assumptions(), ", "))
		}
		if slices.Contains(o.Break[:i], id) {
			return fmt.Errorf("found the assumption %q twice; allowed: once", id)
		}
	}
	for _, s := range breakingSettings {
		if o.breaks(s.assumption) && !declares(d, s.Option) {
			return fmt.Errorf("found %s with %s; allowed: a subject with the option %s=%s, such as SY-0", s.assumption, o.Subject, s.Name, s.Value)
		}
	}
	if o.breaks(checker.AssumptionCounter) && !d.Abilities.Fences && !declares(d, counting) {
		return fmt.Errorf("found %s with %s; allowed: a subject with fencing tokens of its own, as SY-10", checker.AssumptionCounter, o.Subject)
	}
	return nil
}

// declares reports whether a subject can be told a setting.
func declares(d plan.SubjectDeclaration, setting plan.Option) bool {
	return slices.ContainsFunc(d.Options, func(x plan.OptionDeclaration) bool {
		return x.Name == setting.Name && slices.Contains(x.Values, setting.Value)
	})
}

// declaration is what the subject under test declares.
func (o Trial) declaration() plan.SubjectDeclaration {
	d, _ := plan.Declared(o.Subject)
	return d
}

// counting makes a subject that has no fencing tokens by itself take some from
// counters of the nodes. It is set only where nothing but the counters can go wrong,
// for such tokens go backwards when nodes are missed (RS-4).
var counting = plan.Option{Name: "fence", Value: "maximum"}

// breakingSettings break an assumption by how the subject is set.
var breakingSettings = []struct {
	assumption string
	plan.Option
}{
	{checker.AssumptionToken, plan.Option{Name: "token", Value: "shared"}},
	{checker.AssumptionRandom, plan.Option{Name: "retry", Value: "fixed"}},
}

func (o Trial) breaks(assumption string) bool { return slices.Contains(o.Break, assumption) }

// option is the value of a subject's setting.
func (o Trial) option(name, otherwise string) string {
	return plan.Subject{Options: o.Settings}.Option(name, otherwise)
}

// subject is the plan's subject, with what is expected of it: that everything
// holds, or that it may fail where something may be broken.
func (o Trial) subject() plan.Subject {
	s := plan.Subject{
		Name: o.Subject, Options: slices.Clone(o.Settings), Runs: plan.RunsAll,
		Expect: map[checker.Oracle]checker.Status{}, Broken: slices.Sorted(slices.Values(o.Break)),
	}
	for _, setting := range breakingSettings {
		if o.breaks(setting.assumption) && o.option(setting.Name, "") == "" {
			s.Options = append(s.Options, setting.Option)
		}
	}
	for _, oracle := range checker.Oracles() {
		s.Expect[oracle] = checker.Holds
		if len(o.Break) > 0 {
			s.Expect[oracle] = checker.Violated
		}
	}
	if len(o.Break) > 0 {
		s.Runs = plan.RunsSome
	}
	return s
}
