package sweep

import (
	"fmt"
	"slices"

	"redlocklab/faults"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/file"
	"redlocklab/scenarios/plan"
)

// Sweep is a scenario with the values that its parameters are to have.
type Sweep struct {
	Scenario *plan.Scenario
	Axes     []plan.Axis
	Measure  plan.Measure   // what a plot shows
	Jobs     []campaign.Job // one per point and subject, in the order of the lines

	points []point // one per job
}

// point is one value of each axis, by its place.
type point []int

// mostRuns bounds a sweep: what lies beyond it is a slip of the pen.
const mostRuns = 5_000_000

// New makes the jobs of a sweep. Subjects are names or titles; none is all of the
// scenario's. Errors say what does not fit.
func New(s *plan.Scenario, axes []plan.Axis, subjects []string, seeds plan.Seeds) (*Sweep, error) {
	sweep := &Sweep{Scenario: s, Axes: axes, Measure: plan.MeasureViolated}
	if s.Curve != nil {
		sweep.Measure = s.Curve.Measure
	}
	titles, err := chosen(s, subjects)
	if err != nil {
		return nil, err
	}
	runs := (seeds.Last - seeds.First + 1) * uint64(len(titles))
	for _, axis := range axes {
		if runs *= uint64(len(axis.Values)); runs > mostRuns {
			return nil, fmt.Errorf("found a sweep of more than %d runs; allowed: fewer values, subjects or seeds", mostRuns)
		}
	}
	var all []uint64
	for seed := seeds.First; seed <= seeds.Last; seed++ {
		all = append(all, seed)
	}
	for _, p := range grid(axes) {
		set, err := file.With(s, sweep.settings(p)...)
		if err != nil {
			return nil, err
		}
		for _, title := range titles {
			sweep.Jobs = append(sweep.Jobs, campaign.Job{Scenario: set, Subject: title, Seeds: all})
			sweep.points = append(sweep.points, p)
		}
	}
	return sweep, nil
}

// chosen lists the titles of the subjects that are asked for, by the names that run takes too.
func chosen(s *plan.Scenario, subjects []string) ([]string, error) {
	var titles, known []string
	wanted := map[string]bool{}
	for _, subject := range s.Subjects {
		known = append(known, subject.Title())
		wanted[subject.Title()] = len(subjects) == 0
	}
	for _, name := range subjects {
		declarations, label, err := plan.SubjectNamed(name)
		if err != nil {
			return nil, fmt.Errorf("--subject: %w", err)
		}
		found := false
		for _, subject := range s.Subjects {
			named := slices.ContainsFunc(declarations, func(d plan.SubjectDeclaration) bool { return d.Name == subject.Name })
			if named && (label == "" || label == subject.Label) {
				wanted[subject.Title()], found = true, true
			}
		}
		if !found {
			return nil, fmt.Errorf("--subject: found %q, which %s does not have; %s", name, s.Name, faults.Allowed(name, known))
		}
	}
	for _, title := range known {
		if wanted[title] {
			titles = append(titles, title)
		}
	}
	return titles, nil
}

// grid lists all points, the last axis fastest.
func grid(axes []plan.Axis) []point {
	points := []point{{}}
	for _, axis := range axes {
		var longer []point
		for _, p := range points {
			for i := range axis.Values {
				longer = append(longer, append(slices.Clone(p), i))
			}
		}
		points = longer
	}
	return points
}

func (s *Sweep) settings(p point) []plan.Setting {
	settings := make([]plan.Setting, len(p))
	for i, place := range p {
		settings[i] = plan.Setting{Name: s.Axes[i].Parameter.Name, Value: s.value(i, place)}
	}
	return settings
}

// value is the value of an axis as text.
func (s *Sweep) value(axis, place int) string {
	return s.Axes[axis].Parameter.Format(s.Axes[axis].Values[place])
}
