// Package lists prints what there is: scenarios, subjects, faults, claims, and words with
// their meanings. Columns are separated by tabs.
package lists

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"redlocklab/faults"
	"redlocklab/scenarios/file"
	"redlocklab/scenarios/matrix"
	"redlocklab/scenarios/plan"
)

// List is one list.
type List struct {
	Name    string
	Meaning string // what it lists
	Print   func(w io.Writer)
}

// All returns the lists, the default one first.
func All(suite []*plan.Scenario) []List {
	return []List{
		{"scenarios", "the built-in suite (the default)", func(w io.Writer) { suiteOf(w, suite) }},
		{"subjects", "the locks under test, with their options", subjects},
		{"faults", "what can go wrong, with parameters, ranges and an example line each", kinds},
		{"claims", "what the suite settles, and which scenarios settle it", func(w io.Writer) { claims(w, suite) }},
		{"words", "what this program's words mean", func(w io.Writer) { terms(w, plan.Words()) }},
		{"assumptions", "what the ids A-RATE to A-BOUNDED say", func(w io.Writer) { terms(w, plan.AssumptionTerms()) }},
		{"sources", "the public texts behind letters such as [D K P]", sources},
	}
}

func suiteOf(w io.Writer, suite []*plan.Scenario) {
	fmt.Fprintln(w, "SCENARIO\tCLAIM\tSEEDS\tSUBJECTS\tPARAMETERS\tTITLE")
	for _, s := range suite {
		var rows []string
		for _, subject := range s.Subjects {
			rows = append(rows, subject.Title())
		}
		fmt.Fprintf(w, "%s\t%s\t%d-%d\t%s\t%s\t%s\n", s.Name, s.Claim, s.Seeds.First, s.Seeds.Last, strings.Join(rows, ", "), parametersOf(s), s.Title)
	}
}

// parametersOf names the parameters that --set can change in a scenario, and says
// whether it has a map.
func parametersOf(s *plan.Scenario) string {
	names := make([]string, len(s.Parameters))
	for i, p := range s.Parameters {
		names[i] = p.Name
	}
	switch {
	case len(names) == 0:
		return "none"
	case s.Map != nil:
		return strings.Join(names, ", ") + " (map)"
	}
	return strings.Join(names, ", ")
}

// Parameters prints what --set can change in a scenario.
func Parameters(w io.Writer, s *plan.Scenario) error {
	list, err := file.Parameters(s)
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "PARAMETER\tVALUE\tALLOWED\tMEANING")
	for _, p := range list {
		if ofAnotherLock(s, p.Name) {
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", p.Name, p.Value, p.Allowed(), p.Meaning)
	}
	return nil
}

// ofAnotherLock reports whether a parameter is an option of a lock that the scenario does not name.
func ofAnotherLock(s *plan.Scenario, parameter string) bool {
	lock, _, _ := strings.Cut(parameter, ".")
	isLock := slices.ContainsFunc(plan.Systems(), func(d plan.SubjectDeclaration) bool { return d.Name == lock })
	return isLock && !slices.ContainsFunc(s.Subjects, func(named plan.Subject) bool { return named.Name == lock })
}

func subjects(w io.Writer) {
	for _, subject := range plan.Systems() {
		name := subject.Name
		if subject.Alias != "" {
			name += ", " + subject.Alias
		}
		fmt.Fprintf(w, "%s\t%s\n", name, subject.Doc)
		for _, option := range subject.Options {
			fmt.Fprintf(w, "  %s\t%s: %s (default %s)\n", option.Name, option.Doc, option.Allowed(), option.Values[0])
		}
	}
}

func kinds(w io.Writer) {
	for _, kind := range faults.Kinds() {
		fmt.Fprintf(w, "%s\t%s\n", kind.Name, kind.Summary)
		for _, parameter := range kind.Parameters {
			standard := "must be given"
			if parameter.Default != "" {
				standard = "default " + parameter.Default
			}
			fmt.Fprintf(w, "  %s\t%s: %s (%s)\n", parameter.Name, parameter.Meaning, parameter.Range, standard)
		}
		breaks := "no assumption: "
		if len(kind.Breaks) > 0 {
			breaks = strings.Join(kind.Breaks, ", ") + ": "
		}
		fmt.Fprintf(w, "  can break\t%s%s\n", breaks, kind.Condition)
		fmt.Fprintf(w, "  example\t- %s\n", kind.Example)
	}
}

func claims(w io.Writer, suite []*plan.Scenario) {
	for _, c := range plan.Claims() {
		source := c.Source
		if source != "" {
			source = " [" + source + "]"
		}
		fmt.Fprintf(w, "%s\t%s\t%s%s\n", c.ID, c.Kind, c.Title, source)
		own, others := matrix.Settles(c, suite)
		for _, s := range own {
			for i, row := range s.Subjects {
				file := ""
				if i == 0 {
					file = s.Name + ".yaml"
				}
				fmt.Fprintf(w, "  %s\t%s\t%s\n", file, row.Title(), row.Expectation())
			}
		}
		if len(others) > 0 {
			names := make([]string, len(others))
			for i, s := range others {
				names[i] = s.Name
			}
			fmt.Fprintf(w, "  applicable to it\t%d more\t%s\n", len(names), strings.Join(names, ", "))
		}
		if len(own)+len(others) == 0 {
			fmt.Fprintf(w, "  MISSING\t\tno scenario settles this\n")
		}
	}
}

// terms lists words with what they mean.
func terms(w io.Writer, list []plan.Term) {
	for _, term := range list {
		fmt.Fprintf(w, "%s\t%s\n", term.Name, term.Meaning)
	}
}

func sources(w io.Writer) {
	for _, p := range plan.Publications() {
		fmt.Fprintf(w, "[%s]\t%s\t%s\n", p.Letter, p.Title, p.Link)
	}
}
