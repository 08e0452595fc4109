package atlas

import (
	"math"
	"strconv"
	"strings"
	"time"

	"redlocklab/scenarios/plan"
	"redlocklab/sim/svg"
)

// curves are the lines of a map over one axis: one per subject and value of the panels, with
// the 95 % interval as a band.
func (m *Map) curves(lines []Line) []svg.Curve {
	var curves []svg.Curve
	place := map[string]int{}
	for i := range lines {
		l := &lines[i]
		name := l.Subject
		for axis := 1; axis < len(m.Axes); axis++ {
			name += ", " + m.Axes[axis].Parameter.Name + " " + l.Texts[axis]
		}
		at, known := place[name]
		if !known {
			at = len(curves)
			place[name] = at
			curves = append(curves, svg.Curve{Name: name})
		}
		y, low, high, ok := m.measured(l)
		if !ok {
			continue
		}
		c := &curves[at]
		c.X, c.Y = append(c.X, float64(l.Values[0])), append(c.Y, y)
		c.Lower, c.Higher = append(c.Lower, low), append(c.Higher, high)
	}
	return curves
}

// measured is what the plot shows of a line; false when the line has none.
func (m *Map) measured(l *Line) (y, low, high float64, ok bool) {
	spread := l.Margin
	switch m.Spec.Map.Measure {
	case plan.MeasureViolated, plan.MeasureVerdict:
		return l.Violated.Value(), l.Violated.Low, l.Violated.High, l.Runs > 0
	case plan.MeasureTime:
		spread = l.Times[0]
	}
	if spread == nil {
		return 0, 0, 0, false
	}
	return float64(spread.Median), float64(spread.Low), float64(spread.High), true
}

// across is the axis of a picture that shows one of the map's.
func (m *Map) across(i int) svg.Axis {
	low, high := math.Inf(1), math.Inf(-1)
	for _, n := range m.Axes[i].Values {
		low, high = min(low, float64(n)), max(high, float64(n))
	}
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
	if m.Spec.Map.Measure == plan.MeasureViolated || m.Spec.Map.Measure == plan.MeasureVerdict {
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
