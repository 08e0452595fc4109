package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"redlocklab/cmd/simulate/report"
	"redlocklab/scenarios"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/journal"
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

// checkSeeds is how many seeds of each cell --check plays.
const checkSeeds = 2

// shownChanges is how many changes --check prints, at most.
const shownChanges = 20

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
`, report.ReportFile, report.CellsFile, report.Folder, report.SeedsOfCell, checkSeeds) + exitCodes(`
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
			case within("seeds", f.seeds, checkSeeds, 100_000) != nil:
				return within("seeds", f.seeds, checkSeeds, 100_000)
			}
			r, err := p.newReporter(f, args)
			if err != nil {
				return err
			}
			switch ctx := command.Context(); {
			case f.check:
				return r.check(ctx, len(f.subjects) == 0)
			case f.rerun:
				return r.rerun(ctx, f, len(args) == 0 && len(f.subjects) == 0)
			}
			return r.write()
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

// reporter makes, plays and checks the report of one checkout.
type reporter struct {
	p        *program
	settings campaign.Settings
	root     string
	cells    []matrix.Cell    // of the whole matrix
	chosen   []*plan.Scenario // those that were named, or all
	asked    []matrix.Cell    // cells of these, and of the named systems
	in       *report.Input
}

func (p *program) newReporter(f *reportFlags, names []string) (*reporter, error) {
	r := &reporter{p: p, root: f.root}
	var err error
	if r.settings, err = f.settings(p); err != nil {
		return nil, err
	}
	r.settings.Causes = campaign.CausesDecide
	if _, err := os.Stat(filepath.Join(f.root, "go.mod")); err != nil {
		return nil, fmt.Errorf("--root: found no go.mod in %s; allowed: the folder of the checkout", f.root)
	}
	suite, err := scenarios.Suite()
	if err != nil {
		return nil, bug(err)
	}
	if r.chosen, err = selectScenarios(names); err != nil {
		return nil, err
	}
	r.cells = matrix.Cells(suite)
	r.asked, err = matrix.Select(slices.DeleteFunc(slices.Clone(r.cells), func(c matrix.Cell) bool {
		return !slices.ContainsFunc(r.chosen, func(s *plan.Scenario) bool { return s.Name == c.Scenario.Name })
	}), f.subjects)
	if err != nil {
		return nil, err
	}
	r.in, err = report.Open(f.root, suite)
	return r, err
}

func (r *reporter) path(file string) string { return filepath.Join(r.root, file) }

// isAsked reports whether the cell of a scenario and a subject's title was asked for.
func (r *reporter) isAsked(scenario, subject string) bool {
	return slices.ContainsFunc(r.asked, func(c matrix.Cell) bool { return c.Scenario.Name == scenario && c.Subject.Title() == subject })
}

// fitting says why there are no results that fit the suite; nil when there are.
func (r *reporter) fitting() error {
	if stale := r.in.Results.Stale(r.cells); len(stale) > 0 {
		return fmt.Errorf("%s does not fit the suite (%s, and %d more); play it again: ./simulate report --rerun", r.path(report.ResultsFile), stale[0], len(stale)-1)
	}
	return nil
}

// write makes the documents.
func (r *reporter) write() error {
	var err error
	if r.in.Results, err = report.Load(r.path(report.ResultsFile)); err != nil {
		return err
	}
	if err := r.fitting(); err != nil {
		return err
	}
	return r.replace(nil)
}

// replace writes files, then the documents. A file without a text is removed.
func (r *reporter) replace(files []report.Document) error {
	for _, d := range append(files, r.in.Documents()...) {
		path, did := r.path(d.File), "written"
		var err error
		if d.Text == "" {
			did, err = "removed", os.Remove(path)
		} else {
			err = journal.WriteFile(path, []byte(d.Text))
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(r.p.out, "%s: %s\n", did, path)
	}
	return nil
}

// rerun plays the cells that were asked for and those that the results do not fit,
// plays the maps when all were asked for, and makes the minimal plans. Then it
// writes what it has made.
func (r *reporter) rerun(ctx context.Context, f *reportFlags, all bool) error {
	var files []report.Document
	err := r.replay(ctx, f, all)
	if err == nil && all && !f.minimal {
		files, err = r.measure(ctx)
	}
	if err == nil {
		err = r.fitting()
	}
	var plans []report.Document
	if err == nil {
		plans, err = r.shrink(ctx)
	}
	if errors.Is(err, context.Canceled) {
		return &exitError{exitInterrupted, errors.New("interrupted; nothing was written")}
	}
	if err != nil {
		return err
	}
	text, err := r.in.Results.Encode()
	if err != nil {
		return bug(err)
	}
	files = append(files, plans...)
	return r.replace(append(files, report.Document{File: report.ResultsFile, Text: string(text)}))
}

// replay makes the results: the committed ones, with those of the cells that it plays.
func (r *reporter) replay(ctx context.Context, f *reportFlags, all bool) error {
	var err error
	if r.in.Results, err = report.Load(r.path(report.ResultsFile)); f.minimal || err != nil && !all {
		return err
	}
	if err != nil {
		r.in.Results = &report.Results{} // all of them are made now
	}
	var cells []matrix.Cell
	for i := range r.cells {
		if c := &r.cells[i]; r.isAsked(c.Scenario.Name, c.Subject.Title()) || r.in.Results.StaleCell(c) != "" {
			cells = append(cells, *c)
		}
	}
	reports, err := r.play(ctx, report.Jobs(cells, f.seeds))
	if err == nil {
		r.in.Results.Replace(report.Collect(r.cells, reports, fmt.Sprintf("./simulate report --rerun --seeds %d", f.seeds)))
	}
	return err
}

// play plays jobs and returns all of their reports.
func (r *reporter) play(ctx context.Context, jobs []campaign.Job) (reports []campaign.Report, err error) {
	err = r.p.play(ctx, r.settings, jobs, func(run campaign.Report) { reports = append(reports, run) })
	return reports, err
}

// check prints what has changed.
func (r *reporter) check(ctx context.Context, curves bool) error {
	var err error
	if r.in.Results, err = report.Load(r.path(report.ResultsFile)); err != nil {
		return err
	}
	changes := r.in.Results.Stale(r.cells)
	if len(changes) == 0 {
		if changes, err = r.checkRuns(ctx); err != nil {
			return err
		}
	}
	changes = append(changes, r.in.Undiagnosed()...)
	changes = append(changes, r.in.MinimalGaps()...)
	if curves {
		measured, err := r.checkCurves(ctx, len(r.chosen) == len(r.in.Suite))
		if err != nil {
			return err
		}
		changes = append(changes, measured...)
	}
	for _, d := range r.in.Documents() {
		old, err := os.ReadFile(r.path(d.File))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if string(old) != d.Text {
			changes = append(changes, d.File+" is stale; make it again: ./simulate report")
		}
	}
	for i, change := range changes {
		if i == shownChanges {
			fmt.Fprintf(r.p.out, "… and %d more\n", len(changes)-i)
			break
		}
		fmt.Fprintln(r.p.out, change)
	}
	if len(changes) > 0 {
		fmt.Fprintf(r.p.out, "%d changes; if they are intended: ./simulate report --rerun\n", len(changes))
		return exit(exitSafety)
	}
	fmt.Fprintf(r.p.out, "the results are as committed, in a sample of %d seeds of each cell, in the maps and in the minimal plans\n", checkSeeds)
	return nil
}

// checkRuns plays some seeds of the cells that were asked for, and their minimal
// plans, and lists what has changed.
func (r *reporter) checkRuns(ctx context.Context) ([]string, error) {
	reports, err := r.play(ctx, report.Jobs(r.asked, checkSeeds))
	if err != nil {
		return nil, err
	}
	changes := r.in.Results.Compare(reports)
	var jobs []campaign.Job
	for _, shown := range r.in.Shown() {
		if m := r.in.Minimal[shown.File()]; m != nil && r.isAsked(shown.Scenario, shown.Subject) {
			job := campaign.PlanJob(m.Plan)
			job.Scenario.Name = shown.File()
			jobs = append(jobs, job)
		}
	}
	reports, err = r.play(ctx, jobs)
	var lost []string
	for i := range reports {
		for _, difference := range campaign.Compare(&r.in.Minimal[reports[i].Scenario].Plan.Subject, &reports[i]) {
			lost = append(lost, fmt.Sprintf("%s: %s", reports[i].Scenario, difference.Text))
		}
	}
	slices.Sort(lost)
	return append(changes, lost...), err
}
