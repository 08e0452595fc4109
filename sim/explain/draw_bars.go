package explain

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"redlocklab/sim"
	"redlocklab/sim/svg"
	"redlocklab/sim/words"
)

// ending is why a bar ends.
type ending string

const (
	endReleased ending = "released" // by a release, or a key by its owner's command
	endLapsed   ending = "lapsed"   // its time was over
	endEdge     ending = "edge"     // the picture ends first
	endLost     ending = "lost key" // something else took it away
)

// endSigns draw the endings, with (0, 0) on the middle of the bar's end.
var endSigns = map[ending]string{
	endReleased: "m-5 0 a5 5 0 1 0 10 0 a5 5 0 1 0 -10 0",
	endLapsed:   "m-5 -7 h10 l-10 14 h10 z",
	endEdge:     "m-15 -5 l5 5 l-5 5 m6 -10 l5 5 l-5 5",
}

// end marks why a bar ends, and returns how far its words may reach. A mark for the edge
// lies inside of the bar, if it is wide.
func (p *picture) end(why ending, wide bool, x, top, bottom float64) float64 {
	if why == endEdge && !wide {
		return x
	}
	p.used[string(why)] = true
	y := (top + bottom) / 2
	switch why {
	case endLost:
		p.Line(svg.Marks, x, top-3, x, bottom+3, `stroke="`+violationColour+`" stroke-width="4"`)
	case endEdge:
		p.Path(svg.Marks, x, y, endSigns[why], `fill="none" stroke="`+paperColour+`" stroke-width="2"`)
		return x - 10
	default:
		p.Path(svg.Marks, x, y, endSigns[why], `fill="`+paperColour+`" stroke="`+inkColour+`" stroke-width="1.6"`)
	}
	return x
}

// beliefs draws leases on the lanes of their clients.
func (p *picture) beliefs() {
	for _, l := range p.run.Leases {
		on := p.lane(l.Client)
		top := on.bars + float64(on.row(l.From, l.Until))*(beliefHeight+rowGap)
		if l.From > p.until || l.Until < p.from {
			continue
		}
		p.about("belief", p.d.began(l.ID), p.d.ended(l.ID))
		left, right := p.rect(svg.Bars, l.From, l.Until, top, top+beliefHeight, fmt.Sprintf(`fill="%s"`, p.run.Colour(l.Client)))
		why := endLapsed
		switch {
		case l.Until > p.until || l.Until == p.d.end && !l.Released:
			why = endEdge
		case l.Released:
			why = endReleased
		}
		p.inBar(left, p.end(why, right-left > 24, right, top, top+beliefHeight), top+17.5,
			fmt.Sprintf("%s believes that it holds %s (%s, %s)", l.Client, l.Resource, l.ID, words.Period(l.Until-l.From)),
			fmt.Sprintf("%s holds %s (%s)", l.Client, l.Resource, words.Period(l.Until-l.From)),
			fmt.Sprintf("%s holds %s", l.Client, l.Resource), l.ID)
	}
	p.About("")
}

// keys draws the keys that nodes hold, in the colours of their owners.
func (p *picture) keys() {
	for _, k := range p.d.keys {
		on := p.lane(k.node)
		if on == nil {
			continue
		}
		top := on.bars + float64(on.row(k.from, k.until))*(keyHeight+rowGap)
		if k.from > p.until || k.until < p.from {
			continue
		}
		p.about("key", k.fromSeq, k.untilSeq)
		left, right := p.rect(svg.Bars, k.from, k.until, top, top+keyHeight, fmt.Sprintf(`fill="%s"`, p.run.Colour(k.owner)))
		on.taken = append(on.taken, svg.Box{Left: left, Top: top, Right: right, Bottom: top + keyHeight})
		owner := cmp.Or(k.owner, "nobody")
		texts := []string{fmt.Sprintf("%s's key for %s", owner, k.key), owner + "'s key", owner}
		if k.counts {
			texts = []string{fmt.Sprintf("%s: %s, by %s", k.key, k.value, owner), k.key + ": " + k.value, k.value}
		}
		word := p.lostWord(k)
		why, reach := endReleased, right
		switch {
		case k.end == "" || k.until > p.until:
			why = endEdge
		case k.counts && k.end == sim.Execute:
			why = "" // the count goes on
		case word != "":
			why = endLost
		case k.end == sim.Expire:
			why = endLapsed
		}
		if why != "" {
			reach = p.end(why, right-left > 24, right, top, top+keyHeight)
		}
		p.inBar(left, reach, top+15.5, texts...)
		if why == endLost {
			p.beside(right, on, word, violationColour)
		}
	}
	p.About("")
}

// lostWord says how a key was lost otherwise than by its owner or by the end of its
// time; "" when it was not.
func (p *picture) lostWord(k *keySpan) string {
	switch {
	case k.end == sim.Forget:
		return "forgotten"
	case k.end == sim.Expire && p.run.entitled(k.owner, k.key, k.until) != nil:
		return "expired early"
	case k.end == sim.NodeCall:
		return "removed from outside"
	case k.end == sim.Execute && k.ender != k.owner:
		return "ended by " + k.ender
	}
	return ""
}

// registers draws the accesses to each register of the protected resource, and whose
// write it holds.
func (p *picture) registers() {
	latest := map[string]*access{} // the writes
	value := func(register string, until time.Duration) {
		w, on := latest[register], p.lane(register)
		if w == nil || w.event.At > p.until || until < p.from {
			return
		}
		colour := p.run.Colour(w.event.Process)
		p.about("value", w.event.Seq)
		left, right := p.rect(svg.Bars, w.event.At, until, on.bars, on.bars+keyHeight, fmt.Sprintf(`fill="%s"`, colour))
		word := w.event.Process + "'s " + cmp.Or(w.value, "write")
		p.inBar(left+9, right, on.bars+15.5, word, w.event.Process)
		if w.stale {
			edge := svg.Box{Left: left, Top: on.bars, Right: right, Bottom: on.bars + 4}
			p.Rect(svg.Bars, edge, `fill="`+violationColour+`"`)
		}
	}
	for _, a := range p.d.accesses {
		if a.wrote() {
			value(a.register, a.event.At)
			latest[a.register] = &a
		}
	}
	for _, register := range p.d.registers {
		value(register, p.until)
	}
	for _, a := range p.d.accesses {
		p.access(&a)
	}
	p.About("")
}

// access draws one access: its way from the client, and the answer of the register.
func (p *picture) access(a *access) {
	on, from := p.lane(a.register), p.lane(a.event.Process)
	if on == nil || from == nil || !p.inside(a.event.At) || !p.cause.matters(a.event, false) {
		return
	}
	x, colour := p.scale.x(a.event.At), p.run.Colour(a.event.Process)
	p.about("access", a.event.Seq)
	ofResource := func(b access) bool { return b.event.Resource == a.event.Resource }
	if a.register == p.d.accesses[slices.IndexFunc(p.d.accesses, ofResource)].register {
		p.Line(svg.Lines, x, from.baseline, x, on.baseline, `stroke="`+colour+`" stroke-width="1.2" stroke-dasharray="2 3"`)
	}
	switch {
	case !a.accepted:
		p.about("refused", a.event.Seq)
		p.Path(svg.Marks, x, on.baseline-8, "l8 8 l-8 8 l-8 -8 z", `fill="`+paperColour+`" stroke="`+colour+`" stroke-width="2"`)
		p.cross(x, on.baseline, 4, violationColour)
		p.beside(x, on, a.event.Process+"'s "+a.action+" refused", inkColour)
	case a.action == "read":
		p.Path(svg.Marks, x, on.baseline-6, "l6 6 l-6 6 l-6 -6 z", `fill="`+paperColour+`" stroke="`+colour+`" stroke-width="1.8"`)
	default:
		p.Path(svg.Marks, x, on.baseline-8, "l8 8 l-8 8 l-8 -8 z", `fill="`+colour+`" stroke="`+paperColour+`" stroke-width="1.5"`)
	}
	if a.stale && a.wrote() {
		p.about("stale", a.event.Seq)
		p.Path(svg.Marks, x, on.baseline-11, "l11 11 l-11 11 l-11 -11 z", `fill="none" stroke="`+violationColour+`" stroke-width="2.4"`)
		p.beside(x, on, a.event.Process+"'s stale "+a.action+" accepted", violationColour)
	}
}
