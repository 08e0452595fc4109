package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"redlocklab/cmd/simulate/tables"
	"redlocklab/tla"
)

func addJar(command *cobra.Command, jar *string) {
	command.Flags().StringVar(jar, "jar", "", "TLC's jar `FILE`, instead of "+tla.JarVariable+" or the one in tla/lib")
}

func (p *program) tlaCommand() *cobra.Command {
	var options tla.Options
	var list, table bool
	command := &cobra.Command{
		Use:   "tla [MODEL…]",
		Short: "check the TLA+ models with TLC",
		Long: `Runs TLC on the quick models, with --full on all models, with names on the named
ones. It compares each with its expected result. Some models must hold; others must fail
in the one way that their claim names. With --mutants it runs the mutants. A mutant
differs from a model by one constant or one line of the specification; a property of the
model must fail.

With --out D, D records the models that were as expected, each with a hash of TLC's
input. These are not checked again: after Ctrl-C, give the same command to
continue.
` + exitCodes(`
  0    every model is as expected
  1    a model is not as expected
  6    Java or TLC's jar is missing: nothing was checked`),
		Example: "  simulate tla --list\n  simulate tla --quick\n  simulate tla --full --out out/tla\n  simulate tla --mutants",
		Args:    cobra.ArbitraryArgs,
		RunE: func(command *cobra.Command, args []string) error {
			options.Models = args
			if list {
				return p.listModels(&options)
			}
			if options.Parallel < 0 {
				return fmt.Errorf("--workers: found %d; allowed: 1 or more, or 0 for as many as fit", options.Parallel)
			}
			if options.Directory != "" {
				if err := writable("--out", options.Directory); err != nil {
					return err
				}
			}
			return p.models(command.Context(), options, table)
		},
	}
	command.Flags().BoolVar(&list, "list", false, "list the models and their expected results; run nothing")
	command.Flags().BoolVar(&table, "table", false, "print the measured table of tla/README.md, in Markdown")
	command.MarkFlagsMutuallyExclusive("list", "table")
	command.Flags().Bool("quick", true, "the models that take seconds")
	command.Flags().BoolVar(&options.Full, "full", false, "the models that take minutes, too")
	command.MarkFlagsMutuallyExclusive("quick", "full")
	command.Flags().BoolVar(&options.Mutants, "mutants", false, "the mutants instead of the models: each must fail as its property says")
	command.Flags().IntVar(&options.Parallel, "workers", 0, "TLC workers at a time; 0 is as many as fit")
	command.Flags().StringVar(&options.Directory, "out", "", "`DIR` for TLC's output and the results; it is created")
	addJar(command, &options.Jar)
	return command
}

func (p *program) listModels(options *tla.Options) error {
	models, err := tla.LoadManifest().Select(true, options.Mutants, options.Models)
	if err != nil {
		return err
	}
	table := tables.New(p.out, "MODEL", "TIME", "MUST", "CLAIMS", "SAYS")
	for _, model := range models {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", model.Name, model.TimeClass, model.Expected, strings.Join(model.Claims, ", "), model.Says)
	}
	return table.Flush()
}

// models checks models and prints a table of them, in Markdown if asked to.
func (p *program) models(ctx context.Context, options tla.Options, markdown bool) error {
	options.Progress = p.err
	report, err := tla.Run(ctx, options)
	if errors.Is(err, context.Canceled) {
		return &exitError{exitInterrupted, errors.New("interrupted; with --out DIR the results are kept, and the same command continues")}
	}
	if err != nil {
		return err
	}
	write := report.WriteTable
	if markdown && report.Failed() == 0 {
		write = report.WriteMarkdown
	}
	if err := write(p.out); err != nil {
		return err
	}
	return exitIf(report.Failed() > 0, exitSafety)
}
