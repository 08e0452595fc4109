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
	PlayMap  func(context.Context, campaign.Settings, *atlas.Map, func(campaign.Summary)) error
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
