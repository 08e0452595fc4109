package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"redlocklab/cmd/simulate/choice"
	"redlocklab/cmd/simulate/remake"
	"redlocklab/cmd/simulate/report"
	"redlocklab/cmd/simulate/shard"
	"redlocklab/cmd/simulate/tables"
	"redlocklab/scenarios"
	"redlocklab/scenarios/atlas"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/matrix"
	"redlocklab/scenarios/plan"
)

// reportFlags are what report was told.
type reportFlags struct {
	playFlags
	root                  string
	check, rerun, minimal bool
	seeds                 int
	subjects              []string
}

func (p *program) reportCommand() *cobra.Command {
	f := &reportFlags{}
	command := &cobra.Command{
		Use:   "report [NAME|CLAIM…]",
		Short: "make REPORT.md from the committed results; make the results again; check both",
		Long: fmt.Sprintf(`Makes %s and %s from
the committed results, diagnoses, minimal plans and maps in %s.

--rerun first plays every cell of the matrix (each scenario with each system that it is
applicable to, %d seeds) and every committed map, and shrinks each run in the track record to a
minimal plan. With --minimal it makes only the minimal plans again. Nothing is written before
all is made.

--check writes nothing. It fails when a file is not what the results make, when the results
do not fit the suite, when an unexplained violation has no diagnosis, when a minimal plan is
missing or no longer shows its finding, or when a sample of the runs (%d seeds of each cell,
some cells of each map) ends otherwise than in the results.

With arguments only cells of these scenarios or claims are played, with --subject only those
of a system. --rerun then also plays the cells that the results do not fit; give it the
--seeds of the other results.
`, report.ReportFile, report.CellsFile, report.Folder, report.SeedsOfCell, remake.CheckSeeds) + exitCodes(`
  0    written, or nothing has changed
  1    --check: something has changed
  4    some run of a map has no verdict; nothing was written`),
		Example: "  simulate report --check\n  simulate report --rerun\n  simulate report --rerun MX-8 --subject redsync",
		Args:    cobra.ArbitraryArgs,
		RunE: func(command *cobra.Command, args []string) error {
			switch {
			case (len(args) > 0 || len(f.subjects) > 0) && !f.rerun && !f.check:
				return errors.New("found scenarios or --subject alone; allowed: with --rerun or --check, which play runs")
			case f.minimal && !f.rerun:
				return errors.New("found --minimal alone; allowed: --rerun --minimal")
			case f.check && f.rerun:
				return errors.New("found --check beside --rerun; allowed: one of them")
			case within("seeds", f.seeds, remake.CheckSeeds, 100_000) != nil:
				return within("seeds", f.seeds, remake.CheckSeeds, 100_000)
			}
			m, err := p.reportMaker(f, args)
			if err != nil {
				return err
			}
			switch ctx := command.Context(); {
			case f.check:
				changed, err := m.Check(ctx, len(f.subjects) == 0)
				if changed > 0 {
					return exit(exitSafety)
				}
				return err
			case f.rerun:
				err := m.Rerun(ctx, f.seeds, len(args) == 0 && len(f.subjects) == 0, f.minimal)
				if errors.Is(err, context.Canceled) {
					return &exitError{exitInterrupted, errors.New("interrupted; nothing was written")}
				}
				return err
			}
			return m.Write()
		},
	}
	command.Flags().StringVar(&f.root, "root", ".", "`DIR` of the checkout")
	command.Flags().BoolVar(&f.check, "check", false, "write nothing; fail when anything has changed")
	command.Flags().BoolVar(&f.rerun, "rerun", false, "play every cell again and replace the results")
	command.Flags().BoolVar(&f.minimal, "minimal", false, "with --rerun: make only the minimal plans again")
	command.Flags().StringSliceVar(&f.subjects, "subject", nil, "play only cells of this `SYSTEM`; may be repeated")
	command.Flags().IntVar(&f.seeds, "seeds", report.SeedsOfCell, "with --rerun: `NUMBER` of seeds of each cell")
	f.playFlags.add(command)
	return command
}

func (p *program) reportMaker(f *reportFlags, names []string) (m *remake.Maker, err error) {
	m = &remake.Maker{
		Root: f.root, Out: p.out, Play: p.play,
		Map: func(scenario string) (*atlas.Map, error) {
			spec, err := (&choice.MapWords{Refine: choice.RefineDefault}).Spec(scenario)
			if err != nil {
				return nil, err
			}
			return atlas.New(spec)
		},
		PlayMap: func(ctx context.Context, settings campaign.Settings, one *atlas.Map) error {
			return p.playMap(ctx, settings, one, shard.Shard{}, nil)
		},
		Progress: func(verb string, total int) (step, end func()) {
			line := tables.NewProgress(p.err, verb, total)
			return line.Step, line.End
		},
	}
	if m.Settings, err = f.settings(p); err != nil {
		return nil, err
	}
	m.Settings.Causes = campaign.CausesDecide
	if _, err := os.Stat(filepath.Join(f.root, "go.mod")); err != nil {
		return nil, fmt.Errorf("--root: found no go.mod in %s; allowed: the folder of the checkout", f.root)
	}
	suite, err := scenarios.Suite()
	if err != nil {
		return nil, bug(err)
	}
	if m.Chosen, err = choice.Scenarios(names); err != nil {
		return nil, err
	}
	m.Cells = matrix.Cells(suite)
	m.Asked, err = matrix.Select(slices.DeleteFunc(slices.Clone(m.Cells), func(c matrix.Cell) bool {
		return !slices.ContainsFunc(m.Chosen, func(s *plan.Scenario) bool { return s.Name == c.Scenario.Name })
	}), f.subjects)
	if err != nil {
		return nil, err
	}
	m.In, err = report.Open(f.root, suite)
	return m, err
}
