package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"redlocklab/cmd/simulate/tables"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/file"
	"redlocklab/scenarios/journal"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/scenarios/sweep"
)

// sweepFlags are what sweep was told.
type sweepFlags struct {
	playFlags
	journalFlags
	sweepFiles
	set      []string
	subjects []string
	seeds    string
	measure  string
}

// sweepFiles are the files that a sweep writes; "" is none.
type sweepFiles struct {
	CSV string `json:"csv,omitempty"`
	SVG string `json:"svg,omitempty"`
}

// sweepTold is what a journal needs of a sweep beside its jobs.
type sweepTold struct {
	Sweep *sweep.Sweep `json:"sweep"`
	sweepFiles
}

const sweepHelp = `Plays a scenario for several values of its parameters and prints one line per
value and subject: in how many runs an oracle was violated, the margin between
two beliefs (negative: both hold), and how long each liveness goal took. Shares have
a Wilson interval, medians one by order statistics, both of 95 %. A sweep measures. It
compares nothing with what the file expects.

--set takes NAME=FROM:TO:STEP, NAME=A,B,C or NAME=VALUE; several make a grid. Without
--set it plays the curve of the scenario's file. "simulate list scenarios" names the
parameters and marks the scenarios that have a curve.

` + interruptHelp

func (p *program) sweepCommand() *cobra.Command {
	f := &sweepFlags{}
	command := &cobra.Command{
		Use:   "sweep SCENARIO|FILE",
		Short: "measure a scenario over values of its parameters",
		Long: sweepHelp + exitCodes(`
  0    measured
  4    some run has no verdict: it was killed or hit a bound`),
		Example: `  simulate sweep BA-8 --set node_rate_ppm=0:20000:500 --csv ba8.csv --svg ba8.svg
  simulate sweep LV-5                        # the curve of its file
  simulate sweep BA-8 --set node_rate_ppm=0:20000:1000 --set client_rate_ppm=0,5000 --subject SY-10`,
		RunE: func(command *cobra.Command, args []string) error {
			resumed, err := f.resumed(command, args, "set", "subject", "seeds", "csv", "svg", "measure")
			if err != nil {
				return err
			}
			if !resumed && len(args) != 1 {
				return fmt.Errorf("found %d scenarios; allowed: one, by its name or its file", len(args))
			}
			settings, err := f.settings(p)
			if err != nil {
				return err
			}
			told := &sweepTold{sweepFiles: f.sweepFiles}
			state, err := f.begin(told, args, settings.Options)
			if err != nil {
				return err
			}
			defer state.Close()
			settings.Options.Scripts = state.Options().Scripts
			return p.sweep(command.Context(), settings, told, state)
		},
	}
	command.Flags().StringArrayVar(&f.set, "set", nil, "values of a parameter, as `NAME=VALUES`; may be repeated")
	command.Flags().StringSliceVar(&f.subjects, "subject", nil, "play only this `SUBJECT`; may be repeated")
	command.Flags().StringVar(&f.seeds, "seeds", "", "play the seeds of this `RANGE` at each point; default those of the file's curve, or 1-100")
	command.Flags().StringVar(&f.CSV, "csv", "", "write the lines to `FILE` as CSV")
	command.Flags().StringVar(&f.SVG, "svg", "", "draw the curve into `FILE`")
	command.Flags().StringVar(&f.measure, "measure", "", "what to draw: violated, margin or time; default that of the file's curve, or violated")
	f.journalFlags.add(command, "the journal")
	f.playFlags.add(command)
	return command
}

// begin begins the sweep of the one argument, or opens the interrupted one.
func (f *sweepFlags) begin(told *sweepTold, args []string, options play.RunOptions) (*campaign.State, error) {
	if f.resume != "" {
		state, err := campaign.Resume(f.resume, "sweep", told)
		if err != nil {
			return nil, err
		}
		told.Sweep.Jobs = state.Jobs()
		return state, told.canWrite()
	}
	var err error
	if told.Sweep, err = f.make(args[0]); err != nil {
		return nil, err
	}
	if err := told.canWrite(); err != nil {
		return nil, err
	}
	state := campaign.NewState("sweep", told.Sweep.Jobs, options, told)
	if err := f.keep(state.Journal); err != nil {
		return nil, errors.Join(err, state.Close())
	}
	return state, nil
}

// sweep plays the runs that are left of a sweep and writes the results of all.
func (p *program) sweep(ctx context.Context, settings campaign.Settings, told *sweepTold, state *campaign.State) error {
	s := told.Sweep
	done := func() error { // of an interrupted command
		reports, err := state.Reports()
		lines := slices.DeleteFunc(s.Lines(reports), func(l sweep.Line) bool { return l.Runs == 0 })
		if err != nil || len(lines) == 0 {
			return err
		}
		return tables.WriteSweep(p.out, s, lines)
	}
	if err := p.playLeft(ctx, "sweep", settings, state, done); err != nil {
		return err
	}
	reports, err := state.Reports()
	if err = errors.Join(err, state.Close()); err != nil {
		return bug(err)
	}
	lines := s.Lines(reports)
	if err := tables.WriteSweep(p.out, s, lines); err != nil {
		return err
	}
	p.tellFailures(reports)
	for _, target := range []struct {
		path  string
		write func(io.Writer, []sweep.Line) error
	}{{told.CSV, s.WriteCSV}, {told.SVG, s.WriteSVG}} {
		if target.path == "" {
			continue
		}
		if err := journal.Write(target.path, func(w io.Writer) error { return target.write(w, lines) }); err != nil {
			return err
		}
	}
	if !sweep.Complete(lines) {
		return exit(exitInconclusive)
	}
	return nil
}

// canWrite says why a file that was asked for cannot be written; nil when all can.
func (f *sweepFiles) canWrite() error {
	if f.CSV != "" && filepath.Clean(f.CSV) == filepath.Clean(f.SVG) {
		return fmt.Errorf("found %s for --csv and for --svg; allowed: two files", f.CSV)
	}
	for _, target := range []struct{ flag, file string }{{"--csv", f.CSV}, {"--svg", f.SVG}} {
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
		seeds = given.Seeds
	}
	if len(f.set) > 0 {
		axes = nil
	}
	for _, text := range f.set {
		setting, err := plan.ParseSetting(text)
		if err != nil {
			return nil, fmt.Errorf("--set: %w", err)
		}
		parameter, err := file.Parameter(s, setting.Name)
		if err != nil {
			return nil, fmt.Errorf("--set: %w", err)
		}
		axis, err := parameter.Axis(setting.Value)
		if err != nil {
			return nil, fmt.Errorf("--set: %w", err)
		}
		axes = append(axes, axis)
	}
	if len(axes) == 0 {
		return nil, fmt.Errorf("found no --set, and %s has no curve; allowed: --set with a parameter; ./simulate list parameters %s names them", s.Name, s.Name)
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

// tellFailures names the first run of those that have no verdict.
func (p *program) tellFailures(reports []campaign.Report) {
	failed, first := 0, ""
	for i := range reports {
		if r := &reports[i]; r.Failure != "" {
			if failed++; first == "" {
				first = fmt.Sprintf("%s %s seed %d: %s", r.Scenario, r.Subject, r.Seed, r.Failure)
			}
		}
	}
	if failed > 0 {
		fmt.Fprintf(p.out, "%d runs have no verdict; the first: %s\n", failed, first)
	}
}
