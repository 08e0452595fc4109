package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"redlocklab/cmd/simulate/remake"
	"redlocklab/cmd/simulate/report"
	"redlocklab/cmd/simulate/shard"
	"redlocklab/scenarios"
	"redlocklab/scenarios/atlas"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/journal"
	"redlocklab/scenarios/matrix"
	"redlocklab/scenarios/plan"
)

type reportFlags struct {
	playFlags
	journalFlags
	reportTold
	root                  string
	check, rerun, minimal bool
}

func (p *program) reportCommand() *cobra.Command {
	f := &reportFlags{}
	command := &cobra.Command{
		Use:   "report [NAME|CLAIM…]",
		Short: "make REPORT.md from the committed results; make the results again; check both",
		Long: fmt.Sprintf(`Makes %s and %s from
the committed results, diagnoses, minimal plans and maps in %s.

--rerun first plays every cell of the matrix (each scenario with each system that it is
applicable to, %d seeds) and every committed map. It shrinks each run in the track record to
a minimal plan. With --minimal it makes only the minimal plans again. It writes files only
after everything is made.

--check writes nothing. It fails when a file differs from the one that the results make, or
when the results do not fit the suite. It also fails when an unexplained violation has no
diagnosis, or a minimal plan is missing or no longer shows its finding. Last, it plays a sample
of the runs (%d seeds of each cell, some cells of each map), which must end as in the results.

With arguments it plays only cells of these scenarios or claims, with --subject only those
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
			case (len(args) > 0 || len(f.Subjects) > 0) && !f.rerun && !f.check:
				return errors.New("found scenarios or --subject alone; allowed: with --rerun or --check, which play runs")
			case (f.out != "" || f.resume != "" || f.part != "") && (!f.rerun || f.minimal):
				return errors.New("found --out, --resume or --shard without --rerun, or beside --minimal; " +
					"allowed: with --rerun")
			case f.minimal && !f.rerun:
				return errors.New("found --minimal alone; allowed: --rerun --minimal")
			case f.check && f.rerun:
				return errors.New("found --check beside --rerun; allowed: one of them")
			}
			if err := within("seeds", f.Seeds, remake.CheckSeeds, 100_000); err != nil {
				return err
			}
			if _, err := f.resumed(command, args, "seeds", "subject"); err != nil {
				return err
			}
			f.Names = args
			kept, err := f.open("report", &f.reportTold)
			if err != nil {
				return err
			}
			defer kept.Close()
			m, err := p.reportMaker(f)
			if err == nil {
				err = m.Keep(kept)
			}
			if err != nil {
				return err
			}
			switch ctx := command.Context(); {
			case f.check:
				changed, err := m.Check(ctx, len(f.Subjects) == 0)
				return cmp.Or(err, exitIf(changed > 0, exitSafety))
			case f.rerun:
				return p.rerun(ctx, f, m, kept)
			}
			return m.Write()
		},
	}
	flags := command.Flags()
	flags.StringVar(&f.root, "root", ".", "`DIR` of the checkout")
	flags.BoolVar(&f.check, "check", false, "write nothing; fail when anything has changed")
	flags.BoolVar(&f.rerun, "rerun", false, "play every cell again and replace the results")
	flags.BoolVar(&f.minimal, "minimal", false, "with --rerun: make only the minimal plans again")
	flags.StringSliceVar(&f.Subjects, "subject", nil, "play only cells of this `SYSTEM`; may be repeated")
	flags.IntVar(&f.Seeds, "seeds", report.SeedsOfCell, "with --rerun: `NUMBER` of seeds of each cell")
	f.journalFlags.addShard(command, "the journal of --rerun")
	f.playFlags.add(command)
	return command
}

// reportTold is what the journal keeps of report --rerun.
type reportTold struct {
	Names    []string `json:"names,omitempty"`
	Subjects []string `json:"subjects,omitempty"`
	Seeds    int      `json:"seeds"`
}

// rerun plays what the report is made of, or a shard of it.
func (p *program) rerun(ctx context.Context, f *reportFlags, m *remake.Maker, kept *journal.Journal) error {
	all := len(f.Names) == 0 && len(f.Subjects) == 0
	items, err := m.Work(f.Seeds, all)
	if err == nil {
		err = f.keep(kept, items, fmt.Sprintf("%d of each cell", f.Seeds))
	}
	if err != nil {
		return err
	}
	failed := 0
	return p.playKept(ctx, &f.journalFlags, longCommand{
		name: "report --rerun", kept: kept, runs: m.Kept, failed: func() int { return failed },
		play: func(ctx context.Context) (err error) {
			if !f.shard.Whole() {
				failed, err = m.Part(ctx, f.Seeds, all, f.shard.Has)
				return err
			}
			err = m.Rerun(ctx, f.Seeds, all, f.minimal)
			if errors.Is(err, context.Canceled) && kept.Dir() == "" {
				err = &exitError{exitInterrupted, errors.New("interrupted; nothing was written")}
			}
			return err
		},
		show: func() error { return nil },
	})
}

func (p *program) reportMaker(f *reportFlags) (m *remake.Maker, err error) {
	m = &remake.Maker{
		Root: f.root, Out: p.out, Play: p.play,
		Map: func(scenario string) (*atlas.Map, error) {
			spec, err := (&mapWords{Refine: refineDefault}).spec(scenario)
			if err != nil {
				return nil, err
			}
			return atlas.New(spec)
		},
		PlayMap: func(ctx context.Context, one *atlas.Map, keep func(campaign.Summary)) error {
			return p.playMap(ctx, one, shard.Shard{}, keep)
		},
		Progress: p.progress,
	}
	if err = f.apply(p); err != nil {
		return nil, err
	}
	m.Settings = p.settings
	m.Settings.Causes = campaign.CausesDecide
	if _, err := os.Stat(filepath.Join(f.root, "go.mod")); err != nil {
		return nil, fmt.Errorf("--root: found no go.mod in %s; allowed: the folder of the checkout", f.root)
	}
	suite, err := scenarios.Suite()
	if err != nil {
		return nil, bug(err)
	}
	if m.Chosen, err = findScenarios(f.Names); err != nil {
		return nil, err
	}
	m.Cells = matrix.Cells(suite)
	m.Asked, err = matrix.Select(slices.DeleteFunc(slices.Clone(m.Cells), func(c matrix.Cell) bool {
		return !slices.ContainsFunc(m.Chosen, func(s *plan.Scenario) bool { return s.Name == c.Scenario.Name })
	}), f.Subjects)
	if err != nil {
		return nil, err
	}
	m.In, err = report.Open(f.root, suite)
	return m, err
}
