package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/sweep"
)

// sweepFlags are what sweep was told.
type sweepFlags struct {
	playFlags
	set      []string
	subjects []string
	seeds    string
	csv, svg string
	measure  string
}

const sweepHelp = `Plays a scenario for several values of its parameters and prints one line per
value and subject: in how many runs an oracle was violated, the margin between
two beliefs (negative: both hold), and how long each liveness goal took. Shares
come with their Wilson interval, medians with that of order statistics, both 95 %.

--set NAME=FROM:TO:STEP, NAME=A,B,C or NAME=VALUE; several make a grid. Without
--set it is the curve that the scenario's file asks for. "simulate list
scenarios" names the parameters and marks the scenarios that have a curve.

With --csv FILE an interrupted sweep goes on when the same command is given
again: what is done is kept beside FILE, in FILE.part, until the end. A sweep
measures; it compares nothing with what the file expects.
`

const sweepExitCodes = `
Exit codes:
  0    measured
  4    some run has no verdict: it was killed or hit a bound
  2    bad usage or input; nothing was written
  70   a bug of this program
  130  interrupted`

func (p *program) sweepCommand() *cobra.Command {
	f := &sweepFlags{}
	command := &cobra.Command{
		Use:   "sweep SCENARIO|FILE",
		Short: "measure a scenario over values of its parameters",
		Long:  sweepHelp + sweepExitCodes,
		Example: `  simulate sweep BA-8 --set node_rate_ppm=0:20000:500 --csv ba8.csv --svg ba8.svg
  simulate sweep LV-5                        the curve that the file asks for
  simulate sweep BA-8 --set node_rate_ppm=0:20000:1000 --set client_rate_ppm=0,5000 --subject SY-10`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("found %d scenarios; allowed: one, by its name or its file", len(args))
			}
			return nil
		},
		RunE: func(command *cobra.Command, args []string) error { return p.sweep(command.Context(), f, args[0]) },
	}
	command.Flags().StringArrayVar(&f.set, "set", nil, "values of a parameter, as `NAME=VALUES`; may be repeated")
	command.Flags().StringSliceVar(&f.subjects, "subject", nil, "play only this `SUBJECT`; may be repeated")
	command.Flags().StringVar(&f.seeds, "seeds", "", "play the seeds of this `RANGE` at each point; default what the file's curve says, or 1-100")
	command.Flags().StringVar(&f.csv, "csv", "", "write the lines to `FILE` as CSV")
	command.Flags().StringVar(&f.svg, "svg", "", "draw the curve into `FILE`")
	command.Flags().StringVar(&f.measure, "measure", "", "what is drawn: violated, margin or time; default what the file's curve says, or violated")
	f.playFlags.add(command)
	return command
}

// sweep plays one sweep and writes what came of it.
func (p *program) sweep(ctx context.Context, f *sweepFlags, name string) error {
	settings, err := f.settings(p)
	if err != nil {
		return err
	}
	s, err := f.make(name)
	if err != nil {
		return err
	}
	if err := f.canWrite(); err != nil {
		return err
	}
	state, err := sweepState(f.csv, s.Jobs, settings.Options)
	if err != nil {
		return err
	}
	left := state.Left()
	line := newProgress(p.err, "played", runsOf(left))
	played := p.playing(ctx, settings, left, func(r campaign.Report) {
		state.Add(r)
		line.step()
	})
	line.end()
	reports, err := state.Reports()
	err = errors.Join(err, state.Close())
	switch {
	case err != nil:
		return &exitError{exitBug, err}
	case errors.Is(played, errInterrupted) && f.csv == "":
		return &exitError{exitInterrupted, errors.New("interrupted, and nothing is kept; with --csv FILE the same command goes on")}
	case errors.Is(played, errInterrupted):
		return &exitError{exitInterrupted, fmt.Errorf("interrupted; %d runs are kept in %s. The same command goes on", state.Runs(), state.Dir())}
	case played != nil:
		return played
	}
	return p.swept(f, s, reports, state.Dir())
}

// canWrite says why a file that was asked for cannot be written; nil when all can.
func (f *sweepFlags) canWrite() error {
	if f.csv != "" && filepath.Clean(f.csv) == filepath.Clean(f.svg) {
		return fmt.Errorf("found %s for --csv and for --svg; allowed: two files", f.csv)
	}
	for _, target := range []struct{ flag, file string }{{"--csv", f.csv}, {"--svg", f.svg}} {
		if target.file == "" {
			continue
		}
		if info, err := os.Stat(target.file); err == nil && info.IsDir() {
			return fmt.Errorf("%s: %s is a folder; allowed: a file", target.flag, target.file)
		}
		if err := writable(target.flag, filepath.Dir(filepath.Clean(target.file))); err != nil {
			return err
		}
	}
	return nil
}

// make reads the flags into a sweep.
func (f *sweepFlags) make(name string) (*sweep.Sweep, error) {
	s, err := oneScenario(name)
	if err != nil {
		return nil, err
	}
	axes, seeds := []plan.Axis(nil), plan.Seeds{First: 1, Last: 100}
	if s.Curve != nil {
		axes, seeds = s.Curve.Over, s.Curve.Seeds
	}
	if f.seeds != "" {
		given, err := parseSeeds(f.seeds)
		if err != nil {
			return nil, err
		}
		seeds = plan.Seeds{First: given.first, Last: given.last}
	}
	if len(f.set) > 0 {
		axes = nil
	}
	for _, text := range f.set {
		setting, err := plan.ParseSetting(text)
		if err != nil {
			return nil, fmt.Errorf("--set: %w", err)
		}
		axis, err := s.ParseAxis(setting.Name, setting.Value)
		if err != nil {
			return nil, fmt.Errorf("--set: %w", err)
		}
		axes = append(axes, axis)
	}
	if len(axes) == 0 {
		names := make([]string, len(s.Parameters))
		for i, p := range s.Parameters {
			names[i] = p.Name
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("%s declares no parameters; scenarios/WRITING.md says how it could", s.Name)
		}
		return nil, fmt.Errorf("found no --set, and %s asks for no curve; allowed: --set with one of %s", s.Name, strings.Join(names, ", "))
	}
	made, err := sweep.New(s, axes, f.subjects, seeds)
	if err != nil {
		return nil, err
	}
	switch m := plan.Measure(f.measure); m {
	case "":
	case plan.MeasureViolated, plan.MeasureMargin, plan.MeasureTime:
		made.Measure = m
	default:
		return nil, fmt.Errorf("--measure: found %q; allowed: violated, margin, time", f.measure)
	}
	if made.Measure == plan.MeasureTime && len(s.Liveness) == 0 {
		return nil, fmt.Errorf("--measure: found time, but %s has no liveness goal; allowed: violated, margin", s.Name)
	}
	return made, nil
}

// partSuffix is what the folder that keeps an unfinished sweep has behind the file's name.
const partSuffix = ".part"

// sweepState begins a sweep, or goes on with the one that is kept beside the file.
func sweepState(file string, jobs []campaign.Job, options campaign.Options) (*campaign.State, error) {
	state := campaign.NewState(jobs, options)
	if file == "" {
		return state, nil
	}
	dir := file + partSuffix
	if _, err := os.Stat(filepath.Join(dir, campaign.StateFile)); err != nil {
		return state, state.Keep(dir)
	}
	kept, err := campaign.Resume(dir)
	if err != nil {
		return nil, err
	}
	if !sameJobs(kept.Jobs(), jobs) {
		return nil, errors.Join(fmt.Errorf("%s keeps another sweep; allowed: its command, another --csv, or without that folder", dir), kept.Close())
	}
	return kept, nil
}

// sameJobs reports whether two sweeps are the same: the same plans would be played.
func sameJobs(a, b []campaign.Job) bool {
	return slices.EqualFunc(a, b, func(x, y campaign.Job) bool {
		if x.Subject != y.Subject || !slices.Equal(x.Seeds, y.Seeds) || x.Scenario.Name != y.Scenario.Name {
			return false
		}
		first, err1 := x.Scenario.Plan(x.Subject, x.Seeds[0])
		second, err2 := y.Scenario.Plan(y.Subject, y.Seeds[0])
		return err1 == nil && err2 == nil && first.Hash() == second.Hash()
	})
}

// swept prints and writes the result of a sweep that was played to its end. kept
// is the folder of its state, which is then needed no more; "" is none.
func (p *program) swept(f *sweepFlags, s *sweep.Sweep, reports []campaign.Report, kept string) error {
	lines := s.Lines(reports)
	if err := s.WriteTable(p.out, lines); err != nil {
		return err
	}
	if err := p.tellFailures(reports); err != nil {
		return err
	}
	if err := writeWhole(f.csv, func(w io.Writer) error { return s.WriteCSV(w, lines) }); err != nil {
		return err
	}
	if err := writeWhole(f.svg, func(w io.Writer) error { return s.WriteSVG(w, lines) }); err != nil {
		return err
	}
	if !sweep.Complete(lines) {
		return &exitError{code: exitInconclusive}
	}
	if kept == "" {
		return nil
	}
	return os.RemoveAll(kept)
}

// tellFailures names the first run of those that have no verdict.
func (p *program) tellFailures(reports []campaign.Report) error {
	failed, first := 0, ""
	for i := range reports {
		if r := &reports[i]; r.Failure != "" {
			if failed++; first == "" {
				first = fmt.Sprintf("%s %s seed %d: %s", r.Scenario, r.Subject, r.Seed, r.Failure)
			}
		}
	}
	if failed == 0 {
		return nil
	}
	_, err := fmt.Fprintf(p.out, "%d runs have no verdict; the first: %s\n", failed, first)
	return err
}

// writeWhole writes a file at once, or leaves what was there; "" is no file.
func writeWhole(path string, write func(io.Writer) error) error {
	if path == "" {
		return nil
	}
	var text bytes.Buffer
	if err := write(&text); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", text.Bytes(), 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
