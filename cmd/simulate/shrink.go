package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"redlocklab/checker"
	"redlocklab/cmd/simulate/tables"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/saved"
	"redlocklab/scenarios/search"
)

type shrinkFlags struct {
	playFlags
	oracle, out string
	all         bool
}

func (p *program) shrinkCommand() *cobra.Command {
	f := &shrinkFlags{}
	command := &cobra.Command{
		Use:   "shrink DIR|BUG…",
		Short: "make a minimal plan of a violation",
		Long: `Removes faults, their repetitions, clients, goals, steps, rounds and loss from the plan of a
saved run. It stops when any further removal would change the violated oracle or the
broken assumptions. The minimal plan needs each of its faults. Without --oracle it keeps
the worst violation: two holders, then harm at the resource, then tokens, then liveness.

BUG is a planted bug that "simulate mutants" lists; --all is all of them. The plan is
that of the first run which catches it.

It saves the run of the minimal plan like every run. certificate.json beside it records
how the run ends without each fault; story.txt is the output of explain. Several bugs get
folders of their own below --out. The minimal plan expects the verdict that it shows.
` + exitCodes(`
  0    made and saved
  1    a planted bug was not caught
  4    the run has no verdict: a bound was hit, or it was killed
  5    not deterministic: the minimal plan made another trace
  6    the Go command or the source tree is missing, for a patch of package redlock`),
		Example: `  simulate run MX-1 --subject SY-8 --seed 1 --out D
  simulate shrink D --out small
  simulate shrink half-quorum`,
		Args: cobra.ArbitraryArgs,
		RunE: func(command *cobra.Command, args []string) error {
			if err := f.apply(p); err != nil {
				return err
			}
			p.settings.Causes = campaign.CausesDecide
			bugs, err := f.bugs(args)
			switch {
			case err != nil:
				return err
			case len(bugs) > 0:
				return p.shrinkBugs(command.Context(), bugs, f.out)
			}
			return p.shrinkSaved(command.Context(), f, args[0])
		},
	}
	command.Flags().StringVar(&f.oracle, "oracle", "", "`ORACLE` whose violation in DIR is kept; default the worst")
	command.Flags().StringVar(&f.out, "out", "", "`DIR2` to save into; default a new folder out/shrink-…")
	command.Flags().BoolVar(&f.all, "all", false, "shrink every planted bug")
	f.playFlags.add(command)
	return command
}

// bugs are the planted bugs that are named; none when there is one folder.
func (f *shrinkFlags) bugs(args []string) ([]search.Mutant, error) {
	var bugs []search.Mutant
	for _, name := range args {
		if m, known := search.FindMutant(name); known {
			bugs = append(bugs, m)
		}
	}
	switch {
	case f.all && len(args) == 0:
		bugs = search.Mutants()
	case f.all || len(bugs) < len(args) && len(args) > 1 || len(args) == 0:
		return nil, fmt.Errorf("found %d arguments; allowed: the folder of one saved run, or planted bugs, or --all alone", len(args))
	}
	if f.oracle != "" && len(bugs) > 0 {
		return nil, errors.New("found --oracle beside a planted bug; allowed: beside a saved run")
	}
	return bugs, withScenarios(bugs)
}

// shrink makes a minimal plan, saves and replays its run in a folder, and prints what became
// of it below a headline.
func (p *program) shrink(
	ctx context.Context, headline string, large *plan.Plan, target search.Target, dir string, tell bool,
) (*search.Minimal, campaign.Summary, error) {
	m, err := search.ShrinkInWorker(ctx, p.settings, large, target)
	if err != nil {
		return nil, campaign.Summary{}, err
	}
	run, story, err := m.Save(ctx, p.settings, dir)
	if err != nil {
		return nil, campaign.Summary{}, err
	}
	fmt.Fprintf(p.out, "%s\n%s\n", headline, m.Change(large))
	if tell {
		fmt.Fprintf(p.out, "\n%s\n\n", search.Knobs(m.Plan))
		if _, err := story.WriteTo(p.out); err != nil {
			return nil, campaign.Summary{}, err
		}
	}
	_, err = fmt.Fprintf(p.out, "saved in %s; again: ./simulate replay %s; its story: ./simulate explain %s\n", dir, dir, dir)
	return m, run, err
}

func (p *program) shrinkSaved(ctx context.Context, f *shrinkFlags, from string) error {
	if f.oracle != "" && !slices.Contains(checker.Oracles(), checker.Oracle(f.oracle)) {
		return fmt.Errorf("--oracle: found %q; allowed: %s", f.oracle, checker.Join(checker.Oracles()))
	}
	dirs, err := saved.FindSaved(from)
	if err != nil {
		return err
	}
	if len(dirs) > 1 {
		return fmt.Errorf("%s holds %d saved runs; allowed: the folder of one run, such as %s", from, len(dirs), dirs[0])
	}
	run, err := saved.OpenSaved(dirs[0])
	if err != nil {
		return err
	}
	if err := besides(f.out, run.Dir); err != nil {
		return err
	}
	// The plan may have been changed since it was played: its run says what there is to keep.
	report, err := p.playPlan(ctx, run.Plan, "")
	if err != nil {
		return err
	}
	if report.Failure != "" {
		return fmt.Errorf("%s: %w: %s", run.Dir, search.ErrNoVerdict, report.Failure)
	}
	target, err := f.target(run.Dir, &report)
	if err != nil {
		return err
	}
	if f.out == "" {
		if f.out, err = newFolder("out", "shrink-"); err != nil {
			return err
		}
	}
	_, _, err = p.shrink(ctx, fmt.Sprintf("%s: %s", runName(run.Plan), target), run.Plan, target, f.out, false)
	return err
}

// target is what is to be kept of a run.
func (f *shrinkFlags) target(dir string, run *campaign.Summary) (search.Target, error) {
	worst, violated := search.Worst(run.Answers.Violated(), run.Broken)
	switch {
	case !violated && !run.Decided():
		return worst, fmt.Errorf("%s: %w; allowed: a run in which an oracle is violated", dir, search.ErrNoVerdict)
	case !violated:
		return worst, fmt.Errorf("%s: found a run in which every oracle holds; allowed: one in which an oracle is violated", dir)
	case f.oracle == "":
		return worst, nil
	case !slices.Contains(run.Answers.Violated(), checker.Oracle(f.oracle)):
		return worst, fmt.Errorf("--oracle: found %s, which is not violated in %s; allowed: %s", f.oracle, dir, checker.Join(run.Answers.Violated()))
	}
	return search.Target{Oracle: checker.Oracle(f.oracle), Broken: run.Broken}, nil
}

// fewFaults is how many faults a minimal plan may have and still be called small.
const fewFaults = 3

// shrinkBugs shrinks the first run that catches each planted bug.
func (p *program) shrinkBugs(ctx context.Context, bugs []search.Mutant, out string) error {
	var err error
	if out == "" {
		out, err = newFolder("out", "shrink-")
	} else {
		err = startsFresh(out)
	}
	if err != nil {
		return err
	}
	small, missed := 0, 0
	for _, m := range bugs {
		line := tables.NewProgress(p.err, m.Name+": played", m.Budget)
		f, caught, err := m.Find(ctx, p.settings, line.Step)
		line.End()
		if err != nil {
			return err
		}
		if !caught {
			missed++
			fmt.Fprintf(p.out, "%s: %s in %d runs\n", m.Name, tables.NotCaught, m.Budget)
			continue
		}
		dir := out
		if len(bugs) > 1 {
			dir = filepath.Join(out, strings.ReplaceAll(m.Name, ":", "-"))
		}
		head := fmt.Sprintf("%s: %s; first in run %d, seed %d", m.Name, f.Target, f.Run, f.Plan.Seed)
		minimal, _, err := p.shrink(ctx, head, f.Plan, f.Target, dir, false)
		if err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
		if faults, _, _ := search.Size(minimal.Plan); faults <= fewFaults {
			small++
		}
	}
	if len(bugs) > 1 {
		fmt.Fprintf(p.out, "%d of %d bugs have a minimal plan of at most %d faults\n", small, len(bugs), fewFaults)
	}
	return exitIf(missed > 0, exitSafety)
}
