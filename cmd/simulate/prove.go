package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"redlocklab/tla/proof"
)

func (p *program) proveCommand() *cobra.Command {
	var theorems bool
	command := &cobra.Command{
		Use:   "prove",
		Short: "check the theorems with Coq",
		Long: `Compiles the theorems of tla/proof with coqc: mutual exclusion for every number of nodes
and leases, every TTL and all clocks within the bound. tla/README.md lists the
others. Every theorem must have a complete proof, and the axioms must be those of
tla/proof/axioms.txt. Then it weakens one part of the system at a time: each time a
proof must fail. --theorems skips the weakened variants.
` + exitCodes(`
  0    every theorem is proved, and every weakened variant fails
  1    a proof or an axiom is not as it should be, or a weakened variant passes
  6    coqc is missing: nothing was checked`),
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			started := time.Now()
			var variants []proof.Variant
			if !theorems {
				variants = proof.Variants()
			}
			report, err := proof.Check(command.Context(), variants, func(line string) { fmt.Fprintln(p.err, line) })
			if err != nil {
				return err
			}
			for _, problem := range report.Problems {
				fmt.Fprintln(p.out, problem)
			}
			weakened := "no weakened variant was checked"
			if !theorems {
				weakened = fmt.Sprintf("%d of %d weakened variants fail", report.Variants, len(variants))
			}
			fmt.Fprintf(p.out, "%d theorems on the axioms %s; %s; %.0f s\n", report.Theorems,
				strings.Join(report.Axioms, ", "), weakened, time.Since(started).Seconds())
			return exitIf(len(report.Problems) > 0, exitSafety)
		},
	}
	command.Flags().BoolVar(&theorems, "theorems", false, "check the theorems only, not their weakened variants")
	return command
}
