package explain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"redlocklab/sim/svg"
	"redlocklab/sim/words"
)

// numbers draws the numbers of the story's lines above the lanes, each at its time.
// Numbers that would touch are stacked. It returns the lower edge.
func (p *picture) numbers(top float64) float64 {
	const step = 28.0
	var rows []float64 // the right edge of the last number in each row
	for _, line := range p.shown() {
		if !p.inside(line.At) {
			continue
		}
		x, radius := p.scale.x(line.At), 13.0
		f := svg.Font{Size: textSize, Bold: line.Mark != MarkNone, Anchor: svg.Middle}
		radius = max(radius, f.Length(strconv.Itoa(line.Number))/2+2)
		row := 0
		for row < len(rows) && rows[row] > x-radius {
			row++
		}
		if row == len(rows) {
			rows = append(rows, 0)
		}
		rows[row] = x + radius + 1.5
		y := top + float64(row)*step
		fill, ink := paperColour, inkColour
		if colour := line.Mark.colour(); colour != inkColour {
			fill, ink = colour, paperColour
		}
		p.About(fmt.Sprintf(`data-line="%d"`, line.Number))
		p.Circle(svg.Marks, x, y, min(radius, 13.5), fmt.Sprintf(`fill="%s" stroke="%s"`, fill, inkColour))
		f.Colour = ink
		p.Text(x, y+textSize*0.36, f, strconv.Itoa(line.Number))
	}
	p.About("")
	return top + float64(max(1, len(rows))-1)*step + 13
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
		clients, resource := p.teller.holders(v)
		p.about(overlapSign(clients), p.startOf(v))
		left, right := p.rect(svg.Bars, from, until, top, top+24, `fill="`+violationColour+`"`)
		text := "violation: " + v.Oracle + ", " + words.Period(until-from)
		switch {
		case len(clients) == 1 && len(v.Leases) > 1:
			text = fmt.Sprintf("%s holds %s twice for %s", clients[0], resource, words.Period(until-from))
		case len(clients) > 1:
			text = bothOrAll(clients) + " hold " + resource + " for " + words.Period(until-from)
		}
		f := svg.Font{Size: textSize, Colour: paperColour, Bold: true, Offset: 6}
		switch {
		case f.Length(text)+12 <= right-left:
			p.Text(left, top+18, f, text)
		case right+6+f.Length(text) < p.width-4:
			f.Colour = violationColour
			p.Text(right, top+18, f, text)
		default:
			f.Colour, f.Anchor, f.Offset = violationColour, svg.End, -6
			p.Text(left, top+18, f, f.Fit(text, left-20))
		}
		p.About("")
		top += 28
	}
	return top
}

// overlapSign returns the sign for an overlap of the leases of some clients.
func overlapSign(clients []string) string {
	if len(clients) == 1 {
		return "twice"
	}
	return "overlap"
}

// startOf returns the Seq of the event with which a violation begins; 0 when there is none.
func (p *picture) startOf(v Violation) int {
	event := v.Event
	for _, id := range v.Leases {
		event = max(event, p.d.began(id))
	}
	return event
}

// about attaches a sign of the legend, and events, to the elements that follow.
func (p *picture) about(sign string, events ...int) {
	p.used[sign] = true
	var numbers []string
	for _, seq := range events {
		if seq > 0 {
			numbers = append(numbers, strconv.Itoa(seq))
		}
	}
	p.About(fmt.Sprintf(`data-s="%s" data-e="%s"`, sign, strings.Join(numbers, " ")))
}

// ground draws the lanes and the breaks of the time axis.
func (p *picture) ground() {
	left, right := p.scale.Bursts[0].Left-10, p.width-rightMargin+10
	for _, l := range p.lanes {
		p.Rect(svg.Ground, svg.Box{Left: left, Top: l.top, Right: right, Bottom: l.bottom}, `fill="`+laneColour+`"`)
	}
	p.about("break")
	delete(p.used, "break")
	for i := 1; i < len(p.scale.Bursts); i++ {
		p.used["break"] = true
		from, until := p.scale.Bursts[i-1].Right, p.scale.Bursts[i].Left
		p.Rect(svg.Ground, svg.Box{Left: from + 4, Top: p.top, Right: until - 4, Bottom: p.bottom}, `fill="`+breakColour+`"`)
		p.Path(svg.Marks, (from+until)/2-7, p.bottom+6, "l5 -12 m4 12 l5 -12", `stroke="`+faintColour+`" stroke-width="1.8" fill="none"`)
	}
	p.About("")
	for _, t := range p.scale.ticks(1) {
		x := p.scale.x(t.at)
		p.Line(svg.Ground, x, p.top, x, p.bottom, `stroke="`+lineColour+`" stroke-width="0.8"`)
	}
	for _, l := range p.lanes {
		if l.kind != registerLane {
			p.Line(svg.Ground, left, l.baseline, right, l.baseline, `stroke="`+faintColour+`"`)
		}
	}
}

// namesWidth returns how much room the names of the lanes need.
func (p *picture) namesWidth() float64 {
	width := 40.0
	for _, name := range slices.Concat(p.run.Processes, p.run.Nodes) {
		width = max(width, nameFont.Length(name)+24)
	}
	for _, name := range p.d.registers {
		width = max(width, registerFont.Length(name)+20)
	}
	return min(width, 190)
}

var (
	nameFont     = svg.Font{Size: 18, Colour: inkColour, Bold: true}
	registerFont = svg.Font{Size: textSize, Colour: faintColour}
)

func (p *picture) names() {
	for _, l := range p.lanes {
		f := nameFont
		switch l.kind {
		case processLane:
			f.Colour = p.run.Colour(l.name)
		case registerLane:
			f = registerFont
		}
		y := (l.top + l.bottom) / 2
		if l.kind == nodeLane {
			y = l.bars + keyHeight/2 - 1
		}
		p.headings.Text(8, y+6, f, f.Fit(l.name, p.namesRoom-16))
	}
}

// axis draws the times and, in a second row, how much time each break leaves out.
func (p *picture) axis(top float64) float64 {
	f := svg.Font{Size: textSize, Colour: inkColour, Anchor: svg.Middle, Tick: 8}
	limits := svg.Box{Left: 2, Right: p.width - 2}
	labels := map[time.Duration]bool{}
	for p.From = 0; p.From <= p.Zooms; p.From++ {
		for _, t := range p.scale.ticks(float64(int(1) << p.From)) {
			if labels[t.at] || len(labels) >= ticksAtMost {
				continue
			}
			x := p.scale.x(t.at)
			if p.TryText(x, top+18, f, limits, t.label) {
				labels[t.at] = true
			}
		}
	}
	p.From = 0
	f.Colour, f.Tick = faintColour, 0
	for i := 1; i < len(p.scale.Bursts); i++ {
		a, b := p.scale.Bursts[i-1], p.scale.Bursts[i]
		p.TryText((a.Right+b.Left)/2, top+40, f, limits, "+"+words.Period(b.From-a.Until))
	}
	return top + 44
}

// ticksAtMost bounds the size of the axis of a long run.
const ticksAtMost = 2000
