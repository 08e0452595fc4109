package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"redlocklab/cmd/simulate/choice"
	"redlocklab/cmd/simulate/lists"
	"redlocklab/cmd/simulate/tables"
	"redlocklab/faults"
	"redlocklab/scenarios"
)

// parametersList is the list of what --set can change in a scenario.
const parametersList = "parameters"

func (p *program) listCommand() *cobra.Command {
	var names []string
	var meanings strings.Builder
	for _, l := range lists.All(nil) {
		names = append(names, l.Name)
		fmt.Fprintf(&meanings, "  %-12s %s\n", l.Name, l.Meaning)
	}
	return &cobra.Command{
		Use:   "list [" + strings.Join(names, "|") + "|parameters NAME]",
		Short: "what there is to run, and what the words mean",
		Long: `Prints one of these lists:
` + meanings.String() + `  parameters   of the scenario NAME, or of a file: what --set can change, with values and ranges;
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
			aligned := tables.New(p.out)
			if wanted == parametersList {
				s, err := choice.One(args[1])
				if err == nil {
					err = lists.Parameters(aligned, s)
				}
				return cmp.Or(err, aligned.Flush())
			}
			suite, err := scenarios.Suite()
			if err != nil {
				return bug(err)
			}
			for _, l := range lists.All(suite) {
				if l.Name == wanted {
					l.Print(aligned)
					return aligned.Flush()
				}
			}
			return fmt.Errorf("found %q; %s", wanted, faults.Allowed(wanted, append(names, parametersList)))
		},
	}
}
