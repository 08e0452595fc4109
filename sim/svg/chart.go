package svg

import (
	"math"
	"strings"
)

// The chart's measures, in pixels.
const (
	chartSide              = 300.0 // of the square in which a panel's cells are
	chartLeft, chartGap    = 78.0, 62.0
	chartTop, chartFloor   = 74.0, 58.0
	chartFoot, chartAcross = 22.0, 3 // the height of a line below; panels side by side
)

// Chart is panels of coloured cells over two axes, with borders, and lines that a formula predicts.
type Chart struct {
	Title  string
	X, Y   Axis
	Panels []Panel
	Legend []Swatch
	Foot   []string // lines below everything
}

// Swatch is a colour or a sign with what it means.
type Swatch struct{ Colour, Sign, Meaning string }

// text is the meaning, behind the sign if there is one.
func (s *Swatch) text() string { return strings.TrimSpace(s.Sign + " " + s.Meaning) }

// Panel is one picture of a chart.
type Panel struct {
	Name    string
	Cells   []Tile
	Borders [][2]float64 // points where a border was found
	Formula [][4]float64 // pieces of the predicted border, each from one point to another
	Pin     *[2]float64
	Pinned  string // what stands at the pin
}

// Tile is one cell, by its ends on the axes.
type Tile struct {
	Left, Right, Low, High float64
	Colour                 string
	About                  string // attributes, such as data-cell="3"
	Flagged                bool   // it is not as predicted
}

// Document draws the chart. The same chart gives the same bytes.
func (ch *Chart) Document() string {
	c := &Canvas{}
	columns := min(chartAcross, len(ch.Panels))
	rows := (len(ch.Panels) + columns - 1) / columns
	width := math.Max(chartLeft+float64(columns)*(chartSide+chartGap), 560)
	c.Text(chartLeft-50, 24, Font{Size: 15, Colour: ink}, ch.Title)
	high := chartTop + chartSide + chartFloor
	for i := range ch.Panels {
		left := chartLeft + float64(i%columns)*(chartSide+chartGap)
		top := chartTop + float64(i/columns)*high
		ch.panel(c, &ch.Panels[i], left, top)
	}
	y := float64(rows)*high + 18
	x := chartLeft
	for _, s := range ch.Legend {
		font := plotWords(Start)
		box := font.Box(x+18, y, s.text())
		if box.Right > width-10 && x > chartLeft {
			x, y = chartLeft, y+chartFoot
			box = font.Box(x+18, y, s.text())
		}
		c.Rect(Bars, Box{x, y - 10, x + 12, y + 2}, `fill="`+s.Colour+`" stroke="#555555"`)
		c.Text(x+18, y, font, s.text())
		x = box.Right + 16
	}
	for _, line := range ch.Foot {
		y += chartFoot
		c.Text(chartLeft, y, Font{Size: 11, Colour: ink}, line)
	}
	return c.Document(width, y+14, ch.Title, "")
}

// Alone draws one panel without its name, for a page that lays panels out itself.
func (ch *Chart) Alone(i int) string {
	const left, top, right = 66.0, 24.0, 30.0
	c, alone, p := &Canvas{}, *ch, ch.Panels[i]
	alone.Y.Name, p.Name = "", ""
	c.Text(left-50, top-12, Font{Size: 12, Colour: ink}, ch.Y.Name)
	alone.panel(c, &p, left, top)
	return c.Document(left+chartSide+right, top+chartSide+44, ch.Panels[i].Name, "")
}

func (ch *Chart) panel(c *Canvas, p *Panel, left, top float64) {
	bottom := top + chartSide
	px := func(v float64) float64 { return left + (v-ch.X.Low)/(ch.X.High-ch.X.Low)*chartSide }
	py := func(v float64) float64 { return bottom - (v-ch.Y.Low)/(ch.Y.High-ch.Y.Low)*chartSide }
	c.Text(left, top-14, Font{Size: 13, Colour: ink, Bold: true}, p.Name)
	for _, t := range p.Cells {
		c.About(t.About)
		c.Rect(Ground, Box{px(t.Left), py(t.High), px(t.Right), py(t.Low)}, `fill="`+t.Colour+`" stroke="#ffffff" stroke-width="0.5"`)
		c.About("")
		if t.Flagged {
			x, y := (px(t.Left)+px(t.Right))/2, (py(t.Low)+py(t.High))/2
			c.Path(Marks, x-3, y-3, "l6 6 m0 -6 l-6 6", `stroke="#000000" stroke-width="1.6" fill="none" pointer-events="none"`)
		}
	}
	for _, f := range p.Formula {
		c.Line(Lines, px(f[0]), py(f[1]), px(f[2]), py(f[3]), `stroke="#000000" stroke-width="1.6" pointer-events="none"`)
	}
	for _, b := range p.Borders {
		c.Circle(Bars, px(b[0]), py(b[1]), 1.8, `fill="#ffffff" stroke="#000000" stroke-width="0.8" pointer-events="none"`)
	}
	if p.Pin != nil {
		x, y := px(p.Pin[0]), py(p.Pin[1])
		c.Circle(Marks, x, y, 6, `fill="none" stroke="#000000" stroke-width="2" pointer-events="none"`)
		c.Path(Marks, x-10, y, "h20 m-10 -10 v20", `stroke="#000000" stroke-width="1" fill="none" pointer-events="none"`)
		c.Text(x+9, y-8, Font{Size: 12, Colour: ink, Bold: true, Halo: "#ffffff"}, p.Pinned)
	}
	c.Rect(Lines, Box{left, top, left + chartSide, bottom}, `fill="none" stroke="#555555" pointer-events="none"`)
	for v := math.Ceil(ch.X.Low/ch.X.Step) * ch.X.Step; v <= ch.X.High+ch.X.Step/1e6; v += ch.X.Step {
		c.Line(Lines, px(v), bottom, px(v), bottom+4, axisLine)
		limits := Box{Left: left - chartGap, Right: left + chartSide + chartGap}
		c.TryText(px(v), bottom+17, plotWords(Middle), limits, ch.X.Label(v))
	}
	for v := math.Ceil(ch.Y.Low/ch.Y.Step) * ch.Y.Step; v <= ch.Y.High+ch.Y.Step/1e6; v += ch.Y.Step {
		c.Line(Lines, left-4, py(v), left, py(v), axisLine)
		c.Text(left-7, py(v)+4, plotWords(End), ch.Y.Label(v))
	}
	name := ch.X.Name
	if plotWords(Start).Box(left, bottom, name).Right > left+chartSide+chartGap {
		name, _, _ = strings.Cut(name, ":") // there is no room for its meaning
	}
	c.Text(left, bottom+36, plotWords(Start), name)
	c.Text(left-50, top-2, Font{Size: 12, Colour: ink}, ch.Y.Name)
}

// The plot's measures, in pixels.
const (
	plotWidth, plotHeight         = 860.0, 440.0
	plotLeft, plotRight           = 90.0, 250.0 // margins; the names of the curves stand right
	plotTop, plotFloor            = 50.0, 60.0
	plotEnd, plotBottom   float64 = plotWidth - plotRight, plotHeight - plotFloor
)

// The attributes of the lines of a plot's frame, and the colour of its words.
const (
	ink      = "#000000"
	gridLine = `stroke="#dddddd"`
	axisLine = `stroke="#555555"`
)

// colours are those of Okabe and Ito, which colour-blind readers can tell apart.
var colours = []string{"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"}

// Plot is curves over one axis, each with a band around it.
type Plot struct {
	Title  string
	X, Y   Axis
	Curves []Curve
}

// Axis is one axis: what it is, its ends, the distance of its marks, and how they read.
type Axis struct {
	Name            string
	Low, High, Step float64
	Label           func(float64) string
}

// Curve is one curve, by its points. Lower and Higher are the ends of the band.
type Curve struct {
	Name                string
	X, Y, Lower, Higher []float64
}

// NewAxis puts at most eight steps between round numbers and widens the ends to them.
func NewAxis(low, high float64, label func(float64) string) Axis {
	if high <= low {
		high = low + 1
	}
	step := RoundStep(high-low, 8)
	return Axis{Low: math.Floor(low/step) * step, High: math.Ceil(high/step) * step, Step: step, Label: label}
}

// Document draws the plot. The same plot gives the same bytes.
func (p *Plot) Document() string {
	c := &Canvas{}
	c.Text(plotLeft, 24, Font{Size: 15, Colour: ink}, p.Title)
	p.axes(c)
	for i := range p.Curves {
		p.curve(c, &p.Curves[i], colours[i%len(colours)], plotTop+10+18*float64(i))
	}
	return c.Document(plotWidth, plotHeight, p.Title, "")
}

func (p *Plot) px(v float64) float64 {
	return plotLeft + (v-p.X.Low)/(p.X.High-p.X.Low)*(plotEnd-plotLeft)
}

func (p *Plot) py(v float64) float64 {
	return plotBottom - (v-p.Y.Low)/(p.Y.High-p.Y.Low)*(plotBottom-plotTop)
}

func plotWords(anchor Anchor) Font { return Font{Size: 12, Colour: ink, Anchor: anchor} }

// axes draws the grid and says what the axes are.
func (p *Plot) axes(c *Canvas) {
	for n := 0; ; n++ {
		v := p.Y.Low + float64(n)*p.Y.Step
		if v > p.Y.High+p.Y.Step/2 {
			break
		}
		c.Line(Ground, plotLeft, p.py(v), plotEnd, p.py(v), gridLine)
		c.Text(plotLeft-8, p.py(v)+4, plotWords(End), p.Y.Label(v))
	}
	for v := math.Ceil(p.X.Low/p.X.Step) * p.X.Step; v <= p.X.High+p.X.Step/1e6; v += p.X.Step {
		c.Line(Ground, p.px(v), plotBottom, p.px(v), plotBottom+5, axisLine)
		c.Text(p.px(v), plotBottom+20, plotWords(Middle), p.X.Label(v))
	}
	c.Line(Ground, plotLeft, plotBottom, plotEnd, plotBottom, axisLine)
	if p.Y.Low < 0 {
		c.Line(Ground, plotLeft, p.py(0), plotEnd, p.py(0), axisLine)
	}
	c.Text(plotLeft, plotBottom+42, plotWords(Start), p.X.Name)
	c.Text(plotLeft, plotTop-10, plotWords(Start), p.Y.Name)
}

// curve draws one curve with its band, and its name at a height beside the plot.
func (p *Plot) curve(c *Canvas, curve *Curve, colour string, nameAt float64) {
	var band, path []float64
	for i, x := range curve.X {
		band = append(band, p.px(x), p.py(curve.Higher[i]))
		path = append(path, p.px(x), p.py(curve.Y[i]))
		c.Circle(Marks, p.px(x), p.py(curve.Y[i]), 2.2, `fill="`+colour+`"`)
	}
	for i := len(curve.X) - 1; i >= 0; i-- {
		band = append(band, p.px(curve.X[i]), p.py(curve.Lower[i]))
	}
	c.Polygon(Ground, band, `fill="`+colour+`" fill-opacity="0.15"`)
	c.Polyline(Lines, path, `stroke="`+colour+`" stroke-width="1.8"`)
	c.Line(Lines, plotEnd+14, nameAt-4, plotEnd+34, nameAt-4, `stroke="`+colour+`"`)
	c.Text(plotEnd+40, nameAt, plotWords(Start), curve.Name)
}
