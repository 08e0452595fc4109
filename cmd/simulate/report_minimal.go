package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"redlocklab/cmd/simulate/report"
	"redlocklab/scenarios/matrix"
	"redlocklab/scenarios/search"
)

// shrink makes the minimal plans of what the track record shows of the cells that
// were asked for, and those that are missing or of another run. Of minimal plans that belong
// to nothing it returns the files without a text.
func (r *reporter) shrink(ctx context.Context) ([]report.Document, error) {
	var wanted []report.Shown
	for _, shown := range r.in.Shown() {
		if r.isAsked(shown.Scenario, shown.Subject) || r.in.Gap(&shown) != "" {
			wanted = append(wanted, shown)
		}
	}
	made, errs := make([]*search.Minimal, len(wanted)), make([]error, len(wanted))
	line := newProgress(r.p.err, "shrunk", len(wanted))
	var group sync.WaitGroup
	slots := make(chan struct{}, r.settings.Workers)
	for i := range wanted {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			made[i], errs[i] = r.minimal(ctx, &wanted[i])
			line.step()
		})
	}
	group.Wait()
	line.end()
	if err := cmp.Or(ctx.Err(), errors.Join(errs...)); err != nil {
		return nil, err
	}
	var files []report.Document
	for i, m := range made {
		text, err := m.Encode()
		if err != nil {
			return nil, bug(err)
		}
		name := wanted[i].File()
		r.in.Minimal[name] = m
		files = append(files, report.Document{File: report.MinimalFolder + "/" + name, Text: string(text)})
	}
	for _, name := range r.in.Needless() {
		delete(r.in.Minimal, name)
		files = append(files, report.Document{File: report.MinimalFolder + "/" + name})
	}
	return files, nil
}

// minimal shrinks one run of the track record.
func (r *reporter) minimal(ctx context.Context, shown *report.Shown) (*search.Minimal, error) {
	name := fmt.Sprintf("%s %s seed %d", shown.Scenario, shown.Subject, shown.Seed)
	i := slices.IndexFunc(r.cells, func(c matrix.Cell) bool {
		return c.Scenario.Name == shown.Scenario && c.Subject.Title() == shown.Subject
	})
	if i < 0 {
		return nil, fmt.Errorf("%s: found a result of what is not in the suite; allowed: its cells", name)
	}
	p, err := r.cells[i].Scenario.Plan(shown.Subject, shown.Seed)
	if err != nil {
		return nil, err
	}
	m, err := search.ShrinkInWorker(ctx, r.settings, p, shown.Target)
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return m, err
}
