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
	var list bool
	command := &cobra.Command{
		Use:   "tla [MODEL…]",
		Short: "check the TLA+ models with TLC, each against what is expected of it",
		Long: `Runs TLC on the quick models (with --full on all, with names on those) and compares
each with what it must say: some must hold, others must fail in the one
way that their claim names. A model that does not exits 1. Java and TLC's jar are
needed; without them nothing is checked and the exit code is 6.

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
			if options.TraceDirectory != "" {
				if err := writable(options.TraceDirectory); err != nil {
					return err
				}
			}
			return p.models(command.Context(), options)
		},
	}
	command.Flags().BoolVar(&list, "list", false, "list the models and what each must say; run nothing")
	command.Flags().Bool("quick", true, "the models that take seconds")
	command.Flags().BoolVar(&options.Full, "full", false, "the models that take minutes, too")
	command.MarkFlagsMutuallyExclusive("quick", "full")
	command.Flags().IntVar(&options.Parallel, "workers", 0, "TLC workers at a time; 0 is as many as fit")
	command.Flags().StringVar(&options.Jar, "jar", "", "TLC's jar `FILE`, instead of "+tla.JarVariable+" or the one in tla/lib")
	command.Flags().StringVar(&options.TraceDirectory, "out", "", "`DIR` for TLC's output, one file per model; it is created")
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

func (p *program) models(ctx context.Context, options tla.Options) error {
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
		return &exitError{exitInterrupted, errors.New("interrupted")}
	case errors.Is(err, os.ErrPermission), errors.Is(err, os.ErrNotExist):
		return err
	case err != nil:
		return &exitError{exitBug, err}
	}
	if err := report.WriteTable(p.out); err != nil {
		return err
	}
	if report.Failed() > 0 {
		return exit(exitSafety)
	}
	return nil
}
