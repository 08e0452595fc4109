package main

import (
	"fmt"
	"slices"
	"strings"

	"redlocklab/scenarios/atlas"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/file"
	"redlocklab/scenarios/plan"
)

// mapWords are the words that choose a map.
type mapWords struct {
	Axes     [3]string // x, y, panels
	Set, Pin []string
	Subjects []string
	Seeds    string
	Cells    string
	Measure  string
	Refine   int
}

// refineDefault halves a border four times: to a sixteenth of a cell.
const refineDefault = 4

// mapWordFlags are their flags.
var mapWordFlags = []string{"x", "y", "panels", "set", "subject", "seeds", "cells", "measure", "refine", "pin"}

// spec reads the words into a map.
func (f *mapWords) spec(name string) (atlas.Spec, error) {
	s, err := findScenario(name)
	if err != nil {
		return atlas.Spec{}, err
	}
	spec := atlas.Spec{
		Name: name, File: s.Path, Text: string(s.Text), Subjects: f.Subjects, Refine: f.Refine,
		Map: plan.Map{Measure: plan.MeasureVerdict, Seeds: plan.Seeds{First: 1, Last: 5}},
	}
	if s.Map != nil {
		spec.Map = *s.Map
	}
	if spec.Settings, err = parseSettings("--set", f.Set); err == nil {
		spec.Pin, err = parseSettings("--pin", f.Pin)
	}
	if err != nil {
		return spec, err
	}
	if f.Axes[0] != "" { // another map than that of the file
		spec.Map.Y, spec.Map.Panels, spec.Map.Measure = nil, nil, plan.MeasureVerdict
		spec.Map.Predictions = keepFitting(s.Map, f.Axes)
	} else if f.Axes[1] != "" || f.Axes[2] != "" || s.Map == nil {
		return spec, fmt.Errorf("found no --x, and %s has no map; allowed: --x with a parameter; "+
			"./simulate list parameters %s names them", s.Name, campaign.Quote(name))
	}
	for i, text := range f.Axes {
		if text == "" {
			continue
		}
		axis, err := axisOf(s, text)
		if err != nil {
			return spec, fmt.Errorf("--%s: %w", mapWordFlags[i], err)
		}
		switch i {
		case 0:
			spec.Map.X = axis
		case 1:
			spec.Map.Y = &axis
		default:
			spec.Map.Panels = &axis
		}
	}
	if f.Seeds != "" {
		given, err := parseSeeds(f.Seeds)
		if err != nil {
			return spec, err
		}
		spec.Map.Seeds = given.Seeds
	}
	if f.Cells != "" {
		if spec.Map.Cells, err = file.ParseCells(f.Cells); err != nil {
			return spec, fmt.Errorf("--cells: %w", err)
		}
	}
	if f.Measure != "" {
		spec.Map.Measure = plan.Measure(f.Measure)
		if words := spec.Map.Measure.Words(); !slices.Contains(words, spec.Map.Measure) {
			return spec, fmt.Errorf("--measure: found %q; allowed: verdict, violated, margin, time", f.Measure)
		}
	}
	if spec.Map.Measure == plan.MeasureTime && len(s.Liveness) == 0 {
		return spec, fmt.Errorf("--measure: found time, but %s has no liveness goal; allowed: verdict, violated, margin",
			s.Name)
	}
	if spec.Map.Measure != plan.MeasureVerdict || spec.Map.Y == nil && s.Map != nil && f.Axes[0] == "" {
		spec.Refine = 0 // the file's own map is measured at its points
	}
	return spec, within("refine", f.Refine, 0, 30)
}

// keepFitting returns a file's predictions when the flags name its own axes: with other
// axes they would say nothing.
func keepFitting(m *plan.Map, axes [3]string) []plan.Prediction {
	if m == nil {
		return nil
	}
	own := m.Axes()
	for i, text := range axes {
		name, _, given := strings.Cut(text, "=")
		if given && (i >= len(own) || own[i].Parameter.Name != name) {
			return nil
		}
	}
	return m.Predictions
}

// axisOf reads NAME=VALUES.
func axisOf(s *plan.Scenario, text string) (plan.Axis, error) {
	setting, err := plan.ParseSetting(text)
	if err != nil {
		return plan.Axis{}, err
	}
	parameter, err := file.Parameter(s, setting.Name)
	if err != nil {
		return plan.Axis{}, err
	}
	return parameter.Axis(setting.Value)
}
