package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"redlocklab/tla/proof"
)

func (p *program) proveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "prove",
		Short: "check the theorems with Coq",
		Long: `Compiles the theorems of tla/proof with coqc: mutual exclusion for every number of nodes
and leases, every TTL and all clocks within the bound. tla/README.md lists the
others. Nothing may be left without a proof, and the axioms must be those of
tla/proof/axioms.txt. Then it weakens the system in one place at a time: a proof must
fail each time.
` + exitCodes(`
  0    every theorem is proved, and every weakened variant fails
  1    a proof or an axiom is not as it should be, or a weakened variant passes
  6    coqc is missing: nothing was checked`),
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			started := time.Now()
			report, err := proof.Check(command.Context(), func(line string) { fmt.Fprintln(p.err, line) })
			if err != nil {
				return err
			}
			for _, problem := range report.Problems {
				fmt.Fprintln(p.out, problem)
			}
			fmt.Fprintf(p.out, "%d theorems on the axioms %s; %d of %d weakened variants fail; %.0f s\n", report.Theorems,
				strings.Join(report.Axioms, ", "), report.Variants, len(proof.Variants()), time.Since(started).Seconds())
			if len(report.Problems) > 0 {
				return exit(exitSafety)
			}
			return nil
		},
	}
}
