package sweep

import (
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"redlocklab/scenarios/plan"
	"redlocklab/sim/svg"
)

// WriteSVG draws the sweep's measure along its first axis, one line per subject
// and combination of the other axes, with the 95 % interval as a band. The same
// lines make the same bytes.
func (s *Sweep) WriteSVG(w io.Writer, lines []Line) error {
	curves := s.curves(lines)
	plot := svg.Plot{Title: s.Scenario.Name + ": " + s.Scenario.Title, X: s.across(), Y: s.up(curves), Curves: curves}
	_, err := io.WriteString(w, plot.Document())
	return err
}

func (s *Sweep) curves(lines []Line) []svg.Curve {
	var curves []svg.Curve
	place := map[string]int{}
	for i := range lines {
		l := &lines[i]
		name := l.Subject
		for axis := 1; axis < len(s.Axes); axis++ {
			name += ", " + s.Axes[axis].Parameter.Name + " " + l.Texts[axis]
		}
		at, known := place[name]
		if !known {
			at = len(curves)
			place[name] = at
			curves = append(curves, svg.Curve{Name: name})
		}
		y, low, high, ok := s.measured(l)
		if !ok {
			continue
		}
		c := &curves[at]
		c.X, c.Y, c.Lower, c.Higher = append(c.X, float64(l.Values[0])), append(c.Y, y), append(c.Lower, low), append(c.Higher, high)
	}
	return curves
}

// measured is what the plot shows of a line; false when the line has none.
func (s *Sweep) measured(l *Line) (y, low, high float64, ok bool) {
	spread := l.Margin
	switch s.Measure {
	case plan.MeasureViolated:
		return l.Violated.Value(), l.Violated.Low, l.Violated.High, l.Runs > 0
	case plan.MeasureTime:
		spread = l.Times[0]
	}
	if spread == nil {
		return 0, 0, 0, false
	}
	return float64(spread.Median), float64(spread.Low), float64(spread.High), true
}

// across is the plot's horizontal axis: the sweep's first parameter.
func (s *Sweep) across() svg.Axis {
	low, high := math.Inf(1), math.Inf(-1)
	for _, n := range s.Axes[0].Values {
		low, high = min(low, float64(n)), max(high, float64(n))
	}
	p := s.Axes[0].Parameter
	axis := svg.NewAxis(low, high, func(v float64) string { return p.Format(int64(math.Round(v))) })
	axis.Low, axis.High = low, max(high, low+1)
	if p.Kind == plan.WordParameter {
		axis.Step = 1
	}
	axis.Name = p.Name + ": " + p.Meaning
	if p.Unit != "" && !strings.HasSuffix(p.Name, p.Unit) {
		axis.Name += " (" + p.Unit + ")"
	}
	return axis
}

// up is the plot's vertical axis: what is measured.
func (s *Sweep) up(curves []svg.Curve) svg.Axis {
	if s.Measure == plan.MeasureViolated {
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
	axis := svg.NewAxis(low, high, func(v float64) string { return time.Duration(math.Round(v)).Round(time.Microsecond).String() })
	axis.Name = "median of the worst margin between two beliefs (below zero: both hold), with its 95 % interval"
	if s.Measure == plan.MeasureTime {
		axis.Name = "median time of the first goal, with its 95 % interval"
	}
	return axis
}
