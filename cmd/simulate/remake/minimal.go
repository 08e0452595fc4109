package remake

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sync/errgroup"

	"redlocklab/cmd/simulate/report"
	"redlocklab/scenarios/matrix"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/scenarios/saved"
	"redlocklab/scenarios/search"
	"redlocklab/sim/explain"
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
	made := make([]*search.Minimal, len(wanted))
	step, end := m.Progress("shrunk", "runs", len(wanted))
	group, playing := errgroup.WithContext(ctx)
	group.SetLimit(m.Settings.Workers)
	for i := range wanted {
		group.Go(func() (err error) {
			made[i], err = m.minimal(playing, &wanted[i])
			step()
			return err
		})
	}
	err := group.Wait()
	end()
	if err != nil {
		return nil, cmp.Or(ctx.Err(), err)
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
		return nil, fmt.Errorf("%s: found a result of a cell that is not in the suite; allowed: its cells", name)
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

// pictures plays the minimal plans of findings in the track record and draws them: of all
// findings, or of those in the cells that were asked for. Of pictures that belong to nothing
// it returns the files without a text.
func (m *Maker) pictures(all bool) ([]report.Document, error) {
	var files []report.Document
	belongs := map[string]bool{}
	for _, shown := range m.In.Pictured() {
		file, p := shown.Picture(), m.In.Minimal[shown.File()].Plan
		belongs[file] = true
		if !all && !m.isAsked(p.Scenario, p.Subject.Title()) {
			continue
		}
		text, err := picture(p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		files = append(files, report.Document{File: file, Text: text})
	}
	old, err := filepath.Glob(m.path(report.PicturesFolder + "/*.svg"))
	if err != nil {
		return nil, err
	}
	for _, path := range old {
		file := report.PicturesFolder + "/" + filepath.Base(path)
		if !belongs[file] {
			files = append(files, report.Document{File: file})
		}
	}
	return files, nil
}

// picture draws the run of a plan.
func picture(p *plan.Plan) (string, error) {
	result, err := play.Run(p, play.RunOptions{})
	if err != nil {
		return "", err
	}
	var drawn bytes.Buffer
	err = explain.SVG(&drawn, saved.Explain(result, nil), explain.StoryOptions{CausalOnly: true})
	return drawn.String(), err
}

// stale lists the documents that are not as the results make them.
func (m *Maker) stale() ([]string, error) {
	pictures, err := m.pictures(false)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, d := range append(pictures, m.In.Documents()...) {
		old, err := os.ReadFile(m.path(d.File))
		if err != nil && !os.IsNotExist(err) {
			return nil, err
		}
		if err != nil || string(old) != d.Text {
			list = append(list, d.File+" is stale; make it again: ./simulate report")
		}
	}
	return list, nil
}
