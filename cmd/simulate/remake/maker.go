// Package remake plays the runs behind the report: it makes results, maps and minimal
// plans again, or checks a sample of the committed ones.
package remake

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"redlocklab/cmd/simulate/report"
	"redlocklab/scenarios/atlas"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/journal"
	"redlocklab/scenarios/matrix"
	"redlocklab/scenarios/plan"
)

// Maker makes, plays and checks the report of one checkout.
type Maker struct {
	Root   string
	Out    io.Writer
	In     *report.Input
	Cells  []matrix.Cell    // of the whole matrix
	Chosen []*plan.Scenario // those that were named, or all
	Asked  []matrix.Cell    // cells of these, and of the named systems

	Settings campaign.Settings
	Play     func(context.Context, campaign.Settings, []campaign.Job, func(campaign.Summary)) error
	Map      func(scenario string) (*atlas.Map, error) // the map that a scenario's file asks for
	PlayMap  func(context.Context, *atlas.Map, func(campaign.Summary)) error
	Progress func(verb, unit string, total int) (step, end func())

	journal *journal.Journal // that keeps the runs; see [Maker.Keep]
	known   map[run]campaign.Summary
	numbers map[run]int // in the order of the work
}

// must returns a text that only a bug of this program can keep from being made.
func must(text []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return text
}

func (m *Maker) path(file string) string { return filepath.Join(m.Root, file) }

// isAsked reports whether the cell of a scenario and a subject's title was asked for.
func (m *Maker) isAsked(scenario, subject string) bool {
	return slices.ContainsFunc(m.Asked, func(c matrix.Cell) bool {
		return c.Scenario.Name == scenario && c.Subject.Title() == subject
	})
}

// fitting says why there are no results that fit the suite; nil when there are.
func (m *Maker) fitting() error {
	if stale := m.In.Results.Stale(m.Cells); len(stale) > 0 {
		return fmt.Errorf("%s does not fit the suite (%s, and %d more); play it again: ./simulate report --rerun", m.path(report.ResultsFile), stale[0], len(stale)-1)
	}
	return nil
}

// Write makes the documents.
func (m *Maker) Write() error {
	var err error
	if m.In.Results, err = report.Load(m.path(report.ResultsFile)); err == nil {
		err = m.fitting()
	}
	if err != nil {
		return err
	}
	return m.replace(nil)
}

// replace writes files, then pictures and documents. A file without a text is removed.
func (m *Maker) replace(files []report.Document) error {
	pictures, err := m.pictures(true)
	if err != nil {
		return err
	}
	for _, d := range slices.Concat(files, pictures, m.In.Documents()) {
		path, did := m.path(d.File), "written"
		var err error
		if d.Text == "" {
			did, err = "removed", os.Remove(path)
		} else {
			err = journal.WriteFile(path, []byte(d.Text))
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(m.Out, "%s: %s\n", did, path)
	}
	return nil
}

// Rerun plays the cells that were asked for and those that the results do not fit,
// plays the maps when all were asked for, and makes the minimal plans. Then it
// writes what it has made. With minimal it makes only the minimal plans.
func (m *Maker) Rerun(ctx context.Context, seeds int, all, minimal bool) error {
	err := m.load(all && !minimal)
	if err == nil && !minimal {
		jobs := report.Jobs(m.cells(), seeds)
		m.order(jobs)
		var reports []campaign.Summary
		if reports, err = m.play(ctx, jobs); err == nil {
			m.In.Results.Replace(report.Collect(m.Cells, reports, fmt.Sprintf("./simulate report --rerun --seeds %d", seeds)))
		}
	}
	var files, plans []report.Document
	if err == nil && all && !minimal {
		files, err = m.measure(ctx)
	}
	if err == nil {
		err = m.fitting()
	}
	if err == nil {
		err = m.settle()
	}
	if err == nil {
		plans, err = m.shrink(ctx)
	}
	if err != nil {
		return err
	}
	results := report.Document{File: report.ResultsFile, Text: string(must(m.In.Results.Encode()))}
	return m.replace(append(slices.Concat(files, plans), results))
}

// CheckSeeds is how many seeds of each cell a check plays.
const CheckSeeds = 2

// shownChanges is how many changes a check prints, at most.
const shownChanges = 20

// play plays jobs and returns all of their reports.
func (m *Maker) play(ctx context.Context, jobs []campaign.Job) (reports []campaign.Summary, err error) {
	take := func(run campaign.Summary) { reports = append(reports, run) }
	err = m.Play(ctx, m.Settings, m.left(jobs, every, take), func(run campaign.Summary) {
		m.keep(run)
		take(run)
	})
	return reports, err
}

// Check prints what has changed, and counts it.
func (m *Maker) Check(ctx context.Context, maps bool) (changed int, err error) {
	if m.In.Results, err = report.Load(m.path(report.ResultsFile)); err != nil {
		return 0, err
	}
	changes := m.In.Results.Stale(m.Cells)
	if len(changes) == 0 {
		changes, err = m.checkRuns(ctx)
	}
	var measured, stale []string
	if err == nil && maps {
		measured, err = m.checkMaps(ctx, len(m.Chosen) == len(m.In.Suite))
	}
	if err == nil {
		stale, err = m.stale()
	}
	if err != nil {
		return 0, err
	}
	changes = slices.Concat(changes, m.In.Undiagnosed(), m.In.MinimalGaps(), m.In.Unshown(), measured, stale)
	for i, change := range changes {
		if i == shownChanges {
			fmt.Fprintf(m.Out, "… and %d more\n", len(changes)-i)
			break
		}
		fmt.Fprintln(m.Out, change)
	}
	if len(changes) > 0 {
		fmt.Fprintf(m.Out, "%d changes; if they are intended: ./simulate report --rerun\n", len(changes))
		return len(changes), nil
	}
	fmt.Fprintf(m.Out, "the results are as committed, in a sample of %d seeds of each cell, in the maps and in the minimal plans\n", CheckSeeds)
	return 0, nil
}

// checkRuns plays some seeds of the cells that were asked for, and their minimal
// plans, and lists what has changed.
func (m *Maker) checkRuns(ctx context.Context) ([]string, error) {
	reports, err := m.play(ctx, report.Jobs(m.Asked, CheckSeeds))
	if err != nil {
		return nil, err
	}
	changes := m.In.Results.Compare(reports)
	var jobs []campaign.Job
	for _, shown := range m.In.Shown() {
		if small := m.In.Minimal[shown.File()]; small != nil && m.isAsked(shown.Scenario, shown.Subject) {
			job := campaign.PlanJob(small.Plan)
			job.Scenario.Name = shown.File()
			jobs = append(jobs, job)
		}
	}
	reports, err = m.play(ctx, jobs)
	var lost []string
	for i := range reports {
		for _, difference := range campaign.Compare(&m.In.Minimal[reports[i].Scenario].Plan.Subject, &reports[i]) {
			lost = append(lost, fmt.Sprintf("%s: %s", reports[i].Scenario, difference.Text))
		}
	}
	slices.Sort(lost)
	return append(changes, lost...), err
}
