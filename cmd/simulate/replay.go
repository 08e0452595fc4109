package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/saved"
	"redlocklab/scenarios/search"
)

func (p *program) replayCommand() *cobra.Command {
	f, out := &playFlags{}, ""
	command := &cobra.Command{
		Use:   "replay DIR|FILE",
		Short: "play a saved run or a minimal plan again",
		Long: `Plays the plan of a saved run again. The plan is all that a run depends on: the
scenario's file and the seed are not needed.

The same plan must make the same trace, to the byte: its hash is printed. If it
does not, the first event that differs is printed side by side, and the exit
code is 5. A plan that was changed since (DIR/plan.json is meant to be edited) is a
new run: it is judged against the expectation in it, and DIR stays as it is.

A folder with several saved runs in it is replayed one run after the other.

FILE is a minimal plan of the report's track record (cmd/simulate/report/minimal). It has
no trace: its run is judged against what it says that it shows. --out saves that run, to
be explained.

` + exitCodesHelp,
		Example: "  simulate run BA-2 --subject SY-0 --seed 7 --out D\n  simulate replay D\n  simulate replay cmd/simulate/report/minimal/SY-0-maximum-RS-4-maximum.json --out D2",
		Args:    cobra.ExactArgs(1),
		RunE: func(command *cobra.Command, args []string) error {
			settings, err := f.settings(p)
			if err != nil {
				return err
			}
			info, err := os.Stat(args[0])
			if err != nil {
				return err
			}
			if !info.IsDir() {
				return p.replayMinimal(command.Context(), settings, args[0], out)
			}
			if out != "" {
				return errors.New("found --out beside a saved run; allowed: beside the file of a minimal plan, for the run is saved already")
			}
			dirs, err := saved.FindSaved(args[0])
			if err != nil {
				return err
			}
			runs := make([]*saved.Saved, len(dirs))
			for i, dir := range dirs {
				if runs[i], err = saved.OpenSaved(dir); err != nil {
					return err
				}
			}
			worst := exitExpected
			for _, saved := range runs {
				code, err := p.replay(command.Context(), settings, saved)
				if err != nil {
					return err
				}
				worst = worse(worst, code)
			}
			return exit(worst)
		},
	}
	command.Flags().StringVar(&out, "out", "", "`DIR` to save the run of a minimal plan in")
	f.add(command)
	return command
}

// replayMinimal plays a minimal plan and judges it against what it says that it shows.
func (p *program) replayMinimal(ctx context.Context, settings campaign.Settings, path, out string) error {
	minimal, err := search.LoadMinimal(path)
	if err != nil {
		return err
	}
	if out != "" {
		if err := canSave(out); err != nil {
			return err
		}
	}
	job := campaign.PlanJob(minimal.Plan)
	job.Save = out
	report, err := campaign.PlayOne(ctx, settings, job)
	if err != nil {
		return err
	}
	code, err := p.judged(&job, &report, path)
	if err != nil {
		return err
	}
	if out != "" && report.Failure == "" {
		fmt.Fprintf(p.out, "saved in %s; told: ./simulate explain %s\n", out, out)
	}
	return exit(code)
}

// judged prints the row of one run, which is played again from a path, and
// returns its exit code.
func (p *program) judged(job *campaign.Job, report *campaign.Report, path string) (code int, err error) {
	row := campaign.NewRow(job, []campaign.Report{*report})
	for i := range row.Problems {
		row.Problems[i].Replay = "./simulate replay " + path
	}
	rows := []campaign.Row{row}
	return campaign.ExitCode(rows), campaign.WriteTable(p.out, rows)
}

// worse returns the exit code that goes before the other.
func worse(a, b int) int {
	for _, code := range []int{exitNondeterministic, exitSafety, exitLiveness, exitInconclusive} {
		if a == code || b == code {
			return code
		}
	}
	return exitExpected
}

// replay plays one saved run again and says what came of it.
func (p *program) replay(ctx context.Context, settings campaign.Settings, old *saved.Saved) (code int, err error) {
	job := campaign.PlanJob(old.Plan)
	dir, err := os.MkdirTemp("", "simulate-replay-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	job.Save = filepath.Join(dir, "run")
	report, err := campaign.PlayOne(ctx, settings, job)
	if err != nil {
		return 0, err
	}
	name := fmt.Sprintf("%s %s seed %d", report.Scenario, report.Subject, report.Seed)
	switch {
	case report.Failure != "":
		fmt.Fprintf(p.out, "%s: %s\n", name, report.Failure)
		return exitInconclusive, nil
	case old.Changed():
		fmt.Fprintf(p.out, "%s: the plan was changed since it was played: this is a new run, judged against the expectation in it\ntrace %s\n", name, report.TraceHash)
		return p.judged(&job, &report, old.Dir)
	}
	if report.TraceHash == old.TraceHash && report.TraceHash == old.Verdict.TraceHash {
		fmt.Fprintf(p.out, "%s: trace %s, the same as when it was saved\n", name, report.TraceHash)
		return exitExpected, nil
	}
	difference, err := saved.CompareTraces(filepath.Join(old.Dir, saved.TraceFile), filepath.Join(job.Save, saved.TraceFile))
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(p.out, "%s: the same plan made another trace\n  saved:    %s\n  replayed: %s\n", name, old.TraceHash, report.TraceHash)
	p.printDifference(difference, "saved", "replayed")
	if difference == nil {
		fmt.Fprintf(p.out, "the two traces are equal: %s names another trace, %s\n", filepath.Join(old.Dir, saved.VerdictFile), old.Verdict.TraceHash)
	}
	return exitNondeterministic, nil
}

// printDifference shows where two traces part.
func (p *program) printDifference(d *saved.TraceDifference, first, second string) {
	if d == nil {
		return
	}
	side := func(text string) string {
		if text == "" {
			return "(the trace has ended)"
		}
		return text
	}
	width := max(len(first), len(second)) + 1
	fmt.Fprintf(p.out, "first differing event, line %d:\n  %-*s %s\n  %-*s %s\n", d.Line, width, first+":", side(d.First), width, second+":", side(d.Second))
}
