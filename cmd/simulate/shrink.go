package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/saved"
	"redlocklab/scenarios/search"
)

// shrinkFlags are what shrink was told.
type shrinkFlags struct {
	playFlags
	oracle, out string
}

func (p *program) shrinkCommand() *cobra.Command {
	f := &shrinkFlags{}
	command := &cobra.Command{
		Use:   "shrink DIR",
		Short: "make the violation of a saved run as small as it goes",
		Long: `Takes faults, their repetitions, clients, demands, steps, rounds and loss away from
the plan of a saved run, for as long as the same oracle is violated with exactly the
same assumptions broken. What is left needs each of its faults. Without --oracle it keeps
the worst that is violated: two holders, then harm at the resource, then tokens, then
liveness.

The small run is saved like every saved run, with certificate.json, which says what
became of the run when each fault was taken away, and story.txt, which is what explain
tells. Its plan expects what it shows.

Exit codes:
  0    made small and saved
  2    bad usage or input: nothing is violated in the run, or not that oracle; nothing was written
  4    the run cannot be judged: a bound was hit, or it was killed
  6    a patched lock's source, or the Go command, is not here
  70   a bug of this program
  130  interrupted; nothing was written`,
		Example: "  simulate run MX-1 --subject SY-8 --seed 1 --out D\n  simulate shrink D --out small\n  simulate explain small",
		Args:    cobra.ExactArgs(1),
		RunE: func(command *cobra.Command, args []string) error {
			return p.shrinkSaved(command.Context(), f, args[0])
		},
	}
	command.Flags().StringVar(&f.oracle, "oracle", "", "`ORACLE` whose violation is kept; default the worst that is violated")
	command.Flags().StringVar(&f.out, "out", "", "`DIR2` for the small run; default a new folder out/shrink-…")
	f.playFlags.add(command)
	return command
}

func (p *program) shrinkSaved(ctx context.Context, f *shrinkFlags, from string) error {
	settings, err := f.settings(p)
	if err != nil {
		return err
	}
	if f.oracle != "" && !slices.Contains(plan.Oracles(), plan.Oracle(f.oracle)) {
		return fmt.Errorf("--oracle: found %q; allowed: %s", f.oracle, joined(plan.Oracles()))
	}
	dirs, err := saved.FindSaved(from)
	if err != nil {
		return err
	}
	if len(dirs) > 1 {
		return fmt.Errorf("%s holds %d saved runs; allowed: the folder of one run, such as %s", from, len(dirs), dirs[0])
	}
	saved, err := saved.OpenSaved(dirs[0])
	if err != nil {
		return err
	}
	if f.out != "" {
		if filepath.Clean(f.out) == filepath.Clean(saved.Dir) {
			return fmt.Errorf("--out: found %s, the folder of the run itself; allowed: another, so that both can be compared", f.out)
		}
		if err := canSave(f.out); err != nil {
			return err
		}
	}
	// The plan may have been changed since it was played: its run says what there is to keep.
	report, err := campaign.PlayOne(ctx, settings, campaign.PlanJob(saved.Plan))
	if err != nil {
		return err
	}
	if report.Failure != "" {
		return &exitError{exitInconclusive, fmt.Errorf("%s: %s", saved.Dir, report.Failure)}
	}
	target, err := f.target(saved.Dir, search.OutcomeOf(&report))
	if err != nil {
		return err
	}
	if f.out == "" {
		if f.out, err = newFolder("out", "shrink-"); err != nil {
			return err
		}
	}
	m, err := p.minimize(ctx, settings, saved.Plan, target, f.out)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.out, "%s seed %d: %s is violated, broken: %s\n%s\n", strings.TrimSpace(saved.Plan.Scenario+" "+saved.Plan.Subject.Title()), saved.Plan.Seed,
		target.Oracle, listed(target.Broken), m.sizes(saved.Plan))
	fmt.Fprintf(p.out, "saved in %s; again: ./simulate replay %s; told: ./simulate explain %s\n", f.out, f.out, f.out)
	return nil
}

// target is what is to be kept of a run.
func (f *shrinkFlags) target(dir string, o search.Outcome) (search.Target, error) {
	worst, violated := search.Worst(o.Violated, o.Broken)
	switch {
	case !violated && !o.Finished:
		return worst, &exitError{exitInconclusive, fmt.Errorf("%s: found a run that is inconclusive; allowed: one in which an oracle is violated", dir)}
	case !violated:
		return worst, fmt.Errorf("%s: found a run in which every oracle holds; allowed: one in which an oracle is violated", dir)
	case f.oracle == "":
		return worst, nil
	case !slices.Contains(o.Violated, plan.Oracle(f.oracle)):
		return worst, fmt.Errorf("--oracle: found %s, which is not violated in %s; allowed: %s", f.oracle, dir, joined(o.Violated))
	}
	return search.Target{Oracle: plan.Oracle(f.oracle), Broken: o.Broken}, nil
}
