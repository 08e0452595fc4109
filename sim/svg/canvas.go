package svg

import (
	"fmt"
	"strings"
)

// Layer orders what is drawn: later layers cover earlier ones.
type Layer int

// The layers, from the lowest to the highest. All text is above them.
const (
	Ground Layer = iota // backgrounds, grids, shading
	Lines               // curves, arrows
	Bars                // areas with a meaning of their own
	Marks               // signs at a point
	labels
	layers // how many there are
)

// Box is a rectangle of the picture.
type Box struct{ Left, Top, Right, Bottom float64 }

// Meets reports whether two boxes share more than an edge.
func (b Box) Meets(o Box) bool {
	return b.Left < o.Right && o.Left < b.Right && b.Top < o.Bottom && o.Top < b.Bottom
}

// Canvas is a picture in the making. The zero value is empty and ready.
type Canvas struct {
	parts  [layers]strings.Builder
	placed []Box // of the texts
}

func (c *Canvas) add(l Layer, format string, arguments ...any) {
	fmt.Fprintf(&c.parts[l], format+"\n", arguments...)
}

// Line draws a straight line.
func (c *Canvas) Line(l Layer, x1, y1, x2, y2 float64, attributes string) {
	c.add(l, `<line x1="%s" y1="%s" x2="%s" y2="%s" %s/>`, Px(x1), Px(y1), Px(x2), Px(y2), attributes)
}

// Rect draws a rectangle.
func (c *Canvas) Rect(l Layer, b Box, attributes string) {
	c.add(l, `<rect x="%s" y="%s" width="%s" height="%s" %s/>`, Px(b.Left), Px(b.Top), Px(b.Right-b.Left), Px(b.Bottom-b.Top), attributes)
}

// Circle draws a circle around a point.
func (c *Canvas) Circle(l Layer, x, y, radius float64, attributes string) {
	c.add(l, `<circle cx="%s" cy="%s" r="%s" %s/>`, Px(x), Px(y), Px(radius), attributes)
}

// Path draws a path from a point on; its steps are SVG path commands.
func (c *Canvas) Path(l Layer, x, y float64, steps, attributes string) {
	c.add(l, `<path d="M%s %s %s" %s/>`, Px(x), Px(y), steps, attributes)
}

// Polyline draws a line through points, which x and y list in turn.
func (c *Canvas) Polyline(l Layer, points []float64, attributes string) {
	c.add(l, `<polyline points="%s" fill="none" %s/>`, joined(points), attributes)
}

// Polygon fills the area inside of points, which x and y list in turn.
func (c *Canvas) Polygon(l Layer, points []float64, attributes string) {
	c.add(l, `<polygon points="%s" %s/>`, joined(points), attributes)
}

func joined(points []float64) string {
	var b strings.Builder
	for i := 0; i+1 < len(points); i += 2 {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(Px(points[i]) + "," + Px(points[i+1]))
	}
	return b.String()
}

// Symbol moves a drawing, which is SVG elements around (0, 0), to a point.
func (c *Canvas) Symbol(l Layer, x, y float64, elements string) {
	c.add(l, `<g transform="translate(%s %s)">%s</g>`, Px(x), Px(y), elements)
}

// Text writes a label whose baseline is at y, wherever other labels stand.
func (c *Canvas) Text(x, y float64, f Font, text string) {
	c.placed = append(c.placed, f.Box(x, y, text))
	weight := ""
	if f.Bold {
		weight = ` font-weight="bold"`
	}
	c.add(labels, `<text x="%s" y="%s" font-size="%s" fill="%s" text-anchor="%s"%s>%s</text>`,
		Px(x), Px(y), Px(f.Size), f.Colour, f.anchor(), weight, escape(text))
}

// labelGap is the least distance between two labels of one line.
const labelGap = 5.0

// TryText writes a label unless it would touch another one, or leave the limits
// to the left or to the right. It reports whether the label was written.
func (c *Canvas) TryText(x, y float64, f Font, limits Box, text string) bool {
	b := f.Box(x, y, text)
	if b.Left < limits.Left || b.Right > limits.Right {
		return false
	}
	wide := Box{b.Left - labelGap, b.Top, b.Right + labelGap, b.Bottom}
	for _, p := range c.placed {
		if p.Meets(wide) {
			return false
		}
	}
	c.Text(x, y, f, text)
	return true
}

// Document is the whole picture. Definitions are the elements of <defs>, such as
// patterns and markers that attributes refer to.
func (c *Canvas) Document(width, height float64, title, definitions string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s" font-family="%s" role="img">`+"\n",
		Px(width), Px(height), Px(width), Px(height), fonts)
	fmt.Fprintf(&b, "<title>%s</title>\n<defs>\n%s</defs>\n", escape(title), definitions)
	fmt.Fprintf(&b, `<rect width="%s" height="%s" fill="#ffffff"/>`+"\n", Px(width), Px(height))
	for i := range c.parts {
		b.WriteString("<g>\n" + c.parts[i].String() + "</g>\n")
	}
	b.WriteString("</svg>\n")
	return b.String()
}
