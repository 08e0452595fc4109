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

// The plot's measures, in pixels.
const (
	width, height           = 860.0, 440.0
	left, right, top, floor = 90.0, 250.0, 50.0, 60.0 // margins; the names of the lines stand right
)

// colours are those of Okabe and Ito, which colour-blind readers can tell apart.
var colours = []string{"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"}

// curve is one line of the plot: a subject with one value of each axis but the first.
type curve struct {
	name                string
	x, y, lower, higher []float64
}

// WriteSVG draws the sweep's measure along its first axis, one line per subject
// and combination of the other axes, with the 95 % interval as a band. The same
// lines make the same bytes.
func (s *Sweep) WriteSVG(w io.Writer, lines []Line) error {
	curves := s.curves(lines)
	p := &plot{frame: newFrame(s, curves)}
	title := s.Scenario.Name + ": " + s.Scenario.Title
	p.Text(left, 24, svg.Font{Size: 15, Colour: ink}, title)
	p.axes(s)
	for i := range curves {
		p.curve(&curves[i], colours[i%len(colours)], top+10+18*float64(i))
	}
	_, err := io.WriteString(w, p.Document(width, height, title, ""))
	return err
}

func (s *Sweep) curves(lines []Line) []curve {
	var curves []curve
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
			curves = append(curves, curve{name: name})
		}
		y, low, high, ok := s.measured(l)
		if !ok {
			continue
		}
		c := &curves[at]
		c.x, c.y, c.lower, c.higher = append(c.x, float64(l.Values[0])), append(c.y, y), append(c.lower, low), append(c.higher, high)
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

// plot is the picture in the making.
type plot struct {
	svg.Canvas
	frame
}

// frame turns values into pixels.
type frame struct {
	x, y   scale
	bottom float64
}

// scale is one axis: its ends, the distance of its marks, and how they read.
type scale struct {
	low, high, step float64
	label           func(float64) string
}

func newFrame(s *Sweep, curves []curve) frame {
	lowX, highX, lowY, highY := math.Inf(1), math.Inf(-1), 0.0, 0.0
	for _, n := range s.Axes[0].Values {
		lowX, highX = min(lowX, float64(n)), max(highX, float64(n))
	}
	for _, c := range curves {
		for i := range c.y {
			lowY, highY = min(lowY, c.lower[i]), max(highY, c.higher[i])
		}
	}
	f := frame{bottom: height - floor}
	p := s.Axes[0].Parameter
	f.x = newScale(lowX, highX, func(v float64) string { return p.Format(int64(math.Round(v))) })
	f.x.low, f.x.high = lowX, max(highX, lowX+1)
	if p.Kind == plan.WordParameter {
		f.x.step = 1
	}
	if s.Measure == plan.MeasureViolated {
		f.y = scale{0, 1, 0.2, func(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }}
		return f
	}
	f.y = newScale(lowY, highY, func(v float64) string { return time.Duration(math.Round(v)).Round(time.Microsecond).String() })
	return f
}

// newScale puts at most eight steps between round numbers and widens the ends to them.
func newScale(low, high float64, label func(float64) string) scale {
	if high <= low {
		high = low + 1
	}
	step := svg.RoundStep(high-low, 8)
	return scale{math.Floor(low/step) * step, math.Ceil(high/step) * step, step, label}
}

func (f frame) px(v float64) float64 {
	return left + (v-f.x.low)/(f.x.high-f.x.low)*(width-left-right)
}

func (f frame) py(v float64) float64 {
	return f.bottom - (v-f.y.low)/(f.y.high-f.y.low)*(f.bottom-top)
}

// The attributes of the lines of a frame, and the look of its words.
const (
	ink      = "#000000"
	gridLine = `stroke="#dddddd"`
	axisLine = `stroke="#555555"`
)

func words(anchor svg.Anchor) svg.Font { return svg.Font{Size: 12, Colour: ink, Anchor: anchor} }

// axes draws the grid and says what the axes are.
func (p *plot) axes(s *Sweep) {
	const end = width - right
	for n := 0; ; n++ {
		v := p.y.low + float64(n)*p.y.step
		if v > p.y.high+p.y.step/2 {
			break
		}
		p.Line(svg.Ground, left, p.py(v), end, p.py(v), gridLine)
		p.Text(left-8, p.py(v)+4, words(svg.End), p.y.label(v))
	}
	for v := math.Ceil(p.x.low/p.x.step) * p.x.step; v <= p.x.high+p.x.step/1e6; v += p.x.step {
		p.Line(svg.Ground, p.px(v), p.bottom, p.px(v), p.bottom+5, axisLine)
		p.Text(p.px(v), p.bottom+20, words(svg.Middle), p.x.label(v))
	}
	p.Line(svg.Ground, left, p.bottom, end, p.bottom, axisLine)
	if p.y.low < 0 {
		p.Line(svg.Ground, left, p.py(0), end, p.py(0), axisLine)
	}
	parameter := s.Axes[0].Parameter
	name := parameter.Name + ": " + parameter.Meaning
	if parameter.Unit != "" && !strings.HasSuffix(parameter.Name, parameter.Unit) {
		name += " (" + parameter.Unit + ")"
	}
	p.Text(left, p.bottom+42, words(svg.Start), name)
	p.Text(left, top-10, words(svg.Start), map[plan.Measure]string{
		plan.MeasureViolated: "share of runs in which an oracle was violated, with its 95 % interval",
		plan.MeasureMargin:   "median of the worst margin between two beliefs (below zero: both hold), with its 95 % interval",
		plan.MeasureTime:     "median time of the first goal, with its 95 % interval",
	}[s.Measure])
}

// curve draws one curve with its band, and its name at a height beside the plot.
func (p *plot) curve(c *curve, colour string, nameAt float64) {
	var band, path []float64
	for i := range c.x {
		band = append(band, p.px(c.x[i]), p.py(c.higher[i]))
		path = append(path, p.px(c.x[i]), p.py(c.y[i]))
		p.Circle(svg.Marks, p.px(c.x[i]), p.py(c.y[i]), 2.2, `fill="`+colour+`"`)
	}
	for i := len(c.x) - 1; i >= 0; i-- {
		band = append(band, p.px(c.x[i]), p.py(c.lower[i]))
	}
	p.Polygon(svg.Ground, band, `fill="`+colour+`" fill-opacity="0.15"`)
	p.Polyline(svg.Lines, path, `stroke="`+colour+`" stroke-width="1.8"`)
	p.Line(svg.Lines, width-right+14, nameAt-4, width-right+34, nameAt-4, `stroke="`+colour+`"`)
	p.Text(width-right+40, nameAt, words(svg.Start), c.name)
}
