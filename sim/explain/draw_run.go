package explain

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"redlocklab/sim"
	"redlocklab/sim/svg"
)

// shading marks on the lanes when a node was down, a client was paused or messages
// were stopped, and when two clients held one lock.
func (p *picture) shading() {
	for _, v := range p.run.Violations {
		from, until := p.run.span(v)
		if !p.inside(from) {
			continue
		}
		if until > from {
			p.rect(svg.Ground, from, until, p.top-6, p.middle, fmt.Sprintf(`fill="%s" fill-opacity="0.13"`, violationColour))
			p.rect(svg.Ground, from, until, p.top-6, p.middle, `fill="url(#overlap)" fill-opacity="0.28"`)
			continue
		}
		p.used["instant"] = true
		x := p.scale.x(from)
		p.Line(svg.Bars, x, p.top-6, x, p.middle, `stroke="`+violationColour+`" stroke-width="2.5" stroke-dasharray="6 3"`)
	}
	for _, s := range p.d.stretches {
		l := p.lane(cmp.Or(s.begin.Node, s.begin.Process))
		switch {
		case s.begin.Kind == sim.Cut:
			if s.from <= p.until && s.until >= p.from {
				p.cut(s)
			}
		case l == nil || !p.inside(s.from):
		case s.begin.Kind == sim.Crash:
			p.used["down"] = true
			p.rect(svg.Bars, s.from, s.until, l.top, l.bottom, `fill="url(#down)" fill-opacity="0.55"`)
		default:
			p.used["pause"] = true
			p.rect(svg.Ground, s.from, s.until, l.top, l.bottom, `fill="url(#pause)"`)
		}
	}
}

// cut marks the nodes from or to which a fault stops or delays messages: as described,
// or else those of the messages that it affected.
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
	sign, words := "cut", "cut off from "
	if affected[sim.Delay] && !affected[sim.Drop] {
		sign, words = "delay", "slow to "
	}
	for _, name := range nodes {
		l := p.lane(name)
		if l == nil {
			continue
		}
		p.used[sign] = true
		p.rect(svg.Ground, s.from, s.until, l.top, l.bottom, fmt.Sprintf(`fill="%s" fill-opacity="0.10"`, faultColour))
		left, _ := p.rect(svg.Ground, s.from, s.until, l.top, l.bottom, `fill="url(#cut)" fill-opacity="0.35"`)
		if len(processes) > 0 {
			p.TryText(left+3, l.bottom-3, svg.Font{Size: 10, Colour: faultColour}, p.whole(), words+list(processes))
		}
	}
}

// lostPart is the part of its way for which a lost message is drawn.
const lostPart = 0.55

// messages draws requests and answers as arrows; lost ones end in a cross.
func (p *picture) messages() {
	for _, r := range p.d.rounds {
		from := p.lane(r.process)
		if r.repeated && from != nil && p.inside(r.from) && p.cause.matters(&sim.Event{Kind: sim.Send, Process: r.process, At: r.from}, false) {
			p.used["again"] = true
			p.Path(svg.Lines, p.scale.x(r.from), from.baseline, "v9", `stroke="`+p.run.colour(r.process)+`" stroke-width="2"`)
		}
		for _, q := range r.requests {
			if to := p.lane(q.node); from != nil && to != nil && p.drawn(r, q) {
				p.request(r, q, from, to)
			}
		}
	}
}

func (p *picture) request(r *round, q *request, from, to *lane) {
	arrived := q.delivered
	if arrived == none {
		arrived = q.executed
	}
	if arrived > p.until {
		return // still under way at the edge of the picture
	}
	if arrived == none {
		p.lost(r, q.sent, max(q.dropped, q.sent), from.baseline, to.baseline)
		return
	}
	p.arrow(r, q.sent, arrived, from.baseline, to.baseline, "")
	if !p.inside(q.executed) {
		return
	}
	fill := "#ffffff"
	if q.granted() {
		fill = p.run.colour(r.process)
	}
	p.used["vote"] = true
	p.Circle(svg.Marks, p.scale.x(q.executed), to.baseline, 3.4, fmt.Sprintf(`fill="%s" stroke="%s" stroke-width="1.5"`, fill, p.run.colour(r.process)))
	switch {
	case p.inside(q.replied):
		p.arrow(r, q.executed, q.replied, to.baseline, from.baseline, ` stroke-dasharray="4 2.5"`)
	case q.outcome == replyLost:
		p.lost(r, q.executed, max(q.dropped, q.executed), to.baseline, from.baseline)
	}
}

func (p *picture) arrow(r *round, from, until time.Duration, top, bottom float64, dash string) {
	p.used["message"] = true
	p.Line(svg.Lines, p.scale.x(from), top, p.scale.x(until), bottom, fmt.Sprintf(`stroke="%s" stroke-width="1.1" stroke-opacity="0.75"%s marker-end="url(#head%d)"`,
		p.run.colour(r.process), dash, slices.Index(p.run.Processes, r.process)))
}

func (p *picture) lost(r *round, from, until time.Duration, start, end float64) {
	p.used["lost"] = true
	x1, x2 := p.scale.x(from), p.scale.x(min(until, p.until))
	x2 = min(x2, x1+36) // the loss may be recorded much later than it happened
	y := start + lostPart*(end-start)
	p.Line(svg.Lines, x1, start, x2, y, `stroke="`+p.run.colour(r.process)+`" stroke-width="1.1" stroke-opacity="0.75"`)
	p.cross(svg.Marks, x2, y, 4, inkColour)
}

// beliefs draws leases on the lanes of their clients.
func (p *picture) beliefs() {
	for _, l := range p.run.Leases {
		on := p.lane(l.Client)
		if on == nil || l.From > p.until || l.Until < p.from {
			continue
		}
		p.used["belief"] = true
		top := on.row(l.Resource, 23)
		left, right := p.rect(svg.Bars, l.From, l.Until, top, top+20, fmt.Sprintf(`rx="3" fill="%s"`, p.run.colour(l.Client)))
		p.inBar(left, right, top+14.5, 12,
			fmt.Sprintf("%s believes that it holds %s (%s, %s)", l.Client, l.Resource, l.ID, period(l.Until-l.From)),
			fmt.Sprintf("%s holds %s (%s)", l.Client, l.Resource, period(l.Until-l.From)),
			fmt.Sprintf("%s holds %s", l.Client, l.Resource), l.ID)
	}
}

// keys draws the keys that nodes hold, in the colours of their owners.
func (p *picture) keys() {
	for _, k := range p.d.keys {
		on := p.lane(k.node)
		if on == nil || k.from > p.until || k.until < p.from {
			continue
		}
		p.used["key"] = true
		top := on.row(k.key, 17)
		left, right := p.rect(svg.Bars, k.from, k.until, top, top+14, fmt.Sprintf(`fill="%s" fill-opacity="0.82"`, p.run.colour(k.owner)))
		owner := cmp.Or(k.owner, "nobody")
		p.inBar(left, right, top+11, 10.5, fmt.Sprintf("%s's key for %s", owner, k.key), owner+"'s key", owner)
		word := ""
		switch {
		case k.end == sim.Forget:
			word = "forgotten"
		case k.end == sim.Expire && p.run.entitled(k.owner, k.key, k.until) != nil:
			word = "expired early"
		case k.end == sim.NodeCall:
			word = "removed from outside"
		case k.end == sim.Execute && k.ender != k.owner:
			word = "ended by " + k.ender
		}
		if word != "" && p.inside(k.until) {
			p.used["lost key"] = true
			p.Line(svg.Marks, right, top-3, right, top+17, `stroke="`+violationColour+`" stroke-width="3"`)
			p.TryText(right+5, top+11.5, svg.Font{Size: 10.5, Colour: violationColour, Bold: true}, p.whole(), word)
		}
	}
}
