package main

import (
	"context"
	"errors"
	"fmt"
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
		after, err := p.hunt(ctx, settings, m.Options(), m.Budget, m.Oracle)
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
		after, err := p.hunt(ctx, settings, search.Options{Subject: subject}, budget, scenarios.Oracles()...)
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

// hunt returns after how many runs one of the oracles first called a violation;
// 0: in none.
func (p *program) hunt(ctx context.Context, settings campaign.Settings, o search.Options, budget int, oracles ...scenarios.Oracle) (int, error) {
	first := func(e *exploration) (seed uint64) {
		for _, f := range e.found() {
			for _, oracle := range oracles {
				if f.target.Oracle == oracle && (seed == 0 || f.seed < seed) {
					seed = f.seed
				}
			}
		}
		return seed
	}
	e := &exploration{options: o, first: 1, runs: budget, enough: func(e *exploration) bool { return first(e) > 0 }}
	err := p.playDrawn(ctx, settings, e)
	return int(first(e)), err
}
