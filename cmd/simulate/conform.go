package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"redlocklab/tla"
	"redlocklab/tla/conform"
)

func (p *program) conformCommand() *cobra.Command {
	var seeds, jar string
	command := &cobra.Command{
		Use:   "conform [NAME|CLAIM|FILE|FOLDER…]",
		Short: "check that traces of the running code are behaviours of the TLA+ specification",
		Long: `Plays the scenarios with SY-0 and SY-10 and turns each trace into events of the
specification (tla/TraceRedlock.tla). TLC must explain every event by an action of
Redlock.tla. Rows that the specification does not model are listed with the reason. Every
action must be seen. Some traces get one impossible change each, such as a vote whose
SET never executed: TLC must reject these.
` + exitCodes(`
  0    every trace is explained, every changed one is rejected, every action was seen
  1    a trace is not explained (its first such event is printed), or a changed one is
  4    an action was never seen, or a change fitted no trace: play more seeds
  6    Java or TLC is missing; the commands that install them are printed`),
		Example: "  simulate conform --seeds 1-20\n  simulate conform BA-2 --seeds 7",
		Args:    cobra.ArbitraryArgs,
		RunE: func(command *cobra.Command, args []string) error {
			chosen, err := parseSeeds(seeds)
			if err != nil {
				return err
			}
			options := conform.Options{First: chosen.First, Last: chosen.Last, Jar: jar, Progress: p.conformProgress()}
			if options.Scenarios, err = selectScenarios(args); err != nil {
				return err
			}
			return p.conform(command.Context(), options, len(args) == 0)
		},
	}
	command.Flags().StringVar(&seeds, "seeds", "1-5", "`RANGE` of the seeds to play of every row")
	addJar(command, &jar)
	return command
}

func (p *program) conformProgress() func(done, of int) {
	var line *progress
	last := 0
	return func(done, of int) {
		if line == nil {
			line = newProgress(p.err, "checked", of)
		}
		for ; last < done; last++ {
			line.step()
		}
		if done == of {
			line.end()
		}
	}
}

// conform checks and prints. A sample of the suite need not cover everything.
func (p *program) conform(ctx context.Context, options conform.Options, whole bool) error {
	report, err := conform.Check(ctx, options)
	var missing *tla.MissingToolError
	var wrong *tla.WrongJarError
	switch {
	case errors.As(err, &missing), errors.As(err, &wrong):
		return &exitError{exitToolMissing, err}
	case errors.Is(err, context.Canceled):
		return err
	case err != nil:
		return bug(err)
	}
	if err := p.printConform(report, whole); err != nil {
		return err
	}
	switch {
	case report.Rejected() > 0 || report.MutantsAccepted() > 0:
		return exit(exitSafety)
	case whole && (len(report.Unseen) > 0 || report.Missed() > 0):
		return exit(exitInconclusive)
	}
	return nil
}

func (p *program) printConform(report *conform.Report, whole bool) error {
	w := p.table("SCENARIO", "SUBJECT", "TRACES", "EVENTS", "RESULT")
	traces, events := 0, 0
	for _, row := range report.Rows {
		result := "explained"
		switch {
		case row.Unmodelled != "":
			result = "not modelled: " + row.Unmodelled
		case len(row.Rejected) > 0:
			result = fmt.Sprintf("%d NOT EXPLAINED", len(row.Rejected))
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\n", row.Scenario, row.Subject, row.Traces, row.Events, result)
		traces, events = traces+row.Traces, events+row.Events
	}
	fmt.Fprintln(w, "\nACTION\tEVENTS\t\t\t")
	for _, action := range tla.TraceActions {
		seen := fmt.Sprint(report.Actions[action])
		if report.Actions[action] == 0 {
			seen = "NEVER SEEN"
		}
		fmt.Fprintf(w, "%s\t%s\t\t\t\n", action, seen)
	}
	fmt.Fprintln(w, "\nCHANGE\tTRACES\tREJECTED\tFIRST UNEXPLAINED EVENT OF ONE\t")
	for _, m := range report.Mutations {
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\t\n", m.Mutation.Name, m.Traces, m.Rejected, m.Example)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, row := range report.Rows {
		for i, r := range row.Rejected {
			if i < 3 {
				fmt.Fprintf(p.out, "%s %s seed %d, resource %s: event %d is not explained: %v\n  ./simulate run %s --subject '%s' --seed %d --out D\n",
					row.Scenario, row.Subject, r.Seed, r.Resource, r.Event, r.What, row.Scenario, row.Subject, r.Seed)
			}
		}
	}
	for _, m := range report.Mutations {
		for _, where := range m.Accepted {
			fmt.Fprintf(p.out, "accepted although changed (%s): %s\n", m.Mutation.Change, where)
		}
		for _, where := range m.Elsewhere {
			fmt.Fprintf(p.out, "rejected, but not for its change (%s): %s\n", m.Mutation.Change, where)
		}
	}
	missing := ""
	if len(report.Unseen) > 0 && whole {
		missing = ", never seen: " + strings.Join(report.Unseen, ", ")
	}
	_, err := fmt.Fprintf(p.out, "%d of %d traces (%d events) explained in %.0f s; %d of %d actions seen%s; %d of %d changes rejected wherever they fitted\n",
		traces-report.Rejected(), traces, events, report.Elapsed.Seconds(), len(tla.TraceActions)-len(report.Unseen), len(tla.TraceActions), missing,
		len(report.Mutations)-report.Missed(), len(report.Mutations))
	return err
}
