package sweep

import (
	"fmt"
	"html"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"redlocklab/scenarios/plan"
)

// The plot's measures, in pixels.
const (
	width, height           = 860, 440
	left, right, top, floor = 90, 250, 50, 60 // margins; the names of the lines stand right
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
	f := newFrame(s, curves)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="white"/>`+"\n", width, height)
	fmt.Fprintf(&b, `<text x="%d" y="24" font-size="15">%s: %s</text>`+"\n", left, s.Scenario.Name, html.EscapeString(s.Scenario.Title))
	f.axes(&b, s)
	for i := range curves {
		curves[i].draw(&b, f, colours[i%len(colours)], i)
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
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

// newScale puts at most about eight marks at round numbers and widens the ends to them.
func newScale(low, high float64, label func(float64) string) scale {
	if high <= low {
		high = low + 1
	}
	step := math.Pow(10, math.Floor(math.Log10((high-low)/4)))
	for _, factor := range []float64{1, 2, 5, 10} {
		if (high-low)/(step*factor) <= 8 {
			step *= factor
			break
		}
	}
	return scale{math.Floor(low/step) * step, math.Ceil(high/step) * step, step, label}
}

func (f frame) px(v float64) float64 {
	return left + (v-f.x.low)/(f.x.high-f.x.low)*float64(width-left-right)
}

func (f frame) py(v float64) float64 {
	return f.bottom - (v-f.y.low)/(f.y.high-f.y.low)*(f.bottom-top)
}

// axes draws the grid and says what the axes are.
func (f frame) axes(b *strings.Builder, s *Sweep) {
	end := float64(width - right)
	for n := 0; ; n++ {
		v := f.y.low + float64(n)*f.y.step
		if v > f.y.high+f.y.step/2 {
			break
		}
		line(b, left, f.py(v), end, f.py(v), "#dddddd")
		words(b, left-8, f.py(v)+4, "end", f.y.label(v))
	}
	for v := math.Ceil(f.x.low/f.x.step) * f.x.step; v <= f.x.high+f.x.step/1e6; v += f.x.step {
		line(b, f.px(v), f.bottom, f.px(v), f.bottom+5, "#555555")
		words(b, f.px(v), f.bottom+20, "middle", f.x.label(v))
	}
	line(b, left, f.bottom, end, f.bottom, "#555555")
	if f.y.low < 0 {
		line(b, left, f.py(0), end, f.py(0), "#555555")
	}
	p := s.Axes[0].Parameter
	name := p.Name + ": " + p.Meaning
	if p.Unit != "" && !strings.HasSuffix(p.Name, p.Unit) {
		name += " (" + p.Unit + ")"
	}
	words(b, left, f.bottom+42, "start", name)
	words(b, left, top-10, "start", map[plan.Measure]string{
		plan.MeasureViolated: "share of runs in which an oracle was violated, with its 95 % interval",
		plan.MeasureMargin:   "median of the worst margin between two beliefs (below zero: both hold), with its 95 % interval",
		plan.MeasureTime:     "median time of the first goal, with its 95 % interval",
	}[s.Measure])
}

func (c *curve) draw(b *strings.Builder, f frame, colour string, i int) {
	var band, path []string
	for j := range c.x {
		band = append(band, pixel(f.px(c.x[j]), f.py(c.higher[j])))
		path = append(path, pixel(f.px(c.x[j]), f.py(c.y[j])))
	}
	for j := len(c.x) - 1; j >= 0; j-- {
		band = append(band, pixel(f.px(c.x[j]), f.py(c.lower[j])))
	}
	fmt.Fprintf(b, `<polygon points="%s" fill="%s" fill-opacity="0.15"/>`+"\n", strings.Join(band, " "), colour)
	fmt.Fprintf(b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="1.8"/>`+"\n", strings.Join(path, " "), colour)
	for j := range c.x {
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="2.2" fill="%s"/>`+"\n", f.px(c.x[j]), f.py(c.y[j]), colour)
	}
	y := float64(top + 10 + 18*i)
	line(b, width-right+14, y-4, width-right+34, y-4, colour)
	words(b, width-right+40, y, "start", c.name)
}

func pixel(x, y float64) string { return fmt.Sprintf("%.1f,%.1f", x, y) }

func line(b *strings.Builder, x1, y1, x2, y2 float64, colour string) {
	fmt.Fprintf(b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s"/>`+"\n", x1, y1, x2, y2, colour)
}

func words(b *strings.Builder, x, y float64, anchor, text string) {
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`+"\n", x, y, anchor, html.EscapeString(text))
}
