package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"redlocklab/cmd/simulate/tables"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/saved"
	"redlocklab/scenarios/search"
)

func (p *program) replayCommand() *cobra.Command {
	f, out := &playFlags{}, ""
	command := &cobra.Command{
		Use:   "replay DIR|FILE",
		Short: "play a saved run or a minimal plan again",
		Long: `Plays the plan of a saved run again, and prints the hash of its trace. A run
depends only on its plan: replay needs neither the scenario's file nor the seed.

The same plan must make the same trace, to the byte. If it does not, replay prints the first
event that differs. You may edit DIR/plan.json: it is then a new run, compared
with the expectation in the plan. DIR stays as it is; --out saves the new run. A folder with
several saved runs is replayed one run after the other.

FILE is a minimal plan of the report (cmd/simulate/report/minimal). It has no trace: replay
checks that it still shows the recorded violation.
` + exitCodesHelp,
		Example: `  simulate run BA-2 --subject SY-0 --seed 7 --out D
  simulate replay D
  simulate replay cmd/simulate/report/minimal/SY-0-maximum-RS-4-maximum.json --out D2`,
		Args: cobra.ExactArgs(1),
		RunE: func(command *cobra.Command, args []string) error {
			if err := f.apply(p); err != nil {
				return err
			}
			info, err := os.Stat(args[0])
			switch {
			case err != nil:
				return err
			case !info.IsDir() && filepath.Base(args[0]) != saved.PlanFile:
				return p.replayMinimal(command.Context(), args[0], out)
			}
			dirs, err := saved.FindSaved(args[0])
			if err != nil {
				return err
			}
			runs := make([]*saved.Saved, len(dirs)) // all are read before one is played
			for i, dir := range dirs {
				if runs[i], err = saved.OpenSaved(dir); err != nil {
					return err
				}
			}
			if out != "" && (len(runs) > 1 || !runs[0].Changed()) {
				return errors.New("found --out beside a saved run; allowed: with the file of a minimal plan, " +
					"or with one run whose plan was changed; this one is saved already")
			}
			if err := canSave(out); err != nil {
				return err
			}
			worst := exitExpected
			for _, run := range runs {
				code, err := p.replay(command.Context(), run, out)
				if err != nil {
					return err
				}
				worst = worse(worst, code)
			}
			return exit(worst)
		},
	}
	command.Flags().StringVar(&out, "out", "", "`DIR` for the run of a minimal plan, or of a changed one")
	f.add(command)
	return command
}

// replayMinimal plays a minimal plan and checks that it still shows the recorded violation.
func (p *program) replayMinimal(ctx context.Context, path, out string) error {
	minimal, err := search.LoadMinimal(path)
	if err == nil {
		err = canSave(out)
	}
	if err != nil {
		return err
	}
	report, err := p.playPlan(ctx, minimal.Plan, out)
	if err != nil {
		return err
	}
	code, err := p.printCompared(minimal.Plan, &report, path)
	if err != nil {
		return err
	}
	p.printSaved(out, report.Failure)
	return exit(code)
}

// printSaved prints where a run was saved, if it was.
func (p *program) printSaved(out, failure string) {
	if out != "" && failure == "" {
		fmt.Fprintf(p.out, "saved in %s; its story: ./simulate explain %s\n", out, out)
	}
}

// printCompared compares the run of a plan with its expectation, prints its row, and returns the exit
// code. path is the argument of replay.
func (p *program) printCompared(played *plan.Plan, report *campaign.Summary, path string) (code int, err error) {
	job := campaign.PlanJob(played)
	row := campaign.NewRow(&job, []campaign.Summary{*report})
	for i := range row.Problems {
		row.Problems[i].Replay = "./simulate replay " + path
	}
	rows := []campaign.Row{row}
	return campaign.ExitCode(rows), tables.WriteRows(p.out, rows)
}

// replay plays one saved run again, prints whether its trace is the same, and returns the
// exit code. The run of a changed plan is saved in out, unless that is empty.
func (p *program) replay(ctx context.Context, old *saved.Saved, out string) (code int, err error) {
	dir, err := os.MkdirTemp("", "simulate-replay-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	dir = cmp.Or(out, filepath.Join(dir, "run"))
	report, err := p.playPlan(ctx, old.Plan, dir)
	if err != nil {
		return 0, err
	}
	name := fmt.Sprintf("%s %s seed %d", report.Scenario, report.Subject, report.Seed)
	switch {
	case report.Failure != "":
		fmt.Fprintf(p.out, "%s: %s\n", name, report.Failure)
		return exitInconclusive, nil
	case old.Changed():
		fmt.Fprintf(p.out, "%s: the plan was changed after it was played: this is a new run, "+
			"compared with the expectation in the plan\ntrace %s\n", name, report.TraceHash)
		p.printSaved(out, report.Failure)
		return p.printCompared(old.Plan, &report, old.Dir)
	}
	if report.TraceHash == old.TraceHash && report.TraceHash == old.Verdict.TraceHash {
		fmt.Fprintf(p.out, "%s: trace %s, the same as when it was saved\n", name, report.TraceHash)
		return exitExpected, nil
	}
	oldTrace := filepath.Join(old.Dir, saved.TraceFile)
	difference, err := saved.CompareTraces(oldTrace, filepath.Join(dir, saved.TraceFile))
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(p.out, "%s: the replayed trace is not the saved one\n  saved:    %s\n  replayed: %s\n",
		name, old.TraceHash, report.TraceHash)
	p.printDifference(difference, "saved", "replayed")
	if report.TraceHash == old.Verdict.TraceHash {
		return 0, fmt.Errorf("%s: found another trace than %s names, which the plan still makes; "+
			"allowed: the file as it was saved", oldTrace, saved.VerdictFile)
	}
	if difference == nil {
		fmt.Fprintf(p.out, "the two traces are equal: %s names another trace, %s\n",
			filepath.Join(old.Dir, saved.VerdictFile), old.Verdict.TraceHash)
	}
	return exitNondeterministic, nil
}

// printDifference prints the first event in which two traces differ; nil is none.
func (p *program) printDifference(d *saved.TraceDifference, first, second string) {
	if d == nil {
		return
	}
	const ended = "(the trace has ended)"
	width := max(len(first), len(second)) + 1
	fmt.Fprintf(p.out, "first differing event, line %d:\n  %-*s %s\n  %-*s %s\n", d.Line,
		width, first+":", cmp.Or(d.First, ended), width, second+":", cmp.Or(d.Second, ended))
}
