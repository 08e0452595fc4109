package remake

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
func (m *Maker) shrink(ctx context.Context) ([]report.Document, error) {
	var wanted []report.Shown
	for _, shown := range m.In.Shown() {
		if m.isAsked(shown.Scenario, shown.Subject) || m.In.Gap(&shown) != "" {
			wanted = append(wanted, shown)
		}
	}
	made, errs := make([]*search.Minimal, len(wanted)), make([]error, len(wanted))
	step, end := m.Progress("shrunk", len(wanted))
	var group sync.WaitGroup
	slots := make(chan struct{}, m.Settings.Workers)
	for i := range wanted {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			made[i], errs[i] = m.minimal(ctx, &wanted[i])
			step()
		})
	}
	group.Wait()
	end()
	if err := cmp.Or(ctx.Err(), errors.Join(errs...)); err != nil {
		return nil, err
	}
	var files []report.Document
	for i, plan := range made {
		text := must(plan.Encode())
		name := wanted[i].File()
		m.In.Minimal[name] = plan
		files = append(files, report.Document{File: report.MinimalFolder + "/" + name, Text: string(text)})
	}
	for _, name := range m.In.Needless() {
		delete(m.In.Minimal, name)
		files = append(files, report.Document{File: report.MinimalFolder + "/" + name})
	}
	return files, nil
}

// minimal shrinks one run of the track record.
func (m *Maker) minimal(ctx context.Context, shown *report.Shown) (*search.Minimal, error) {
	name := fmt.Sprintf("%s %s seed %d", shown.Scenario, shown.Subject, shown.Seed)
	i := slices.IndexFunc(m.Cells, func(c matrix.Cell) bool {
		return c.Scenario.Name == shown.Scenario && c.Subject.Title() == shown.Subject
	})
	if i < 0 {
		return nil, fmt.Errorf("%s: found a result of what is not in the suite; allowed: its cells", name)
	}
	p, err := m.Cells[i].Scenario.Plan(shown.Subject, shown.Seed)
	if err != nil {
		return nil, err
	}
	small, err := search.ShrinkInWorker(ctx, m.Settings, p, shown.Target)
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return small, err
}
