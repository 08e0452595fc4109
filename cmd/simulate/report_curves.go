package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"redlocklab/cmd/simulate/report"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/journal"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/sweep"
)

// curvesFolder holds the measured curves, below the root of the checkout.
const curvesFolder = "cmd/simulate/report"

// curveSample is how many lines of each curve --check and --sample play again.
const curveSample = 3

// remeasure plays every committed curve again, whole, and replaces it.
func (p *program) remeasure(ctx context.Context, settings campaign.Settings, root string) error {
	dir := filepath.Join(root, curvesFolder)
	curves, err := report.LoadCurves(dir)
	if err != nil {
		return err
	}
	for _, c := range curves {
		s, err := (&sweepFlags{}).make(c.Name)
		if err != nil {
			return err
		}
		reports, err := p.playAll(ctx, settings, s.Jobs)
		if err != nil {
			return err
		}
		lines := s.Lines(reports)
		if !sweep.Complete(lines) {
			return &exitError{exitInconclusive, fmt.Errorf("%s: some runs have no verdict; the curve stays as it was", c.Name)}
		}
		path := filepath.Join(dir, c.Name)
		if err := journal.Write(path+".csv", func(w io.Writer) error { return s.WriteCSV(w, lines) }); err != nil {
			return err
		}
		if err := journal.Write(path+".svg", func(w io.Writer) error { return s.WriteSVG(w, lines) }); err != nil {
			return err
		}
	}
	return nil
}

// curveChanges compares the committed curves of the scenarios or claims that were
// named, none is all, with what these ask for, and a sample of their lines with
// what the same runs come to now.
func (p *program) curveChanges(ctx context.Context, settings campaign.Settings, curves []report.Curve, names []string) ([]string, error) {
	chosen, err := selectScenarios(names)
	if err != nil {
		return nil, err
	}
	var changes []string
	for i := range curves {
		c := &curves[i]
		if !slices.ContainsFunc(chosen, func(s *plan.Scenario) bool { return s.Name == c.Name }) {
			continue
		}
		s, err := (&sweepFlags{}).make(c.Name)
		if err != nil {
			return nil, err
		}
		var sample []int
		var jobs []campaign.Job
		for k := range curveSample {
			at := k * (len(s.Jobs) - 1) / (curveSample - 1)
			sample, jobs = append(sample, at), append(jobs, s.Jobs[at])
		}
		reports, err := p.playAll(ctx, settings, jobs)
		if err != nil {
			return nil, err
		}
		var text bytes.Buffer
		if err := s.WriteCSV(&text, s.Lines(reports)); err != nil {
			return nil, err
		}
		now, err := csv.NewReader(&text).ReadAll()
		if err != nil {
			return nil, bug(err)
		}
		if change := curveChange(c, now, sample); change != "" {
			changes = append(changes, change)
		}
	}
	return changes, nil
}

// curveChange says how a curve differs from what is there now, of which only the
// lines of the sample were played; "" when it does not.
func curveChange(c *report.Curve, now [][]string, sample []int) string {
	file := filepath.Join(curvesFolder, c.Name+".csv")
	identity := slices.Index(now[0], "planned") + 1 // the columns before what was measured
	if !slices.Equal(c.Heads, now[0]) || len(c.Records) != len(now)-1 {
		return fmt.Sprintf("%s is not the curve that the scenario asks for: %d columns and %d lines, now %d and %d", file, len(c.Heads), len(c.Records), len(now[0]), len(now)-1)
	}
	for i, record := range c.Records {
		switch fresh := now[i+1]; {
		case !slices.Equal(record[:identity], fresh[:identity]):
			return fmt.Sprintf("%s is not the curve that the scenario asks for: line %d is about %v, now %v", file, i+2, record[:identity], fresh[:identity])
		case slices.Contains(sample, i) && !slices.Equal(record, fresh):
			return fmt.Sprintf("%s, line %d: %v, now %v", file, i+2, record, fresh)
		}
	}
	return ""
}
