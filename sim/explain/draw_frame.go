package explain

import (
	"slices"
	"strconv"
	"strings"
)

// numbers draws the numbers of the story's lines above the lanes, each at its
// time; those that would touch are stacked. It returns where the strip ends.
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
		switch line.Mark {
		case MarkFault:
			fill, ink = faultColour, "#ffffff"
		case MarkViolation:
			fill, ink = violationColour, "#ffffff"
		}
		p.add(marks, `<circle cx="%s" cy="%s" r="%s" fill="%s" stroke="%s"/>`, px(x), px(y), px(radius), fill, inkColour)
		size := 10.5
		if line.Number > 99 {
			size = 8
		}
		p.place(x, y+size*0.36, face{size: size, colour: ink, bold: line.Mark != MarkNone, anchor: "middle"}, strconv.Itoa(line.Number))
	}
	return top + float64(max(1, len(rows))-1)*step + radius
}

// overlaps draws the bars of the violations, one row each where they would
// touch. It returns where the strip ends; the shade on the lanes is drawn later.
func (p *picture) overlaps(top float64) float64 {
	var drawn []string
	for i := range p.run.Violations {
		v := &p.run.Violations[i]
		from, until := p.run.span(v)
		id := strings.Join(v.Leases, " ")
		if until <= from || slices.Contains(drawn, id) || !p.inside(from) {
			continue
		}
		drawn = append(drawn, id)
		p.used["overlap"] = true
		left, right := p.rect(bars, from, until, top, top+18, `fill="`+violationColour+`"`)
		clients, resource := (&teller{d: p.d, run: p.run}).holders(v)
		text := "violation: " + v.Oracle + ", " + period(until-from)
		if len(clients) > 1 {
			text = bothOrAll(clients) + " hold " + resource + " for " + period(until-from)
		}
		f := face{size: 12, colour: "#ffffff", bold: true, anchor: "start"}
		if textLength(text, f.size, true)+10 <= right-left {
			p.place(left+5, top+13, f, text)
		} else {
			f.colour = violationColour
			x := right + 5
			if x+textLength(text, f.size, true) > p.width-4 {
				f.anchor, x = "end", left-5
			}
			p.place(x, top+13, f, text)
		}
		top += 22
	}
	return top
}

// ground draws the lanes and the breaks of the time axis.
func (p *picture) ground() {
	left, right := leftMargin-10, p.width-rightMargin+10
	for _, l := range p.lanes {
		p.add(ground, `<rect x="%s" y="%s" width="%s" height="%s" fill="%s"/>`, px(left), px(l.top), px(right-left), px(l.bottom-l.top), laneColour)
	}
	for i := 1; i < len(p.scale.bursts); i++ {
		from, until := p.scale.bursts[i-1].right, p.scale.bursts[i].left
		p.add(ground, `<rect x="%s" y="%s" width="%s" height="%s" fill="%s"/>`, px(from+4), px(p.top), px(until-from-8), px(p.bottom-p.top), breakColour)
		for _, y := range []float64{p.top, p.bottom + 4} {
			middle := (from + until) / 2
			p.add(marks, `<path d="M%s %s l4 -10 m3 10 l4 -10" stroke="%s" stroke-width="1.4" fill="none"/>`, px(middle-6), px(y+4), faintColour)
		}
	}
	for _, t := range p.scale.ticks() {
		x := px(p.scale.x(t.at))
		p.add(ground, `<line x1="%s" y1="%s" x2="%s" y2="%s" stroke="%s" stroke-width="0.7"/>`, x, px(p.top), x, px(p.bottom), lineColour)
	}
	for _, l := range p.lanes {
		p.add(ground, `<line x1="%s" y1="%s" x2="%s" y2="%s" stroke="%s"/>`, px(left), px(l.baseline), px(right), px(l.baseline), faintColour)
	}
}

// names writes the names of the lanes.
func (p *picture) names() {
	for _, l := range p.lanes {
		colour := inkColour
		if l.process {
			colour = p.run.colour(l.name)
		}
		size := 15.0
		for size > 7 && textLength(l.name, size, true) > leftMargin-18 {
			size--
		}
		p.place(6, (l.top+l.bottom)/2+5, face{size: size, colour: colour, bold: true, anchor: "start"}, l.name)
	}
}

// axis draws the times, and in a second row how much the breaks leave out.
func (p *picture) axis(top float64) float64 {
	f := face{size: 11, colour: inkColour, anchor: "middle"}
	ticks := p.scale.ticks()
	for _, first := range []bool{true, false} {
		for _, t := range ticks {
			if t.first != first {
				continue
			}
			x := p.scale.x(t.at)
			limits := box{left: 2, right: p.width - 2}
			if p.try(x, top+12, f, limits, t.label) {
				p.add(marks, `<line x1="%s" y1="%s" x2="%s" y2="%s" stroke="%s"/>`, px(x), px(top-8), px(x), px(top), inkColour)
			}
		}
	}
	f.colour = faintColour
	for i := 1; i < len(p.scale.bursts); i++ {
		a, b := p.scale.bursts[i-1], p.scale.bursts[i]
		p.try((a.right+b.left)/2, top+27, f, box{left: 2, right: p.width - 2}, "+"+period(b.from-a.until))
		p.used["break"] = true
	}
	return top + 30
}
