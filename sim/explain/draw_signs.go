package explain

import (
	"cmp"
	"slices"
	"strings"

	"redlocklab/sim"
	"redlocklab/sim/svg"
)

// signs draws events that have no duration: crashes, restarts, clocks.
func (p *picture) signs() {
	for _, e := range p.d.moments {
		l := p.lane(cmp.Or(e.Node, e.Process))
		if l == nil || !p.inside(e.At) {
			continue
		}
		x, y := p.scale.x(e.At), l.baseline
		switch e.Kind {
		case sim.Crash:
			p.about("crash", e.Seq)
			p.cross(x, y, 7, violationColour)
			p.beside(x, l, "crash", inkColour)
		case sim.Restart:
			p.about("restart", e.Seq)
			p.Path(svg.Marks, x, y-6, "l6 11 h-12 z", `fill="`+paperColour+`" stroke="`+inkColour+`" stroke-width="1.8"`)
			p.beside(x, l, "restart", inkColour)
		case sim.ClockStep:
			p.clock(e, x, y)
			p.beside(x, l, "clock "+stepWords(e.Duration), inkColour)
		case sim.ClockRate:
			if p.d.rateChanged(e) {
				p.clock(e, x, y)
				p.beside(x, l, "clock "+rateWords(e.PPM), inkColour)
			}
		case sim.Pause:
			p.about("pause", e.Seq)
			p.beside(x, l, "paused", inkColour)
		case sim.Resume:
			p.about("pause", e.Seq)
			p.beside(x, l, "continues", inkColour)
		case sim.NodeCall:
			p.about("operator", e.Seq)
			p.Path(svg.Marks, x, y-7, "l7 7 l-7 7 l-7 -7 z", `fill="`+faultColour+`" stroke="`+paperColour+`"`)
			p.beside(x, l, strings.TrimSpace(e.Command+" from outside"), inkColour)
		}
	}
	p.About("")
}

func (p *picture) clock(e *sim.Event, x, y float64) {
	p.about("clock", e.Seq)
	p.Circle(svg.Marks, x, y, 7, `fill="`+paperColour+`" stroke="`+faultColour+`" stroke-width="1.8"`)
	p.Path(svg.Marks, x-2, y, "v-4.5 m0 4.5 h4", `stroke="`+faultColour+`" stroke-width="1.6" fill="none"`)
}

// beside writes a word next to a sign if there is room: under the keys of a node,
// or above the line of a process.
func (p *picture) beside(x float64, l *lane, word, colour string) {
	if word == "" || l.words == 0 {
		return
	}
	right := svg.Font{Size: textSize, Colour: colour, Bold: true, Offset: 9, Halo: laneColour}
	left, middle := right, right
	left.Anchor, left.Offset = svg.End, -9
	middle.Anchor, middle.Offset = svg.Middle, 0
	p.TryText(x, l.words, right, p.limits(), word, left, middle)
}

// decisive rings the events without which nothing would be violated.
func (p *picture) decisive() {
	for _, seq := range p.run.Decisive {
		e := &p.run.Events[seq-1]
		name := cmp.Or(e.Node, e.Process)
		if i := slices.IndexFunc(p.d.accesses, func(a access) bool { return a.event == e }); i >= 0 {
			name = p.d.accesses[i].register
		}
		if l := p.lane(name); l != nil && p.inside(e.At) {
			p.about("decisive", seq)
			p.Circle(svg.Marks, p.scale.x(e.At), l.baseline, 12, `fill="none" stroke="`+inkColour+`" stroke-width="3"`)
		}
	}
	p.About("")
}
