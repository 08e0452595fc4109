package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"redlocklab/cmd/simulate/choice"
	"redlocklab/cmd/simulate/tables"
	"redlocklab/faults"
	"redlocklab/scenarios"
	"redlocklab/scenarios/file"
	"redlocklab/scenarios/matrix"
	"redlocklab/scenarios/plan"
)

// parametersList is the list of what --set can change in a scenario.
const parametersList = "parameters"

func (p *program) listCommand() *cobra.Command {
	lists := []struct {
		name  string
		print func(*tables.Writer) error
	}{
		{"scenarios", listScenarios},
		{"subjects", listSubjects},
		{"faults", listFaults},
		{"claims", listClaims},
		{"words", listTerms(plan.Words())},
		{"assumptions", listTerms(plan.AssumptionTerms())},
		{"sources", listSources},
	}
	names := make([]string, len(lists))
	for i, l := range lists {
		names[i] = l.name
	}
	return &cobra.Command{
		Use:   "list [" + strings.Join(names, "|") + "|parameters NAME]",
		Short: "what there is to run, and what the words mean",
		Long: `Prints one of these lists:
  scenarios    the built-in suite (the default)
  subjects     the locks under test, with their options
  faults       what can go wrong, with parameters, ranges and an example line each
  claims       what the suite settles, and which scenarios settle it
  words        what this program's words mean
  assumptions  what the ids A-RATE to A-BOUNDED say
  sources      the public texts behind letters such as [D K P]
  parameters   of the scenario NAME, or of a file: what --set can change, with values and ranges;
               "list subjects" has the options of locks that it does not name`,
		Args: cobra.MaximumNArgs(2), ValidArgs: append(names, parametersList),
		RunE: func(_ *cobra.Command, args []string) error {
			wanted := names[0]
			if len(args) > 0 {
				wanted = args[0]
			}
			if (wanted == parametersList) != (len(args) == 2) {
				return fmt.Errorf("found %q; allowed: parameters with one scenario, or one other list", strings.Join(args, " "))
			}
			if wanted == parametersList {
				aligned := tables.New(p.out)
				if err := listParameters(aligned, args[1]); err != nil {
					return err
				}
				return aligned.Flush()
			}
			for _, l := range lists {
				if l.name == wanted {
					aligned := tables.New(p.out)
					if err := l.print(aligned); err != nil {
						return err
					}
					return aligned.Flush()
				}
			}
			return fmt.Errorf("found %q; %s", wanted, faults.Allowed(wanted, append(names, parametersList)))
		},
	}
}

func listScenarios(w *tables.Writer) error {
	suite, err := scenarios.Suite()
	if err != nil {
		return bug(err)
	}
	fmt.Fprintln(w, "SCENARIO\tCLAIM\tSEEDS\tSUBJECTS\tPARAMETERS\tTITLE")
	for _, s := range suite {
		var subjects []string
		for _, subject := range s.Subjects {
			subjects = append(subjects, subject.Title())
		}
		fmt.Fprintf(w, "%s\t%s\t%d-%d\t%s\t%s\t%s\n", s.Name, s.Claim, s.Seeds.First, s.Seeds.Last, strings.Join(subjects, ", "), parametersOf(s), s.Title)
	}
	return nil
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

// listParameters prints what --set can change in a scenario.
func listParameters(w *tables.Writer, name string) error {
	s, err := choice.One(name)
	if err != nil {
		return err
	}
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

func listSubjects(w *tables.Writer) error {
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
	return nil
}

func listFaults(w *tables.Writer) error {
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
	return nil
}

func listClaims(w *tables.Writer) error {
	suite, err := scenarios.Suite()
	if err != nil {
		return bug(err)
	}
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
	return nil
}

// listTerms lists words with what they mean.
func listTerms(terms []plan.Term) func(*tables.Writer) error {
	return func(w *tables.Writer) error {
		for _, term := range terms {
			fmt.Fprintf(w, "%s\t%s\n", term.Name, term.Meaning)
		}
		return nil
	}
}

func listSources(w *tables.Writer) error {
	for _, p := range plan.Publications() {
		fmt.Fprintf(w, "[%s]\t%s\t%s\n", p.Letter, p.Title, p.Link)
	}
	return nil
}
