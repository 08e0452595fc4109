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
