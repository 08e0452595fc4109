package svg

import "math"

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
