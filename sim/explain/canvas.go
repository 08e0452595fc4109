package explain

import (
	"fmt"
	"strings"
)

// layer orders what is drawn: later layers cover earlier ones.
type layer int

const (
	ground layer = iota // lanes, breaks, shading
	wires               // messages
	bars                // beliefs and keys
	marks               // signs
	labels              // all text
	layers              // how many there are
)

// box is a rectangle on the picture.
type box struct{ left, top, right, bottom float64 }

func (b box) meets(o box) bool {
	return b.left < o.right && o.left < b.right && b.top < o.bottom && o.top < b.bottom
}

// canvas collects the elements of a picture, and remembers where text stands so
// that no two labels collide.
type canvas struct {
	parts  [layers]strings.Builder
	placed []label
}

// label is a piece of text where it was placed.
type label struct {
	text string
	box  box
}

// add writes one element. Numbers that are formatted by it go through [px].
func (c *canvas) add(l layer, format string, arguments ...any) {
	fmt.Fprintf(&c.parts[l], format+"\n", arguments...)
}

// px writes a coordinate with one decimal: finer is not seen, and keeps files small.
func px(v float64) string { return trimmed(v, 1) }

// face is how a label looks.
type face struct {
	size   float64
	colour string
	bold   bool
	anchor string // start, middle, end
}

// place writes a label whose baseline is at y. It is for labels for which the
// layout keeps room; use [canvas.try] for all others.
func (c *canvas) place(x, y float64, f face, text string) {
	c.placed = append(c.placed, label{text: text, box: f.box(x, y, text)})
	weight := ""
	if f.bold {
		weight = ` font-weight="bold"`
	}
	c.add(labels, `<text x="%s" y="%s" font-size="%s" fill="%s" text-anchor="%s"%s>%s</text>`,
		px(x), px(y), px(f.size), f.colour, f.anchor, weight, escape(text))
}

// labelGap is the least distance between two labels of one line, in pixels.
const labelGap = 5.0

// try places a label unless it would touch another one or leave the limits.
func (c *canvas) try(x, y float64, f face, limits box, text string) bool {
	b := f.box(x, y, text)
	if b.left < limits.left || b.right > limits.right {
		return false
	}
	wide := box{left: b.left - labelGap, top: b.top, right: b.right + labelGap, bottom: b.bottom}
	for _, p := range c.placed {
		if p.box.meets(wide) {
			return false
		}
	}
	c.place(x, y, f, text)
	return true
}

// box is the room that a label takes.
func (f face) box(x, y float64, text string) box {
	width := textLength(text, f.size, f.bold)
	switch f.anchor {
	case "middle":
		x -= width / 2
	case "end":
		x -= width
	}
	return box{left: x, top: y - 0.8*f.size, right: x + width, bottom: y + 0.22*f.size}
}

// textLength estimates how long a text is in the widest of the fonts that the
// picture asks for, so that it fits in all of them.
func textLength(text string, size float64, bold bool) float64 {
	length := 0.0
	for _, r := range text {
		switch {
		case strings.ContainsRune("ijlI.,:;'|!()[] /", r):
			length += 0.36
		case strings.ContainsRune("ftr-\"", r):
			length += 0.43
		case strings.ContainsRune("mwMW—", r):
			length += 0.98
		case r >= 'A' && r <= 'Z':
			length += 0.71
		default:
			length += 0.63
		}
	}
	if bold {
		length *= 1.1
	}
	return length * size
}

// escape makes text safe inside an element.
func escape(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(strings.Map(printable, text))
}

// printable drops what XML does not allow even when it is escaped.
func printable(r rune) rune {
	if r < 0x20 && r != '\t' || r == 0xfffe || r == 0xffff {
		return -1
	}
	return r
}

// document is the whole picture as SVG.
func (c *canvas) document(width, height float64, title, definitions string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s" font-family="Helvetica, Arial, 'DejaVu Sans', sans-serif" role="img">`+"\n",
		px(width), px(height), px(width), px(height))
	fmt.Fprintf(&b, "<title>%s</title>\n<defs>\n%s</defs>\n", escape(title), definitions)
	fmt.Fprintf(&b, `<rect width="%s" height="%s" fill="#ffffff"/>`+"\n", px(width), px(height))
	for i := range c.parts {
		b.WriteString("<g>\n" + c.parts[i].String() + "</g>\n")
	}
	b.WriteString("</svg>\n")
	return b.String()
}
