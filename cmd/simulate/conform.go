package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"redlocklab/cmd/simulate/choice"
	"redlocklab/cmd/simulate/shard"
	"redlocklab/cmd/simulate/tables"
	"redlocklab/scenarios/journal"
	"redlocklab/tla"
	"redlocklab/tla/conform"
)

// conformTold is what the journal keeps of a check.
type conformTold struct {
	Program string       `json:"program"` // its SHA-256: another build may play other traces
	Names   []string     `json:"names"`
	Seeds   choice.Seeds `json:"seeds"`
	Jar     string       `json:"jar"`
}

func (p *program) conformCommand() *cobra.Command {
	var seeds, jar string
	f := &journalFlags{}
	command := &cobra.Command{
		Use:   "conform [NAME|CLAIM|FILE|FOLDER…]",
		Short: "check that traces of the running code are behaviours of the TLA+ specification",
		Long: `Plays the scenarios with SY-0 and SY-10 and turns each trace into events of the
specification (tla/TraceRedlock.tla). TLC must explain every event by an action of
Redlock.tla. Rows that the specification does not model are listed with the reason. Every
action must be seen. Some traces get one impossible change each, such as a vote whose
SET never executed: TLC must reject these.

Ctrl-C and SIGTERM keep what TLC has answered, and name the command that continues. It
plays the runs again, and asks TLC what is left.
` + exitCodes(`
  0    every trace is explained, every changed one is rejected, every action was seen
  1    a trace is not explained (its first such event is printed), or a changed one is
  4    an action was never seen, or a change fitted no trace: play more seeds
  6    Java or TLC is missing; the commands that install them are printed`),
		Example: "  simulate conform --seeds 1-20 --out D\n  simulate conform --resume D\n  simulate conform BA-2 --seeds 7",
		Args:    cobra.ArbitraryArgs,
		RunE: func(command *cobra.Command, args []string) error {
			if _, err := f.resumed(command, args, "seeds", "jar"); err != nil {
				return err
			}
			program, err := shard.ProgramHash()
			if err != nil {
				return bug(err)
			}
			told := conformTold{Program: program, Names: args, Jar: jar}
			if told.Seeds, err = choice.ParseSeeds(seeds); err != nil {
				return err
			}
			kept, err := f.open("conform", &told)
			if err != nil {
				return err
			}
			defer kept.Close()
			if told.Program != program {
				return otherBuild(f.resume)
			}
			if err := f.keep(kept, 0, ""); err != nil {
				return err
			}
			return p.conform(command.Context(), told, kept)
		},
	}
	command.Flags().StringVar(&seeds, "seeds", "1-5", "`RANGE` of the seeds to play of every row")
	f.add(command, "the journal")
	addJar(command, &jar)
	return command
}

// conform checks and prints. Only the whole suite must cover every action and change.
func (p *program) conform(ctx context.Context, told conformTold, kept *journal.Journal) error {
	started := time.Now()
	options := conform.Options{
		First: told.Seeds.First, Last: told.Seeds.Last, Jar: told.Jar, Kept: map[int][]tla.TraceVerdict{},
		Progress: func(verb, unit string, total int) (step, end func()) {
			line := tables.NewProgress(p.err, verb, total)
			line.Unit = unit
			return line.Step, line.End
		},
	}
	traces := 0
	take := func(answer conform.Answer) error {
		options.Kept[answer.Batch] = answer.Verdicts
		traces += len(answer.Verdicts)
		return nil
	}
	err := journal.Read(kept, take)
	if err == nil {
		options.Scenarios, err = choice.Scenarios(told.Names)
	}
	if err != nil {
		return err
	}
	options.Keep = func(answer conform.Answer) {
		kept.Add(answer)
		traces += len(answer.Verdicts)
	}
	ctx, stop := whileKept(ctx, kept)
	defer stop()
	report, err := conform.Check(ctx, options)
	switch {
	case errors.Is(err, context.Canceled):
		return interrupted("conform", kept, traces)
	case errors.As(err, new(*tla.MissingToolError)):
		return err
	case err != nil:
		return bug(err)
	}
	whole := len(told.Names) == 0
	if err := errors.Join(p.printConform(report, time.Since(started), whole), kept.Close()); err != nil {
		return err
	}
	switch {
	case report.Rejected() > 0 || report.Failed() > 0:
		return exit(exitSafety)
	case whole && (len(report.Unseen()) > 0 || len(report.Missed()) > 0):
		return exit(exitInconclusive)
	}
	return nil
}

func (p *program) printConform(report *conform.Report, elapsed time.Duration, whole bool) error {
	w := p.table("SCENARIO", "SUBJECT", "TRACES", "EVENTS", "RESULT")
	report.Write(w)
	if err := w.Flush(); err != nil {
		return err
	}
	for _, problem := range report.Problems() {
		fmt.Fprintln(p.out, problem)
	}
	_, err := fmt.Fprintln(p.out, report.Summary(elapsed, whole))
	return err
}
