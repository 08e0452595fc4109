package remake

import (
	"context"
	"fmt"
	"slices"

	"redlocklab/cmd/simulate/report"
	"redlocklab/scenarios/campaign"
)

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
