package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"redlocklab/tla"
)

func (p *program) tlaCommand() *cobra.Command {
	var options tla.Options
	var list, table bool
	command := &cobra.Command{
		Use:   "tla [MODEL…]",
		Short: "check the TLA+ models with TLC, each against what is expected of it",
		Long: `Runs TLC on the quick models (with --full on all, with names on those) and compares
each with what it must say: some must hold, others must fail in the one
way that their claim names. A model that does not exits 1. Java and TLC's jar are
needed; without them nothing is checked and the exit code is 6.

With --out D, models that were as expected are kept in D, together with a hash of all
that TLC was given, and are not checked again: after Ctrl-C the same command goes on.

` + exitCodesHelp,
		Example: "  simulate tla --list\n  simulate tla --quick\n  simulate tla --full --out out/tla",
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
	command.Flags().BoolVar(&list, "list", false, "list the models and what each must say; run nothing")
	command.Flags().BoolVar(&table, "table", false, "print the measured table of tla/README.md, in Markdown")
	command.MarkFlagsMutuallyExclusive("list", "table")
	command.Flags().Bool("quick", true, "the models that take seconds")
	command.Flags().BoolVar(&options.Full, "full", false, "the models that take minutes, too")
	command.MarkFlagsMutuallyExclusive("quick", "full")
	command.Flags().IntVar(&options.Parallel, "workers", 0, "TLC workers at a time; 0 is as many as fit")
	command.Flags().StringVar(&options.Jar, "jar", "", "TLC's jar `FILE`, instead of "+tla.JarVariable+" or the one in tla/lib")
	command.Flags().StringVar(&options.Directory, "out", "", "`DIR` for TLC's output and for going on after an interruption; it is created")
	return command
}

func (p *program) listModels(options *tla.Options) error {
	manifest, err := tla.LoadManifest()
	if err != nil {
		return &exitError{exitBug, err}
	}
	models, err := manifest.Select(true, options.Models)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "MODEL\tTIME\tMUST\tCLAIMS\tSAYS")
	for _, model := range models {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", model.Name, model.TimeClass, model.Expected, strings.Join(model.Claims, ", "), model.Says)
	}
	return table.Flush()
}

// models checks models and prints a table of them, in Markdown if asked to.
func (p *program) models(ctx context.Context, options tla.Options, markdown bool) error {
	options.Progress = p.err
	report, err := tla.Run(ctx, options)
	var missing *tla.MissingToolError
	var wrong *tla.WrongJarError
	var unknown *tla.UnknownModelError
	switch {
	case errors.As(err, &missing), errors.As(err, &wrong):
		return &exitError{exitToolMissing, fmt.Errorf("NOT CHECKED: the TLA+ models: %w", err)}
	case errors.As(err, &unknown):
		return err
	case ctx.Err() != nil:
		if options.Directory == "" {
			return &exitError{exitInterrupted, errors.New("interrupted; with --out DIR what is done would be kept")}
		}
		return &exitError{exitInterrupted, fmt.Errorf("interrupted; what is done is kept in %s, and the same command goes on", options.Directory)}
	case errors.Is(err, os.ErrPermission), errors.Is(err, os.ErrNotExist):
		return err
	case err != nil:
		return &exitError{exitBug, err}
	}
	write := report.WriteTable
	if markdown && report.Failed() == 0 {
		write = report.WriteMarkdown
	}
	if err := write(p.out); err != nil {
		return err
	}
	if report.Failed() > 0 {
		return exit(exitSafety)
	}
	return nil
}
