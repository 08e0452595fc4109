package explain

import (
	"fmt"
	"io"
	"slices"
	"time"

	"redlocklab/sim"
	"redlocklab/sim/svg"
)

const (
	pictureWidth = 1200.0
	leftMargin   = 66.0
	rightMargin  = 26.0
)

// SVG draws a run as one self-contained picture, with a lane per process and node
// and time from left to right. It writes the same bytes for the same run. The
// error wraps [ErrRun] or is that of the writer.
func SVG(w io.Writer, run *Run, options StoryOptions) error {
	if err := run.Validate(); err != nil {
		return err
	}
	p := newPicture(run, options)
	p.draw()
	_, err := io.WriteString(w, p.Document(p.width, p.height, p.story.Title, run.definitions()))
	return err
}

// picture is the layout of one run.
type picture struct {
	svg.Canvas
	run    *Run
	d      *digest
	story  *Story
	cause  *cause // nil when everything is drawn
	scale  *scale
	width  float64
	height float64
	lanes  []*lane
	top    float64 // of the first lane
	middle float64 // between the lanes of processes and those of nodes
	bottom float64 // of the last lane
	from   time.Duration
	until  time.Duration
	used   map[string]bool // signs that the picture uses and the legend explains
}

// lane is the horizontal strip of one process or node.
type lane struct {
	name     string
	process  bool
	top      float64
	bottom   float64
	baseline float64  // where messages begin and end
	bars     float64  // top of the first row of bars
	rows     []string // resources of beliefs, or keys, in order of appearance
}

func newPicture(run *Run, options StoryOptions) *picture {
	d := newDigest(run)
	p := &picture{run: run, d: d, story: tell(d, options), width: pictureWidth, until: d.end, used: map[string]bool{}}
	if options.CausalOnly && len(run.Violations) > 0 {
		p.cause = newCause(d)
		p.from, p.until = p.cause.from, p.cause.until
		for i := range run.Events {
			if e := &run.Events[i]; isFault(e) {
				p.from, p.until = min(p.from, e.At), max(p.until, e.At)
			}
		}
	}
	p.scale = newScale(p.instants(), leftMargin, p.width-rightMargin)
	return p
}

// inside reports whether an instant lies in the picture.
func (p *picture) inside(t time.Duration) bool { return t != none && t >= p.from && t <= p.until }

// drawn reports whether a request is drawn. Attempts that the story tells together
// with an earlier one get only a tick.
func (p *picture) drawn(r *round, q *request) bool {
	if r.repeated || r.cleans != nil && r.cleans.repeated || !p.inside(q.sent) || !r.purpose.AboutLock() {
		return false
	}
	e := sim.Event{At: q.sent, Kind: sim.Send, Process: r.process, Node: q.node, Key: r.key}
	return p.cause.matters(&e, p.d.changed(q.executeSeq))
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
	for _, r := range p.d.rounds {
		for _, q := range r.requests {
			if p.drawn(r, q) {
				add(q.sent, q.delivered, q.executed, q.replied, q.dropped)
			}
		}
	}
	for _, l := range p.run.Leases {
		add(l.From, l.Until)
	}
	for _, k := range p.d.keys {
		add(k.from, k.until)
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
	p.heading(32, svg.Font{Size: 19, Colour: inkColour, Bold: true}, p.story.Title)
	p.heading(53, svg.Font{Size: 12.5, Colour: faintColour}, p.story.Setting[0])
	y := p.numbers(74)
	y = p.overlaps(y + 12)
	p.layOut(y + 6)
	p.ground()
	p.shading()
	p.messages()
	p.beliefs()
	p.keys()
	p.signs()
	p.names()
	y = p.axis(p.bottom + 8)
	y = p.legend(y + 16)
	p.height = p.caption(y+22) + 16
}

// heading writes a text, shortened to the picture's width.
func (p *picture) heading(y float64, f svg.Font, text string) {
	p.Text(16, y, f, f.Fit(text, p.width-32))
}

// layOut computes the position of every lane.
func (p *picture) layOut(y float64) {
	p.top = y
	for _, name := range p.run.Processes {
		l := &lane{name: name, process: true, top: y, bars: y + 8}
		for _, lease := range p.run.Leases {
			if lease.Client == name {
				l.rows = appendNew(l.rows, lease.Resource)
			}
		}
		l.baseline = l.bars + float64(max(1, len(l.rows)))*23 + 17
		l.bottom = l.baseline + 9
		y = l.bottom + 4
		p.lanes = append(p.lanes, l)
	}
	p.middle = y
	y += 40
	for _, name := range p.run.Nodes {
		l := &lane{name: name, top: y, baseline: y + 8, bars: y + 15}
		for _, k := range p.d.keys {
			if k.node == name {
				l.rows = appendNew(l.rows, k.key)
			}
		}
		l.bottom = l.bars + float64(max(1, len(l.rows)))*17 + 16
		y = l.bottom + 4
		p.lanes = append(p.lanes, l)
	}
	p.bottom = y
}

func appendNew(names []string, name string) []string {
	if name == "" || slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}

// lane returns the lane of a process or node, or nil.
func (p *picture) lane(name string) *lane {
	if i := slices.IndexFunc(p.lanes, func(l *lane) bool { return l.name == name }); i >= 0 {
		return p.lanes[i]
	}
	return nil
}

// row returns the top of the bars of a resource or key in its lane.
func (l *lane) row(name string, height float64) float64 {
	return l.bars + float64(max(0, slices.Index(l.rows, name)))*height
}

// whole returns the limits of labels on lanes.
func (p *picture) whole() svg.Box { return svg.Box{Left: leftMargin - 6, Right: p.width - 4} }

// rect draws a rectangle between two instants, at least three pixels wide.
func (p *picture) rect(l svg.Layer, from, until time.Duration, top, bottom float64, style string) (left, right float64) {
	left, right = p.scale.x(max(from, p.from)), p.scale.x(min(until, p.until))
	right = max(right, left+3)
	p.Rect(l, svg.Box{Left: left, Top: top, Right: right, Bottom: bottom}, style)
	return left, right
}

// cross draws the sign for the end of a message, a node or a process.
func (p *picture) cross(l svg.Layer, x, y, size float64, colour string) {
	across := svg.Px(2 * size)
	p.Path(l, x-size, y-size, fmt.Sprintf("l%s %s m0 -%s l-%s %s", across, across, across, across, across), `stroke="`+colour+`" stroke-width="2.2" fill="none"`)
}

// inBar writes the first text that fits into a bar. Texts are ordered from the
// longest to the shortest.
func (p *picture) inBar(left, right, y, size float64, texts ...string) {
	f := svg.Font{Size: size, Colour: "#ffffff", Bold: true}
	for _, text := range texts {
		if f.Length(text)+8 <= right-left && p.TryText(left+4, y, f, p.whole(), text) {
			return
		}
	}
}
