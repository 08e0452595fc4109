package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"redlocklab/cmd/simulate/tables"
	"redlocklab/faults"
	"redlocklab/scenarios"
	"redlocklab/scenarios/file"
	"redlocklab/scenarios/matrix"
	"redlocklab/scenarios/plan"
)

// list is one of the lists of what there is. Its columns are separated by tabs.
type list struct {
	name, meaning string
	print         func(w io.Writer, suite []*plan.Scenario)
}

// lists returns all lists but that of parameters; the first is the default.
func lists() []list {
	terms := func(terms func() []plan.Term) func(io.Writer, []*plan.Scenario) {
		return func(w io.Writer, _ []*plan.Scenario) {
			for _, term := range terms() {
				fmt.Fprintf(w, "%s\t%s\n", term.Name, term.Meaning)
			}
		}
	}
	return []list{
		{"scenarios", "the scenarios of the built-in suite (the default)", listScenarios},
		{"subjects", "the locks under test, with their options", listSubjects},
		{"faults", "the kinds of faults, each with parameters, ranges and an example line", listFaults},
		{"claims", "the claims, and which scenarios settle each", listClaims},
		{"words", "the words of this program, with definitions", terms(plan.Words)},
		{"assumptions", "the assumptions, from A-RATE to A-BOUNDED", terms(plan.AssumptionTerms)},
		{"sources", "the public texts behind letters such as [D K P]", listSources},
	}
}

// parametersList is the list of the parameters that --set can change in a scenario.
const parametersList = "parameters"

func (p *program) listCommand() *cobra.Command {
	var names []string
	var meanings strings.Builder
	for _, l := range lists() {
		names = append(names, l.name)
		fmt.Fprintf(&meanings, "  %-12s %s\n", l.name, l.meaning)
	}
	return &cobra.Command{
		Use:   "list [" + strings.Join(names, "|") + "|parameters NAME]",
		Short: "list scenarios, locks, faults and claims, and define the words",
		Long: `Prints one of these lists:
` + meanings.String() + `  parameters   of the scenario NAME, or of a file: the parameters of --set, with values and ranges;
               "list subjects" names the other options of locks`,
		Args: cobra.MaximumNArgs(2), ValidArgs: append(names, parametersList),
		RunE: func(_ *cobra.Command, args []string) error {
			wanted := names[0]
			if len(args) > 0 {
				wanted = args[0]
			}
			if (wanted == parametersList) != (len(args) == 2) {
				return fmt.Errorf("found %q; allowed: parameters with one scenario, or one other list", strings.Join(args, " "))
			}
			table := tables.New(p.out)
			if wanted == parametersList {
				return cmp.Or(listParameters(table, args[1]), table.Flush())
			}
			suite, err := scenarios.Suite()
			if err != nil {
				return bug(err)
			}
			for _, l := range lists() {
				if l.name == wanted {
					l.print(table, suite)
					return table.Flush()
				}
			}
			return fmt.Errorf("found %q; %s", wanted, faults.Allowed(wanted, append(names, parametersList)))
		},
	}
}

// listParameters prints the parameters of a scenario that --set can change.
func listParameters(w io.Writer, name string) error {
	s, err := findScenario(name)
	if err != nil {
		return err
	}
	parameters, err := file.Parameters(s)
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "PARAMETER\tVALUE\tALLOWED\tMEANING")
	for _, p := range parameters {
		if !ofAnotherLock(s, p.Name) {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", p.Name, p.Value, p.Allowed(), p.Meaning)
		}
	}
	return nil
}

// ofAnotherLock reports whether a parameter is an option of a lock that the scenario does not name.
func ofAnotherLock(s *plan.Scenario, parameter string) bool {
	lock, _, _ := strings.Cut(parameter, ".")
	isLock := slices.ContainsFunc(plan.Systems(), func(d plan.SubjectDeclaration) bool { return d.Name == lock })
	return isLock && !slices.ContainsFunc(s.Subjects, func(named plan.Subject) bool { return named.Name == lock })
}

func listScenarios(w io.Writer, suite []*plan.Scenario) {
	fmt.Fprintln(w, "SCENARIO\tCLAIM\tSEEDS\tSUBJECTS\tPARAMETERS\tTITLE")
	for _, s := range suite {
		subjects := plan.Texts(s.Subjects, func(row plan.Subject) string { return row.Title() })
		parameters := plan.Texts(s.Parameters, func(p plan.Parameter) string { return p.Name })
		changeable := cmp.Or(strings.Join(parameters, ", "), "none")
		if s.Map != nil && len(parameters) > 0 {
			changeable += " (map)"
		}
		fmt.Fprintf(w, "%s\t%s\t%d-%d\t%s\t%s\t%s\n", s.Name, s.Claim, s.Seeds.First, s.Seeds.Last,
			strings.Join(subjects, ", "), changeable, s.Title)
	}
}

func listSubjects(w io.Writer, _ []*plan.Scenario) {
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

func listFaults(w io.Writer, _ []*plan.Scenario) {
	for _, kind := range faults.Kinds() {
		fmt.Fprintf(w, "%s\t%s\n", kind.Name, kind.Summary)
		for _, parameter := range kind.Parameters {
			standard := "must be given"
			if parameter.Default != "" {
				standard = "default " + parameter.Default
			}
			fmt.Fprintf(w, "  %s\t%s: %s (%s)\n", parameter.Name, parameter.Meaning, parameter.Range, standard)
		}
		breaks := cmp.Or(strings.Join(kind.Breaks, ", "), "no assumption")
		fmt.Fprintf(w, "  can break\t%s: %s\n", breaks, kind.Condition)
		fmt.Fprintf(w, "  example\t- %s\n", kind.Example)
	}
}

func listClaims(w io.Writer, suite []*plan.Scenario) {
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
			fmt.Fprintf(w, "  applicable to it\t%d more\t%s\n", len(others), strings.Join(plan.Texts(others, scenarioName), ", "))
		}
		if len(own)+len(others) == 0 {
			fmt.Fprintf(w, "  MISSING\t\tno scenario settles this\n")
		}
	}
}

func listSources(w io.Writer, _ []*plan.Scenario) {
	for _, p := range plan.Publications() {
		fmt.Fprintf(w, "[%s]\t%s\t%s\n", p.Letter, p.Title, p.Link)
	}
}
