package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"redlocklab/scenarios"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/search"
)

const mutantsHelp = `Plays drawn runs, as explore does, with locks that have a bug planted in them: the
oracle that the table names must call each of them violated within its budget of
runs. The healthy locks beside them must not be violated in the largest of these
budgets. Seeds count from 1, so the runs until the detection are always the same.

Exit codes:
  0    every bug was caught, no healthy lock was
  1    a bug was not caught, or a healthy lock was
  2    bad usage
  70   a bug of this program
  130  interrupted`

func (p *program) mutantsCommand() *cobra.Command {
	f := &playFlags{}
	var sample bool
	command := &cobra.Command{
		Use:   "mutants",
		Short: "check that every planted bug is caught, and no healthy lock",
		Long:  mutantsHelp,
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			settings, err := f.settings(p)
			if err != nil {
				return err
			}
			return p.mutants(command.Context(), settings, sample)
		},
	}
	command.Flags().BoolVar(&sample, "sample", false, "only the bugs that are caught soon, and as few runs of the healthy locks")
	f.add(command)
	return command
}

// mutants hunts every planted bug, then plays the healthy locks.
func (p *program) mutants(ctx context.Context, settings campaign.Settings, sample bool) error {
	w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "MUTANT\tORACLE\tBUDGET\tCAUGHT AFTER\tINTENT")
	failed, budget := 0, 0
	for _, m := range search.Mutants() {
		if sample && !m.Sample {
			continue
		}
		budget = max(budget, m.Budget)
		after, err := p.hunt(ctx, settings, m.Options(), m.Budget, m.Target())
		if err != nil {
			return errors.Join(err, w.Flush())
		}
		caught := fmt.Sprint(after)
		if after == 0 {
			caught, failed = "NOT CAUGHT", failed+1
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\n", m.Name, m.Oracle, m.Budget, caught, m.Intent)
	}
	for _, subject := range search.Healthy() {
		after, err := p.hunt(ctx, settings, search.Options{Subject: subject}, budget, unexcused()...)
		if err != nil {
			return errors.Join(err, w.Flush())
		}
		caught := "never"
		if after > 0 {
			caught, failed = fmt.Sprintf("%d: NOT HEALTHY", after), failed+1
		}
		fmt.Fprintf(w, "%s\tany\t%d\t%s\thealthy\n", subject, budget, caught)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if failed > 0 {
		fmt.Fprintf(p.out, "%d not as they should be\n", failed)
		return exit(exitSafety)
	}
	return nil
}

// unexcused are the violations that break no assumption.
func unexcused() (targets []search.Target) {
	for _, oracle := range scenarios.Oracles() {
		targets = append(targets, search.Target{Oracle: oracle})
	}
	return targets
}

// hunt returns after how many runs one of the targets was first shown; 0: in none.
func (p *program) hunt(ctx context.Context, settings campaign.Settings, o search.Options, budget int, targets ...search.Target) (int, error) {
	first := func(e *exploration) (run int) {
		for _, f := range e.found() {
			for _, target := range targets {
				if f.target.Oracle == target.Oracle && slices.Equal(f.target.Broken, target.Broken) && (run == 0 || f.run < run) {
					run = f.run
				}
			}
		}
		return run
	}
	strategy, err := search.Start(search.StrategyNames()[0], 1, o)
	if err != nil {
		return 0, err
	}
	e := &exploration{strategy: strategy, runs: budget, enough: func(e *exploration) bool { return first(e) > 0 }}
	err = p.playDrawn(ctx, settings, e)
	return first(e), err
}
