package svg

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"redlocklab/sim/words"
)

// Layer orders what is drawn: later layers cover earlier ones.
type Layer int

// The layers, from the lowest to the highest. All text is above them.
const (
	Ground Layer = iota // backgrounds, grids, shading
	Lines               // curves, arrows
	Bars                // areas with a meaning of their own
	Marks               // signs at a point
	labels              // how many layers are below the texts
)

// Box is a rectangle of the picture.
type Box struct{ Left, Top, Right, Bottom float64 }

// Meets reports whether two boxes share more than an edge.
func (b Box) Meets(o Box) bool {
	return b.Left < o.Right && o.Left < b.Right && b.Top < o.Bottom && o.Top < b.Bottom
}

// Canvas is a picture in the making. The zero value is empty and ready.
type Canvas struct {
	// Zooms is how many times a page may double the width of the picture. Signs and
	// labels keep their shape then: [Style] holds what a page's style must say. Labels
	// that lack room wait for the first doubling that makes room for them.
	Zooms int
	// From is the doubling from which on TryText may show a label.
	From int

	parts  [labels]strings.Builder
	texts  []strings.Builder // by the number of doublings from which on they are shown
	placed map[int][]placed  // by row, which is some pixels high
	about  string            // attributes of what is drawn next
}

// Style is what a page that changes the width of a picture must put into its style
// sheet. The variable --k is the original width divided by the present one.
const Style = `.k,.s{transform:scaleX(var(--k,1))}.s{transform-box:fill-box;transform-origin:center}`

// placed is a label that stands in the picture.
type placed struct {
	x     float64 // of its anchor
	box   Box     // before any doubling
	level int     // the number of doublings from which on it is shown
}

// factor is how much wider a picture is after some doublings.
func factor(doublings int) float64 { return float64(uint64(1) << doublings) }

// at returns the room of a label after some doublings.
func (p placed) at(level int) Box {
	shift := p.x * (factor(level) - 1)
	return Box{Left: p.box.Left + shift, Top: p.box.Top, Right: p.box.Right + shift, Bottom: p.box.Bottom}
}

func (c *Canvas) add(l Layer, format string, arguments ...any) {
	fmt.Fprintf(&c.parts[l], format+"\n", arguments...)
}

// About gives the elements that follow attributes of their own, such as data-e="12".
// They must be well-formed. It ends with About("").
func (c *Canvas) About(attributes string) {
	if c.about = attributes; attributes != "" {
		c.about = " " + attributes
	}
}

// sign returns the attributes of a shape at one point, which no zoom distorts.
func (c *Canvas) sign() string {
	if c.Zooms > 0 {
		return ` class="s"` + c.about
	}
	return c.about
}

// Line draws a straight line.
func (c *Canvas) Line(l Layer, x1, y1, x2, y2 float64, attributes string) {
	c.add(l, `<line x1="%s" y1="%s" x2="%s" y2="%s" %s%s/>`, Px(x1), Px(y1), Px(x2), Px(y2), attributes, c.about)
}

// Rect draws a rectangle.
func (c *Canvas) Rect(l Layer, b Box, attributes string) {
	c.add(l, `<rect x="%s" y="%s" width="%s" height="%s" %s%s/>`, Px(b.Left), Px(b.Top), Px(b.Right-b.Left), Px(b.Bottom-b.Top), attributes, c.about)
}

// Circle draws a circle around a point. No zoom distorts it.
func (c *Canvas) Circle(l Layer, x, y, radius float64, attributes string) {
	c.add(l, `<circle cx="%s" cy="%s" r="%s" %s%s/>`, Px(x), Px(y), Px(radius), attributes, c.sign())
}

// Path draws a sign from a point on; its steps are SVG path commands. No zoom distorts it.
func (c *Canvas) Path(l Layer, x, y float64, steps, attributes string) {
	c.add(l, `<path d="M%s %s %s" %s%s/>`, Px(x), Px(y), steps, attributes, c.sign())
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
	var pairs []string
	for point := range slices.Chunk(points, 2) {
		pairs = append(pairs, Px(point[0])+","+Px(point[1]))
	}
	return strings.Join(pairs, " ")
}

// Symbol moves a drawing, which is SVG elements around (0, 0), to a point.
func (c *Canvas) Symbol(l Layer, x, y float64, elements string) {
	c.add(l, `<g transform="translate(%s %s)">%s</g>`, Px(x), Px(y), elements)
}

// Text writes a label whose baseline is at y, wherever other labels stand.
func (c *Canvas) Text(x, y float64, f Font, text string) {
	c.write(placed{x: x, box: f.Box(x, y, text)}, y, f, text)
}

func (c *Canvas) write(p placed, y float64, f Font, text string) {
	if c.texts == nil {
		c.texts, c.placed = make([]strings.Builder, c.Zooms+1), map[int][]placed{}
	}
	for row := rowOf(p.box.Top); row <= rowOf(p.box.Bottom); row++ {
		c.placed[row] = append(c.placed[row], p)
	}
	look := ""
	if f.Bold {
		look = ` font-weight="bold"`
	}
	if f.Halo != "" {
		look += ` stroke="` + f.Halo + `" stroke-width="4" stroke-linejoin="round" paint-order="stroke"`
	}
	format, x := `<text x="%s" y="%s" font-size="%s" fill="%s" text-anchor="%s"%s>%s</text>`, p.x
	if c.Zooms > 0 {
		x = 0
		look += ` class="k"`
	}
	if f.Tick > 0 {
		format = fmt.Sprintf(`<path d="M%s %s v%s" stroke="%s"/>`, Px(x), Px(p.box.Top-3), Px(-f.Tick), f.Colour) + format
	}
	if c.Zooms > 0 {
		format = `<g transform="translate(` + Px(p.x) + `)">` + format + "</g>"
	}
	fmt.Fprintf(&c.texts[p.level], format+"\n",
		Px(x+f.Offset), Px(y), Px(f.Size), f.Colour, cmp.Or(f.Anchor, Start), look+c.about, escape(text))
}

const (
	// labelGap is the least distance between two labels of one line.
	labelGap = 5.0
	// rowHeight is the height of the rows in which labels are looked up.
	rowHeight = 32.0
)

func rowOf(y float64) int { return int(math.Floor(y / rowHeight)) }

// TryText writes a label unless it would touch another one, or leave the limits to
// the left or to the right. It tries the font, and then the others, such as one with
// another anchor. It reports whether the label is written. In a picture that may be
// doubled in width, the label is shown from the first doubling on after which it has
// room.
func (c *Canvas) TryText(x, y float64, f Font, limits Box, text string, others ...Font) bool {
	for level := c.From; level <= c.Zooms; level++ {
		zoom := factor(level)
		for _, f := range append([]Font{f}, others...) {
			p := placed{x, f.Box(x, y, text), level}
			if b := p.at(level); b.Left >= limits.Left*zoom && b.Right <= limits.Right*zoom && c.free(p) {
				c.write(p, y, f, text)
				return true
			}
		}
	}
	return false
}

// free reports whether a label touches no other, from its doubling on.
func (c *Canvas) free(p placed) bool {
	for row := rowOf(p.box.Top); row <= rowOf(p.box.Bottom); row++ {
		for _, other := range c.placed[row] {
			for level := max(p.level, other.level); level <= c.Zooms; level++ {
				b := p.at(level)
				if other.at(level).Meets(Box{b.Left - labelGap, b.Top, b.Right + labelGap, b.Bottom}) {
					return false
				}
			}
		}
	}
	return true
}

// Document is the whole picture. Definitions are the elements of <defs>, such as
// patterns and markers that attributes refer to.
func (c *Canvas) Document(width, height float64, title, definitions string) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s" font-family="%s" role="img">`+"\n"+
		"<title>%s</title>\n<defs>\n%s</defs>\n"+`<rect width="%s" height="%s" fill="#ffffff"/>`+"\n%s</svg>\n",
		Px(width), Px(height), Px(width), Px(height), fonts, escape(title), definitions,
		Px(width), Px(height), c.Elements())
}

// Zoomed are the labels that the first doubling shows, those that the second shows,
// and so on.
func (c *Canvas) Zoomed() []string {
	var levels []string
	for i := 1; i < len(c.texts); i++ {
		levels = append(levels, c.texts[i].String())
	}
	return levels
}

// Elements are the contents of the picture, for a document of the caller's. For the
// labels that a zoom shows there are empty groups with the class "zoomed" and the
// number of doublings as data-level; [Canvas.Zoomed] are their contents.
func (c *Canvas) Elements() string {
	var b strings.Builder
	for i := range c.parts {
		b.WriteString("<g>\n" + c.parts[i].String() + "</g>\n")
	}
	for level := range max(1, len(c.texts)) {
		attributes, texts := "", ""
		switch {
		case level > 0:
			attributes = fmt.Sprintf(` class="zoomed" data-level="%d"`, level)
		case c.texts != nil:
			texts = c.texts[0].String()
		}
		b.WriteString("<g" + attributes + ">\n" + texts + "</g>\n")
	}
	return b.String()
}

// Px writes a coordinate with one decimal: nobody sees finer steps, and files stay small.
func Px(v float64) string { return words.Decimal(v, 1) }

// RoundStep is the smallest step of the form 1, 2 or 5 times a power of ten that
// makes no more than `most` steps of a span, which must be positive. It is 0 when
// most is less than 1.
func RoundStep(span, most float64) float64 {
	if most < 1 {
		return 0
	}
	power := math.Pow10(int(math.Floor(math.Log10(span / most))))
	for _, factor := range []float64{1, 2, 5} {
		if span/(power*factor) <= most {
			return power * factor
		}
	}
	return 10 * power
}
