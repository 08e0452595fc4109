package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"redlocklab/cmd/simulate/tables"
	"redlocklab/scenarios/journal"
	"redlocklab/tla"
	"redlocklab/tla/conform"
)

// conformInput is the input of a check, as the journal keeps it.
type conformInput struct {
	Program string     `json:"program"` // its SHA-256: another build may play other traces
	Names   []string   `json:"names"`
	Seeds   seedChoice `json:"seeds"`
	Jar     string     `json:"jar"`
}

func (p *program) conformCommand() *cobra.Command {
	var seeds string
	var input conformInput
	f := &journalFlags{}
	command := &cobra.Command{
		Use:   "conform [NAME|CLAIM|FILE|FOLDER…]",
		Short: "check that traces of the running code are behaviours of the TLA+ specification",
		Long: `Plays the scenarios with SY-0 and SY-10 and turns each trace into events of the
specification (tla/TraceRedlock.tla). TLC must find an action of Redlock.tla for every
event. Rows that the specification does not model are listed with the reason. Every
action must be seen. Some traces get one impossible change each, such as a vote whose SET
never executed: TLC must reject these.

Ctrl-C and SIGTERM keep TLC's answers, and name the command that continues. That
command plays the runs again, and asks TLC only about the rest.
` + exitCodes(`
  0    every trace is explained, every changed one is rejected, every action was seen
  1    TLC cannot explain a trace (its first such event is printed), or accepts a changed one
  4    an action was never seen, or no trace was fit for some change: play more seeds
  6    Java or TLC is missing; the commands that install them are printed`),
		Example: "  simulate conform --seeds 1-20 --out D\n  simulate conform --resume D\n  simulate conform BA-2 --seeds 7",
		Args:    cobra.ArbitraryArgs,
		RunE: func(command *cobra.Command, args []string) error {
			if _, err := f.resumed(command, args, "seeds", "jar"); err != nil {
				return err
			}
			var err error
			if input.Seeds, err = parseSeeds(seeds); err != nil {
				return err
			}
			input.Names = args
			kept, err := f.openOfBuild("conform", &input.Program, &input)
			if err != nil {
				return err
			}
			defer kept.Close()
			if err := f.keep(kept, 0, ""); err != nil {
				return err
			}
			return p.conform(command.Context(), f, input, kept)
		},
	}
	command.Flags().StringVar(&seeds, "seeds", "1-5", "`RANGE` of the seeds to play of every row")
	f.add(command, "the journal")
	addJar(command, &input.Jar)
	return command
}

// conform checks and prints. Only the whole suite must cover every action and change.
func (p *program) conform(ctx context.Context, f *journalFlags, input conformInput, kept *journal.Journal) error {
	started := time.Now()
	options := conform.Options{
		First: input.Seeds.First, Last: input.Seeds.Last, Jar: input.Jar, Kept: map[int][]tla.TraceVerdict{},
		Progress: p.progress,
	}
	traces := 0
	err := journal.Read(kept, func(answer conform.Answer) error {
		options.Kept[answer.Batch] = answer.Verdicts
		traces += len(answer.Verdicts)
		return nil
	})
	if err == nil {
		options.Scenarios, err = findScenarios(input.Names)
	}
	if err != nil {
		return err
	}
	options.Keep = func(answer conform.Answer) {
		kept.Add(answer)
		traces += len(answer.Verdicts)
	}
	var report *conform.Report
	return p.playKept(ctx, f, longCommand{
		name: "conform", kept: kept, runs: func() int { return traces },
		play: func(ctx context.Context) (err error) {
			report, err = conform.Check(ctx, options)
			if errors.Is(err, context.Canceled) || errors.As(err, new(*tla.MissingToolError)) {
				return err
			}
			return bug(err)
		},
		show: func() error { return p.showConform(report, time.Since(started), len(input.Names) == 0, kept) },
	})
}

// showConform prints a report, and makes an exit code of it.
func (p *program) showConform(report *conform.Report, elapsed time.Duration, whole bool, kept *journal.Journal) error {
	w := tables.New(p.out, "SCENARIO", "SUBJECT", "TRACES", "EVENTS", "RESULT")
	report.Write(w)
	if err := w.Flush(); err != nil {
		return err
	}
	for _, problem := range report.Problems() {
		fmt.Fprintln(p.out, problem)
	}
	_, err := fmt.Fprintln(p.out, report.Summary(elapsed, whole))
	if err = errors.Join(err, kept.Close()); err != nil {
		return err
	}
	return cmp.Or(exitIf(report.Rejected() > 0 || report.Failed() > 0, exitSafety),
		exitIf(whole && (len(report.Unseen()) > 0 || len(report.Missed()) > 0), exitInconclusive))
}
