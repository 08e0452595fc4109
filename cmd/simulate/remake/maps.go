package remake

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"

	"redlocklab/cmd/simulate/report"
	"redlocklab/scenarios/atlas"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/search"
)

// mapSample is how many cells of each map --check plays.
const mapSample = 3

// measure plays every committed map again, and returns its files.
func (m *Maker) measure(ctx context.Context) ([]report.Document, error) {
	var files []report.Document
	for i := range m.In.Maps {
		c := &m.In.Maps[i]
		one, err := m.playMap(c.Name, func(one *atlas.Map) error { return m.PlayMap(ctx, one, m.keep) })
		if err != nil {
			return nil, err
		}
		lines, err := one.Lines()
		if err == nil && !atlas.Complete(lines) {
			err = fmt.Errorf("%s: %w in the map", c.Name, search.ErrNoVerdict)
		}
		if err != nil {
			return nil, err
		}
		var table, plot bytes.Buffer
		err = errors.Join(one.WriteCSV(&table, lines), one.WriteSVG(&plot, lines), c.Read(table.Bytes()))
		file := report.Folder + "/" + c.Name
		files = append(files,
			report.Document{File: file + ".csv", Text: string(must(table.Bytes(), err))},
			report.Document{File: file + ".svg", Text: plot.String()})
	}
	return files, nil
}

// checkMaps compares the committed maps of the chosen scenarios with those that
// these ask for, and a sample of their cells with what the same runs show now.
func (m *Maker) checkMaps(ctx context.Context, all bool) ([]string, error) {
	var changes []string
	for i := range m.In.Maps {
		c := &m.In.Maps[i]
		if !all && !slices.ContainsFunc(m.Chosen, func(s *plan.Scenario) bool { return s.Name == c.Name }) {
			continue
		}
		one, err := m.Map(c.Name)
		if err != nil {
			return nil, err
		}
		settings := m.Settings
		if settings.Causes = campaign.CausesUnasked; one.Spec.Map.Measure == plan.MeasureVerdict {
			settings.Causes = campaign.CausesBeside
		}
		jobs, err := one.Jobs(report.Spread(one.Places(), mapSample)...)
		if err == nil {
			err = m.Play(ctx, settings, jobs, one.Add)
		}
		if err != nil {
			return nil, err
		}
		var text bytes.Buffer
		lines, err := one.Lines()
		if err == nil {
			err = one.WriteCSV(&text, lines)
		}
		now, unread := csv.NewReader(bytes.NewReader(must(text.Bytes(), err))).ReadAll()
		if unread != nil {
			panic(unread) // it was written just now
		}
		var sample []int // all judges of the places that were played
		for k := range lines {
			if lines[k].Runs > 0 {
				sample = append(sample, k)
			}
		}
		if change := mapChange(c, now, sample); change != "" {
			changes = append(changes, change)
		}
	}
	return changes, nil
}

// mapChange says how a map differs from what it is now; "" when it does not. Only
// the lines of the sample were played.
func mapChange(c *report.Map, now [][]string, sample []int) string {
	file := report.Folder + "/" + c.Name + ".csv"
	identity := slices.Index(now[0], "judge") + 1 // the columns before what was measured
	if !slices.Equal(c.Heads, now[0]) || len(c.Records) != len(now)-1 {
		return fmt.Sprintf("%s is not the map of its scenario: %d columns and %d lines, now %d and %d", file, len(c.Heads), len(c.Records), len(now[0]), len(now)-1)
	}
	for i, record := range c.Records {
		switch fresh := now[i+1]; {
		case !slices.Equal(record[:identity], fresh[:identity]):
			return fmt.Sprintf("%s is not the map of its scenario: line %d is about %v, now %v", file, i+2, record[:identity], fresh[:identity])
		case slices.Contains(sample, i) && !slices.Equal(record, fresh):
			return fmt.Sprintf("%s, line %d: %v, now %v", file, i+2, record, fresh)
		}
	}
	return ""
}
