package explain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"redlocklab/sim/svg"
)

// numbers draws the numbers of the story's lines above the lanes, each at its time.
// Numbers that would touch are stacked. It returns the lower edge.
func (p *picture) numbers(top float64) float64 {
	const radius, step = 8.5, 19.0
	var rows []float64 // the right edge of the last number in each row
	for _, line := range p.shown() {
		if !p.inside(line.At) {
			continue
		}
		x := p.scale.x(line.At)
		row := 0
		for row < len(rows) && rows[row] > x-radius {
			row++
		}
		if row == len(rows) {
			rows = append(rows, 0)
		}
		rows[row] = x + radius + 1.5
		y := top + float64(row)*step
		fill, ink := "#ffffff", inkColour
		if colour := line.Mark.colour(); colour != inkColour {
			fill, ink = colour, "#ffffff"
		}
		p.Circle(svg.Marks, x, y, radius, fmt.Sprintf(`fill="%s" stroke="%s"`, fill, inkColour))
		size := 10.5
		if line.Number > 99 {
			size = 8
		}
		p.Text(x, y+size*0.36, svg.Font{Size: size, Colour: ink, Bold: line.Mark != MarkNone, Anchor: svg.Middle}, strconv.Itoa(line.Number))
	}
	return top + float64(max(1, len(rows))-1)*step + radius
}

// overlaps draws the bars of the violations, each in a row of its own. It returns
// the lower edge.
func (p *picture) overlaps(top float64) float64 {
	var drawn []string
	for _, v := range p.run.Violations {
		from, until := p.run.span(v)
		id := strings.Join(v.Leases, " ")
		if until <= from || slices.Contains(drawn, id) || !p.inside(from) {
			continue
		}
		drawn = append(drawn, id)
		p.used["overlap"] = true
		left, right := p.rect(svg.Bars, from, until, top, top+18, `fill="`+violationColour+`"`)
		clients, resource := (&teller{d: p.d, run: p.run}).holders(v)
		text := "violation: " + v.Oracle + ", " + period(until-from)
		if len(clients) > 1 {
			text = bothOrAll(clients) + " hold " + resource + " for " + period(until-from)
		}
		f := svg.Font{Size: 12, Colour: "#ffffff", Bold: true}
		if f.Length(text)+10 <= right-left {
			p.Text(left+5, top+13, f, text)
		} else {
			f.Colour = violationColour
			x := right + 5
			if x+f.Length(text) > p.width-4 {
				f.Anchor, x = svg.End, left-5
			}
			p.Text(x, top+13, f, text)
		}
		top += 22
	}
	return top
}

// ground draws the lanes and the breaks of the time axis.
func (p *picture) ground() {
	left, right := leftMargin-10, p.width-rightMargin+10
	for _, l := range p.lanes {
		p.Rect(svg.Ground, svg.Box{Left: left, Top: l.top, Right: right, Bottom: l.bottom}, `fill="`+laneColour+`"`)
	}
	for i := 1; i < len(p.scale.bursts); i++ {
		from, until := p.scale.bursts[i-1].right, p.scale.bursts[i].left
		p.Rect(svg.Ground, svg.Box{Left: from + 4, Top: p.top, Right: until - 4, Bottom: p.bottom}, `fill="`+breakColour+`"`)
		for _, y := range []float64{p.top, p.bottom + 4} {
			middle := (from + until) / 2
			p.Path(svg.Marks, middle-6, y+4, "l4 -10 m3 10 l4 -10", `stroke="`+faintColour+`" stroke-width="1.4" fill="none"`)
		}
	}
	for _, t := range p.scale.ticks() {
		x := p.scale.x(t.at)
		p.Line(svg.Ground, x, p.top, x, p.bottom, `stroke="`+lineColour+`" stroke-width="0.7"`)
	}
	for _, l := range p.lanes {
		p.Line(svg.Ground, left, l.baseline, right, l.baseline, `stroke="`+faintColour+`"`)
	}
}

// names writes the names of the lanes.
func (p *picture) names() {
	for _, l := range p.lanes {
		colour := inkColour
		if l.process {
			colour = p.run.colour(l.name)
		}
		f := svg.Font{Size: 15, Colour: colour, Bold: true}
		for f.Size > 7 && f.Length(l.name) > leftMargin-18 {
			f.Size--
		}
		p.Text(6, (l.top+l.bottom)/2+5, f, l.name)
	}
}

// axis draws the times and, in a second row, how much time each break leaves out.
func (p *picture) axis(top float64) float64 {
	f := svg.Font{Size: 11, Colour: inkColour, Anchor: svg.Middle}
	ticks := p.scale.ticks()
	for _, first := range []bool{true, false} {
		for _, t := range ticks {
			if t.first != first {
				continue
			}
			x := p.scale.x(t.at)
			limits := svg.Box{Left: 2, Right: p.width - 2}
			if p.TryText(x, top+12, f, limits, t.label) {
				p.Line(svg.Marks, x, top-8, x, top, `stroke="`+inkColour+`"`)
			}
		}
	}
	f.Colour = faintColour
	for i := 1; i < len(p.scale.bursts); i++ {
		a, b := p.scale.bursts[i-1], p.scale.bursts[i]
		p.TryText((a.right+b.left)/2, top+27, f, svg.Box{Left: 2, Right: p.width - 2}, "+"+period(b.from-a.until))
		p.used["break"] = true
	}
	return top + 30
}
