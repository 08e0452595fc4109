package remake

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"

	"redlocklab/cmd/simulate/report"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/search"
	"redlocklab/scenarios/sweep"
)

// curveSample is how many lines of each curve --check plays.
const curveSample = 3

// measure plays every committed curve again, and returns its files.
func (m *Maker) measure(ctx context.Context) ([]report.Document, error) {
	var files []report.Document
	for i := range m.In.Curves {
		c := &m.In.Curves[i]
		s, err := m.Curve(c.Name)
		if err != nil {
			return nil, err
		}
		reports, err := m.play(ctx, s.Jobs)
		if err != nil {
			return nil, err
		}
		lines := s.Lines(reports)
		if !sweep.Complete(lines) {
			return nil, fmt.Errorf("%s: %w in the sweep", c.Name, search.ErrNoVerdict)
		}
		var table, plot bytes.Buffer
		if err := errors.Join(s.WriteCSV(&table, lines), s.WriteSVG(&plot, lines)); err != nil {
			panic(err) // nothing was written to a file
		}
		file := report.Folder + "/" + c.Name
		files = append(files, report.Document{File: file + ".csv", Text: table.String()}, report.Document{File: file + ".svg", Text: plot.String()})
		if err := c.Read(table.Bytes()); err != nil {
			panic(err) // nothing was written to a file
		}
	}
	return files, nil
}

// checkCurves compares the committed curves of the chosen scenarios with those that
// these ask for, and a sample of their lines with what the same runs show now.
func (m *Maker) checkCurves(ctx context.Context) ([]string, error) {
	var changes []string
	for i := range m.In.Curves {
		c := &m.In.Curves[i]
		if !slices.ContainsFunc(m.Chosen, func(s *plan.Scenario) bool { return s.Name == c.Name }) {
			continue
		}
		s, err := m.Curve(c.Name)
		if err != nil {
			return nil, err
		}
		var sample []int
		var jobs []campaign.Job
		for k := range curveSample {
			at := k * (len(s.Jobs) - 1) / (curveSample - 1)
			sample, jobs = append(sample, at), append(jobs, s.Jobs[at])
		}
		reports, err := m.play(ctx, jobs)
		if err != nil {
			return nil, err
		}
		var text bytes.Buffer
		if err := s.WriteCSV(&text, s.Lines(reports)); err != nil {
			panic(err) // nothing was written to a file
		}
		now, err := csv.NewReader(&text).ReadAll()
		if err != nil {
			panic(err) // nothing was written to a file
		}
		if change := curveChange(c, now, sample); change != "" {
			changes = append(changes, change)
		}
	}
	return changes, nil
}

// curveChange says how a curve differs from what it is now; "" when it does not. Only
// the lines of the sample were played.
func curveChange(c *report.Curve, now [][]string, sample []int) string {
	file := report.Folder + "/" + c.Name + ".csv"
	identity := slices.Index(now[0], "planned") + 1 // the columns before what was measured
	if !slices.Equal(c.Heads, now[0]) || len(c.Records) != len(now)-1 {
		return fmt.Sprintf("%s is not the curve of its scenario: %d columns and %d lines, now %d and %d", file, len(c.Heads), len(c.Records), len(now[0]), len(now)-1)
	}
	for i, record := range c.Records {
		switch fresh := now[i+1]; {
		case !slices.Equal(record[:identity], fresh[:identity]):
			return fmt.Sprintf("%s is not the curve of its scenario: line %d is about %v, now %v", file, i+2, record[:identity], fresh[:identity])
		case slices.Contains(sample, i) && !slices.Equal(record, fresh):
			return fmt.Sprintf("%s, line %d: %v, now %v", file, i+2, record, fresh)
		}
	}
	return ""
}
