package atlas

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"redlocklab/scenarios/plan"
	"redlocklab/sim/svg"
)

// curves are the lines of a map over one axis: one per subject and value of the panels, with
// the 95 % interval as a band.
func (m *Map) curves(lines []Line) []svg.Curve {
	name := func(l *Line) string {
		name := l.Subject
		for axis := 1; axis < len(m.Axes); axis++ {
			name += ", " + m.Axes[axis].Parameter.Name + " " + l.Texts[axis]
		}
		return name
	}
	var curves []svg.Curve
	for _, g := range grouped(lines, name) {
		c := svg.Curve{Name: g.name}
		for _, i := range g.lines {
			if y, low, high, ok := m.measured(&lines[i]); ok {
				c.X, c.Y = append(c.X, float64(lines[i].Values[0])), append(c.Y, y)
				c.Lower, c.Higher = append(c.Lower, low), append(c.Higher, high)
			}
		}
		curves = append(curves, c)
	}
	return curves
}

// spread is the one that the map measures: of times, or of margins.
func (m *Map) spread(l *Line) *Spread {
	if m.Spec.Map.Measure == plan.MeasureTime {
		return l.Times[0]
	}
	return l.Margin
}

// measured is what the plot shows of a line; false when the line has none.
func (m *Map) measured(l *Line) (y, low, high float64, ok bool) {
	if m.shares() {
		return l.Violated.Value(), l.Violated.Low, l.Violated.High, l.Runs > 0
	}
	spread := m.spread(l)
	if spread == nil {
		return 0, 0, 0, false
	}
	return float64(spread.Median), float64(spread.Low), float64(spread.High), true
}

// shares reports whether the plot shows shares of violated runs.
func (m *Map) shares() bool {
	return m.Spec.Map.Measure == plan.MeasureViolated || m.Spec.Map.Measure == plan.MeasureVerdict
}

// across is the axis of a picture that shows one of the map's.
func (m *Map) across(i int) svg.Axis {
	low, high := float64(slices.Min(m.Axes[i].Values)), float64(slices.Max(m.Axes[i].Values))
	p := m.Axes[i].Parameter
	label := func(v float64) string {
		n := int64(math.Round(v))
		if p.Kind == plan.WordParameter && (n < 0 || n >= int64(len(p.Words))) {
			return ""
		}
		return p.Format(n)
	}
	axis := svg.NewAxis(low, high, label)
	axis.Low, axis.High = low, max(high, low+1)
	if p.Kind != plan.DurationParameter && p.Kind != plan.PercentParameter {
		axis.Step = max(1, axis.Step)
	}
	axis.Name = p.Name + ": " + p.Meaning
	if i == 1 {
		axis.Name = p.Name
	}
	if p.Unit != "" && !strings.HasSuffix(p.Name, p.Unit) {
		axis.Name += " (" + p.Unit + ")"
	}
	return axis
}

// up is the plot's vertical axis: what is measured.
func (m *Map) up(curves []svg.Curve) svg.Axis {
	if m.shares() {
		return svg.Axis{
			Name: "share of runs in which an oracle was violated, with its 95 % interval",
			High: 1, Step: 0.2, Label: func(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) },
		}
	}
	low, high := 0.0, 0.0
	for _, c := range curves {
		for i := range c.Y {
			low, high = min(low, c.Lower[i]), max(high, c.Higher[i])
		}
	}
	axis := svg.NewAxis(low, high, func(v float64) string {
		return time.Duration(math.Round(v)).Round(time.Microsecond).String()
	})
	axis.Name = "median of the worst margin between two beliefs (below zero: both hold), with its 95 % interval"
	if m.Spec.Map.Measure == plan.MeasureTime {
		axis.Name = "median time of the first goal, with its 95 % interval"
	}
	return axis
}
