package sweep

import (
	"fmt"
	"slices"

	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/file"
	"redlocklab/scenarios/matrix"
	"redlocklab/scenarios/plan"
)

// Sweep is a scenario with the values that its parameters are to have.
type Sweep struct {
	Scenario *plan.Scenario `json:"scenario"`
	Axes     []plan.Axis    `json:"axes"`
	Measure  plan.Measure   `json:"measure"` // what a plot shows
	Jobs     []campaign.Job `json:"-"`       // one per point and subject, in the order of the lines; a journal has them apart
}

// mostRuns bounds a sweep: what lies beyond it is a slip of the pen.
const mostRuns = 5_000_000

// New makes the jobs of a sweep. Subjects are names or titles; none is all of the
// scenario's. Errors say what does not fit.
func New(s *plan.Scenario, axes []plan.Axis, subjects []string, seeds plan.Seeds) (*Sweep, error) {
	sweep := &Sweep{Scenario: s, Axes: axes, Measure: plan.MeasureViolated}
	if s.Curve != nil {
		sweep.Measure = s.Curve.Measure
	}
	rows, err := matrix.Select(matrix.Rows(s), subjects)
	if err != nil {
		return nil, err
	}
	runs := (seeds.Last - seeds.First + 1) * uint64(len(rows))
	for _, axis := range axes {
		if runs *= uint64(len(axis.Values)); runs > mostRuns {
			return nil, fmt.Errorf("found a sweep of more than %d runs; allowed: fewer values, subjects or seeds", mostRuns)
		}
	}
	var all []uint64
	for seed := seeds.First; seed <= seeds.Last; seed++ {
		all = append(all, seed)
	}
	for _, settings := range grid(axes) {
		set, err := file.With(s, settings...)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			sweep.Jobs = append(sweep.Jobs, campaign.Job{Scenario: set, Subject: row.Subject.Title(), Seeds: all})
		}
	}
	return sweep, nil
}

// grid lists all points, the last axis fastest.
func grid(axes []plan.Axis) [][]plan.Setting {
	points := [][]plan.Setting{{}}
	for _, axis := range axes {
		var longer [][]plan.Setting
		for _, p := range points {
			for _, value := range axis.Values {
				setting := plan.Setting{Name: axis.Parameter.Name, Value: axis.Parameter.Format(value)}
				longer = append(longer, append(slices.Clone(p), setting))
			}
		}
		points = longer
	}
	return points
}
