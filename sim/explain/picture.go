package explain

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"redlocklab/sim"
	"redlocklab/sim/svg"
)

const (
	pictureWidth = 1280.0
	rightMargin  = 24.0
	textSize     = 16.0 // the smallest type of the picture
)

// SVG draws a run as one self-contained picture, with a lane per process, register and
// node, and time from left to right. It writes the same bytes for the same run. The
// error wraps [ErrRun] or is that of the writer.
func SVG(w io.Writer, run *Run, options StoryOptions) error {
	if err := run.Validate(); err != nil {
		return err
	}
	p := newPicture(newDigest(run), options, pictureWidth)
	p.namesRoom = p.namesWidth()
	p.left = p.namesRoom
	p.scale = newScale(p.instants(), p.left+10, p.width-rightMargin, false)
	p.headings = &p.Canvas
	p.draw()
	_, err := io.WriteString(w, p.Document(p.width, p.height, p.story.Title, Definitions()))
	return err
}

// picture is the layout of one run.
type picture struct {
	svg.Canvas
	headings  *svg.Canvas // on which the names of the lanes are written
	run       *Run
	d         *digest
	teller    *teller // for the words that the story also uses
	story     *Story
	cause     *cause // nil when everything is drawn
	scale     *scale
	all       bool    // attempts with the same result are drawn each
	left      float64 // of the lanes
	namesRoom float64 // for the names of the lanes
	width     float64
	height    float64
	lanes     []*lane
	top       float64 // of the first lane
	bottom    float64 // of the last lane
	from      time.Duration
	until     time.Duration
	used      map[string]bool // signs that the picture uses and the legend explains
}

// newPicture returns the picture of a run, without a scale.
func newPicture(d *digest, options StoryOptions, width float64) *picture {
	p := &picture{
		run: d.run, d: d, teller: &teller{d: d, run: d.run}, story: tell(d, options),
		width: width, until: d.end, used: map[string]bool{},
	}
	if options.CausalOnly && len(d.run.Violations) > 0 {
		p.cause = newCause(d)
		p.from, p.until = p.cause.from, p.cause.until
		for i := range d.run.Events {
			if e := &d.run.Events[i]; isFault(e) {
				p.from, p.until = min(p.from, e.At), max(p.until, e.At)
			}
		}
	}
	return p
}

// inside reports whether an instant lies in the picture.
func (p *picture) inside(t time.Duration) bool { return t != none && t >= p.from && t <= p.until }

// drawn reports whether a request is drawn. Attempts that the story tells together
// with an earlier one get only a tick.
func (p *picture) drawn(r *round, q *request) bool {
	if !p.all && (r.repeated || r.cleans != nil && r.cleans.repeated) || !p.inside(q.sent()) || !r.purpose.AboutLock() {
		return false
	}
	e := sim.Event{At: q.sent(), Kind: sim.Send, Process: r.process, Node: q.Node, Key: r.key}
	return p.cause.matters(&e, p.d.changed(seqOf(q.Executed)))
}

// instants returns the times for which the scale makes room. Those of repeated
// attempts are not among them.
func (p *picture) instants() []time.Duration {
	at := []time.Duration{p.from}
	add := func(times ...time.Duration) {
		for _, t := range times {
			if p.inside(t) {
				at = append(at, t)
			}
		}
	}
	passed := map[int]bool{} // executions of requests that are not drawn
	for _, r := range p.d.rounds {
		for _, q := range r.requests {
			if p.drawn(r, q) {
				add(q.sent(), q.delivered(), q.executed(), q.replied(), q.dropped())
			} else {
				passed[seqOf(q.Executed)] = true
			}
		}
	}
	for _, l := range p.run.Leases {
		add(l.From, l.Until)
	}
	for _, k := range p.d.keys {
		if !passed[k.fromSeq] {
			add(k.from, k.until)
		}
	}
	for _, e := range p.d.moments {
		if e.Kind != sim.Done {
			add(e.At)
		}
	}
	for _, v := range p.run.Violations {
		from, until := p.run.span(v)
		add(from, until)
	}
	return at
}

func (p *picture) draw() {
	p.heading(34, svg.Font{Size: 24, Colour: inkColour, Bold: true}, p.story.Title)
	p.heading(60, svg.Font{Size: textSize, Colour: faintColour}, p.story.Setting[0])
	y := p.numbers(88)
	y = p.overlaps(y + 8)
	p.layOut(y + 6)
	p.lanesAndBars()
	y = p.axis(p.bottom + 8)
	y = p.legend(y + 22)
	p.height = p.caption(y+30) + 16
}

// lanesAndBars draws what lies between the numbers and the axis.
func (p *picture) lanesAndBars() {
	p.ground()
	p.shading()
	p.beliefs()
	p.keys()
	p.registers()
	p.messages()
	p.cuts()
	p.signs()
	p.decisive()
	p.names()
}

// heading writes a text, shortened to the picture's width.
func (p *picture) heading(y float64, f svg.Font, text string) {
	p.Text(16, y, f, f.Fit(text, p.width-32))
}

// lane is the horizontal strip of one process, register or node.
type lane struct {
	name     string
	kind     laneKind
	top      float64
	bottom   float64
	baseline float64 // where messages begin and end
	bars     float64 // top of the first row of bars
	words    float64 // baseline of the words beside signs; 0 when the lane has no room for them
	taken    []svg.Box
	rows     []time.Duration // when the latest bar of each row ends
}

type laneKind int

const (
	processLane laneKind = iota
	registerLane
	nodeLane
)

const (
	beliefHeight = 24.0
	keyHeight    = 20.0
	wordHeight   = 20.0
	rowGap       = 3.0
	laneGap      = 3.0
)

// layOut computes the position of every lane.
func (p *picture) layOut(y float64) {
	p.top = y
	add := func(name string, kind laneKind) *lane {
		l := &lane{name: name, kind: kind, top: y}
		p.lanes = append(p.lanes, l)
		return l
	}
	words := p.lanesWithWords()
	for _, register := range p.d.registers {
		l := add(register, registerLane)
		l.bars = y + 5
		l.baseline, l.words, l.bottom = l.bars+keyHeight/2, l.bars+keyHeight+15, l.bars+keyHeight+wordHeight
		y = l.bottom + laneGap
	}
	for _, name := range p.run.Processes {
		l := add(name, processLane)
		l.bars = y + 3
		for _, lease := range p.run.Leases {
			if lease.Client == name {
				l.row(lease.From, lease.Until)
			}
		}
		l.baseline = l.bars + float64(max(1, len(l.rows)))*(beliefHeight+rowGap) + 2
		if words[name] {
			l.baseline += wordHeight - 3
			l.words = l.baseline - 6
		}
		l.bottom = l.baseline + 4
		y = l.bottom + laneGap
	}
	y += 14
	for _, name := range p.run.Nodes {
		l := add(name, nodeLane)
		l.baseline, l.bars = y+4, y+8
		for _, k := range p.d.keys {
			if k.node == name {
				l.row(k.from, k.until)
			}
		}
		l.bottom = l.bars + float64(max(1, len(l.rows)))*(keyHeight+rowGap)
		if words[name] {
			l.words = l.bottom + wordHeight - 7
			l.bottom += wordHeight
		}
		y = l.bottom + laneGap
	}
	for _, l := range p.lanes {
		l.rows = nil // the bars take their rows again, in the same order
	}
	p.bottom = y
}

// lanesWithWords returns the names of processes and nodes beside whose signs there are
// words.
func (p *picture) lanesWithWords() map[string]bool {
	words := map[string]bool{}
	for _, e := range p.d.moments {
		switch e.Kind {
		case sim.Crash, sim.Restart, sim.ClockStep, sim.ClockRate, sim.Pause, sim.Resume, sim.NodeCall:
			words[cmp.Or(e.Node, e.Process)] = true
		}
	}
	for _, k := range p.d.keys {
		if p.lostWord(k) != "" {
			words[k.node] = true
		}
	}
	for _, r := range p.d.rounds {
		for _, q := range r.requests {
			if p.drawn(r, q) && p.teller.guarded(q) != nil {
				words[q.Node] = true
			}
		}
	}
	return words
}

// row takes the first row that is free for a bar.
func (l *lane) row(from, until time.Duration) int {
	i := slices.IndexFunc(l.rows, func(end time.Duration) bool { return end <= from })
	if i < 0 {
		i, l.rows = len(l.rows), append(l.rows, 0)
	}
	l.rows[i] = max(until, from+1)
	return i
}

// lane returns the lane of a process, node or register, or nil.
func (p *picture) lane(name string) *lane {
	if i := slices.IndexFunc(p.lanes, func(l *lane) bool { return l.name == name }); i >= 0 {
		return p.lanes[i]
	}
	return nil
}

func (p *picture) limits() svg.Box { return svg.Box{Left: p.left + 2, Right: p.width - 4} }

// rect draws a rectangle between two instants, at least three pixels wide.
func (p *picture) rect(
	l svg.Layer, from, until time.Duration, top, bottom float64, style string,
) (left, right float64) {
	left, right = p.scale.x(max(from, p.from)), p.scale.x(min(until, p.until))
	right = max(right, left+3)
	p.Rect(l, svg.Box{Left: left, Top: top, Right: right, Bottom: bottom}, style)
	return left, right
}

// cross draws the sign for the end of a message, a node or a process.
func (p *picture) cross(x, y, size float64, colour string) {
	across := svg.Px(2 * size)
	p.Path(svg.Marks, x-size, y-size, fmt.Sprintf("l%s %s m0 -%s l-%s %s", across, across, across, across, across), `stroke="`+colour+`" stroke-width="2.4" fill="none"`)
}

// inBar writes the first text that fits into a bar. Texts are ordered from the
// longest to the shortest. A zoom shows the shortest where none fits.
func (p *picture) inBar(left, right, y float64, texts ...string) {
	f := svg.Font{Size: textSize, Colour: paperColour, Bold: true, Offset: 5}
	limits := svg.Box{Left: left, Right: right}
	for i, text := range texts {
		fits := f.Length(text)+12 <= right-left
		if (fits || p.Zooms > 0 && i == len(texts)-1) && p.TryText(left, y, f, limits, text) {
			return
		}
	}
}

func appendNew(names []string, name string) []string {
	if name == "" || slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}
