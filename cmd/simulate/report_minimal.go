package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"redlocklab/cmd/simulate/report"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/journal"
	"redlocklab/scenarios/matrix"
	"redlocklab/scenarios/search"
)

// remakeMinimal makes the minimal plans of what the track record shows of some
// cells, and those that are missing or made of something else, and takes away what belongs
// to nothing. Files are written when all are made.
func (p *program) remakeMinimal(ctx context.Context, f *reportFlags, settings campaign.Settings, in *report.Input, cells []matrix.Cell) error {
	var wanted []report.Shown
	for _, shown := range in.Shown() {
		if among(cells, shown.Scenario, shown.Subject) || in.Gap(&shown) != "" {
			wanted = append(wanted, shown)
		}
	}
	made, err := p.makeMinimal(ctx, settings, in, wanted)
	if err != nil {
		return err
	}
	folder := filepath.Join(f.root, report.MinimalFolder)
	for i := range wanted {
		text, err := made[i].Encode()
		if err != nil {
			return err
		}
		name := wanted[i].File()
		if err := journal.WriteFile(filepath.Join(folder, name), text); err != nil {
			return err
		}
		in.Minimal[name] = made[i]
	}
	for _, name := range in.Needless() {
		if err := os.Remove(filepath.Join(folder, name)); err != nil {
			return err
		}
		delete(in.Minimal, name)
	}
	fmt.Fprintf(p.out, "made: %d minimal plans in %s\n", len(made), folder)
	return nil
}

// makeMinimal makes what is shown small, several at a time.
func (p *program) makeMinimal(ctx context.Context, settings campaign.Settings, in *report.Input, wanted []report.Shown) ([]*search.Minimal, error) {
	made, errs := make([]*search.Minimal, len(wanted)), make([]error, len(wanted))
	line := newProgress(p.err, "made small", len(wanted))
	cells := matrix.Cells(in.Suite)
	var group sync.WaitGroup
	slots := make(chan struct{}, settings.Workers)
	for i := range wanted {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			made[i], errs[i] = p.minimalPlan(ctx, settings, cells, &wanted[i])
			line.step()
		})
	}
	group.Wait()
	line.end()
	if ctx.Err() != nil {
		return nil, errStaysAsItWas
	}
	return made, errors.Join(errs...)
}

// minimalPlan makes one run that is shown small.
func (p *program) minimalPlan(ctx context.Context, settings campaign.Settings, cells []matrix.Cell, shown *report.Shown) (*search.Minimal, error) {
	for i := range cells {
		if !among(cells[i:i+1], shown.Scenario, shown.Subject) {
			continue
		}
		plan, err := cells[i].Scenario.Plan(shown.Subject, shown.Seed)
		if err != nil {
			return nil, err
		}
		minimal, err := search.ShrinkInWorker(ctx, settings, plan, shown.Target)
		if err != nil {
			err = fmt.Errorf("%s %s seed %d: %w", shown.Scenario, shown.Subject, shown.Seed, err)
		}
		return minimal, err
	}
	return nil, fmt.Errorf("%s %s: a result of what is not in the suite", shown.Scenario, shown.Subject)
}

// lostMinimal plays the minimal plans of cells and says which do not show what
// they did.
func (p *program) lostMinimal(ctx context.Context, settings campaign.Settings, in *report.Input, cells []matrix.Cell) ([]string, error) {
	var jobs []campaign.Job
	for _, shown := range in.Shown() {
		if m := in.Minimal[shown.File()]; m != nil && among(cells, shown.Scenario, shown.Subject) {
			job := campaign.PlanJob(m.Plan)
			job.Scenario.Name = shown.File()
			jobs = append(jobs, job)
		}
	}
	reports, err := p.playAll(ctx, settings, jobs)
	if err != nil {
		return nil, err
	}
	var list []string
	for i := range reports {
		for _, difference := range campaign.Compare(&in.Minimal[reports[i].Scenario].Plan.Subject, &reports[i]) {
			list = append(list, fmt.Sprintf("%s: %s", reports[i].Scenario, difference.Text))
		}
	}
	slices.Sort(list)
	return list, nil
}
