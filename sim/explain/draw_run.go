package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"redlocklab/sim"
	"redlocklab/sim/svg"
	"redlocklab/sim/words"
)

// shading marks on the lanes when a node was down or a client was paused, and when
// two clients held one lock.
func (p *picture) shading() {
	for _, v := range p.run.Violations {
		from, until := p.run.span(v)
		if !p.inside(from) {
			continue
		}
		clients, _ := p.teller.holders(v)
		for _, l := range p.lanes {
			if l.kind != processLane || !slices.Contains(clients, l.name) {
				continue
			}
			if until > from {
				p.about(overlapSign(clients), p.startOf(v))
				p.rect(svg.Ground, from, until, l.top, l.bottom, fmt.Sprintf(`fill="%s" fill-opacity="0.16"`, violationColour))
				p.rect(svg.Ground, from, until, l.top, l.bottom, `fill="url(#overlap)" fill-opacity="0.35"`)
				continue
			}
			p.about("instant", p.startOf(v))
			x := p.scale.x(from)
			p.Line(svg.Bars, x, l.top, x, l.bottom, `stroke="`+violationColour+`" stroke-width="3" stroke-dasharray="6 3"`)
		}
	}
	for _, s := range p.d.stretches {
		l := p.lane(cmp.Or(s.begin.Node, s.begin.Process))
		if s.begin.Kind == sim.Cut || l == nil || !p.inside(s.from) {
			continue
		}
		sign, fill := "pause", `fill="url(#pause)"`
		if s.begin.Kind == sim.Crash {
			sign, fill = "down", `fill="url(#down)" fill-opacity="0.55"`
		}
		p.about(sign, s.begin.Seq, seqOf(s.end))
		p.rect(svg.Ground, s.from, s.until, l.top, l.bottom, fill)
	}
	p.About("")
}

func (p *picture) cuts() {
	for _, s := range p.d.stretches {
		if s.begin.Kind == sim.Cut && s.from <= p.until && s.until >= p.from {
			p.cut(s)
		}
	}
	p.About("")
}

// cut marks the nodes that a fault describes, or else those of the messages that it affected.
func (p *picture) cut(s *stretch) {
	f := p.run.fault(s.begin.Fault)
	processes, nodes := f.Processes, f.Nodes
	affected := map[sim.Kind]bool{}
	for i := range p.run.Events {
		e := &p.run.Events[i]
		if e.Fault != s.begin.Fault || e.Kind != sim.Drop && e.Kind != sim.Delay {
			continue
		}
		affected[e.Kind] = true
		if len(f.Nodes) == 0 {
			processes, nodes = appendNew(processes, e.Process), appendNew(nodes, e.Node)
		}
	}
	sign, text := "cut", "cut off from "
	if affected[sim.Delay] && !affected[sim.Drop] {
		sign, text = "delay", "slow to "
	}
	for _, name := range nodes {
		l := p.lane(name)
		if l == nil {
			continue
		}
		p.about(sign, s.begin.Seq, seqOf(s.end))
		p.rect(svg.Ground, s.from, s.until, l.top, l.bottom, fmt.Sprintf(`fill="%s" fill-opacity="0.10"`, faultColour))
		left, _ := p.rect(svg.Ground, s.from, s.until, l.top, l.bottom, `fill="url(#cut)" fill-opacity="0.35"`)
		if len(processes) > 0 {
			p.nameStretch(left, l, text+words.Listed(processes))
		}
	}
}

// lostPart is the part of its way for which a lost message is drawn.
const lostPart = 0.55

// messages draws requests and answers as lines; lost ones end in a cross.
func (p *picture) messages() {
	for _, r := range p.d.rounds {
		from := p.lane(r.process)
		first := &sim.Event{Kind: sim.Send, Process: r.process, At: r.from}
		if !p.all && r.repeated && p.inside(r.from) && p.cause.matters(first, false) {
			p.about("again", r.events[0])
			p.Path(svg.Lines, p.scale.x(r.from), from.baseline, "v-9", `stroke="`+p.run.Colour(r.process)+`" stroke-width="2"`)
		}
		for _, q := range r.requests {
			if to := p.lane(q.Node); to != nil && p.drawn(r, q) {
				p.request(r, q, from, to)
			}
		}
	}
	p.About("")
}

func (p *picture) request(r *round, q *request, from, to *lane) {
	arrived := atOf(cmp.Or(q.Delivered, q.Executed))
	if arrived > p.until {
		return // still under way at the edge of the picture
	}
	colour := p.run.Colour(r.process)
	if arrived == none {
		p.lost(q, q.sent(), max(q.dropped(), q.sent()), from.baseline, to.baseline, colour)
		return
	}
	p.line(q, q.sent(), arrived, from.baseline, to.baseline, colour, "")
	if !p.inside(q.executed()) {
		return
	}
	x, left := p.scale.x(q.executed()), p.teller.guarded(q)
	p.message("vote", q)
	fill, edge := paperColour, ""
	switch {
	case left != nil:
		p.message("left out", q)
		edge = ` stroke-dasharray="2.5 2"`
	case q.granted():
		fill = colour
	}
	p.Circle(svg.Marks, x, to.baseline, 4.5, fmt.Sprintf(`fill="%s" stroke="%s" stroke-width="2"%s`, fill, colour, edge))
	if left != nil {
		p.beside(x, to, "vote left out: up "+words.Period(left.up), inkColour)
	}
	switch {
	case p.inside(q.replied()):
		p.line(q, q.executed(), q.replied(), to.baseline, from.baseline, colour, ` stroke-dasharray="5 3"`)
		p.Path(svg.Marks, p.scale.x(q.replied()), from.baseline-1, "l-3.5 7 h7 z", `fill="`+colour+`"`)
	case q.outcome() == replyLost:
		p.lost(q, q.executed(), max(q.dropped(), q.executed()), to.baseline, from.baseline, colour)
	}
}

// message attaches a sign of the legend, and a request, to the elements that follow.
func (p *picture) message(sign string, q *request) {
	p.about(sign, q.settled())
	if q.Message != 0 {
		p.About(fmt.Sprintf(`data-s="%s" data-m="%d"`, sign, q.Message))
	}
}

func (p *picture) line(q *request, from, until time.Duration, top, bottom float64, colour, dash string) {
	p.message("message", q)
	p.Line(svg.Lines, p.scale.x(from), top, p.scale.x(until), bottom, fmt.Sprintf(`stroke="%s" stroke-width="1.5"%s`, colour, dash))
}

func (p *picture) lost(q *request, from, until time.Duration, start, end float64, colour string) {
	p.message("lost", q)
	x1, x2 := p.scale.x(from), p.scale.x(min(until, p.until))
	x2 = min(x2, x1+36) // the loss may be recorded much later than it happened
	y := start + lostPart*(end-start)
	p.Line(svg.Lines, x1, start, x2, y, `stroke="`+colour+`" stroke-width="1.5"`)
	p.cross(x2, y, 5, inkColour)
}

// nameStretch writes a word at the left end of a stretch: among the bars of a lane where
// there is none, or else on its line for words.
func (p *picture) nameStretch(left float64, l *lane, word string) {
	f, y := svg.Font{Size: textSize, Colour: faultColour, Offset: 4, Halo: laneColour}, l.bars+15.5
	if !slices.ContainsFunc(l.taken, f.Box(left, y, word).Meets) && p.TryText(left, y, f, p.limits(), word) {
		return
	}
	if l.words > 0 {
		p.TryText(left, l.words, f, p.limits(), strings.TrimSpace(word))
	}
}

// signs draws events that have no duration: crashes, restarts, clocks.
func (p *picture) signs() {
	for _, e := range p.d.moments {
		l := p.lane(cmp.Or(e.Node, e.Process))
		if l == nil || !p.inside(e.At) {
			continue
		}
		x, y := p.scale.x(e.At), l.baseline
		sign, word := p.signOf(e)
		if sign == "" {
			continue
		}
		p.about(sign, e.Seq)
		switch sign {
		case "crash":
			p.cross(x, y, 7, violationColour)
		case "restart":
			p.Path(svg.Marks, x, y-6, "l6 11 h-12 z", `fill="`+paperColour+`" stroke="`+inkColour+`" stroke-width="1.8"`)
		case "clock":
			p.Circle(svg.Marks, x, y, 7, `fill="`+paperColour+`" stroke="`+faultColour+`" stroke-width="1.8"`)
			p.Path(svg.Marks, x-2, y, "v-4.5 m0 4.5 h4", `stroke="`+faultColour+`" stroke-width="1.6" fill="none"`)
		case "operator":
			p.Path(svg.Marks, x, y-7, "l7 7 l-7 7 l-7 -7 z", `fill="`+faultColour+`" stroke="`+paperColour+`"`)
		}
		p.beside(x, l, word, inkColour)
	}
	p.About("")
}

// signOf returns the sign of an event without a duration, and the word beside it; "" for none.
func (p *picture) signOf(e *sim.Event) (sign, word string) {
	switch e.Kind {
	case sim.Crash, sim.Restart:
		return string(e.Kind), string(e.Kind)
	case sim.ClockStep:
		return "clock", "clock " + stepWords(e.Duration)
	case sim.ClockRate:
		if p.d.rateChanged(e) {
			return "clock", "clock " + rateWords(e.PPM)
		}
	case sim.Pause:
		return "pause", "paused"
	case sim.Resume:
		return "pause", "continues"
	case sim.NodeCall:
		return "operator", strings.TrimSpace(e.Command + " from outside")
	}
	return "", ""
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
