package explain

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"redlocklab/sim/svg"
)

// View is a run made ready for a page: its story, its states, and its drawings.
type View struct {
	Run        *Run
	Story      *Story
	Moments    []Moment // one for each line of the story, in their order
	Tracks     []Track
	Compressed Sheet // without idle time
	True       Sheet // with equal widths for equal times throughout

	used map[string]bool // signs
}

// Moment is a place in a run at which a reader can stop. Several events may have the same
// time, so that the time alone does not say which.
type Moment struct {
	At     time.Duration
	Events int // how many events have happened by then
}

// Track is how one client, node or register changes over a run.
type Track struct {
	Kind    string // "client", "node" or "register"
	Name    string
	Colour  string // of a client
	Changes []Change
}

// Change is a new state, which lasts until the next change of its track. It is in
// force at a moment that is not earlier by time, nor by the number of events.
type Change struct {
	Moment
	State any // a [ClientState], [NodeState] or [RegisterState]
}

// MarshalJSON implements json.Marshaler: [time, number of events, state].
func (c Change) MarshalJSON() ([]byte, error) { return json.Marshal([]any{c.At, c.Events, c.State}) }

// Sheet is a drawing whose width a page may change. Its elements carry what they show:
// data-e lists numbers of events, data-m is the number of a message, data-line that of a
// line of the story, and data-s the name of a sign of [Legend].
type Sheet struct {
	Names, Body   string   // SVG elements: the names of the lanes, and what lies beside them
	Zoomed        []string // by the number of doublings, from one on: labels for which there is room then
	Width, Height float64
	Zooms         int // how many times a page may double the width
	Bursts        []Burst
	NamesWidth    float64 `json:"-"`
}

// Sign is a sign of the drawings, with what it means. Drawing is SVG elements, 26 pixels
// wide, around (13, 0).
type Sign struct{ Name, Words, Drawing string }

// Legend lists the signs that some views use, or all of them without any view.
func Legend(views ...View) []Sign {
	var signs []Sign
	for _, s := range legendSigns {
		if len(views) == 0 || slices.ContainsFunc(views, func(v View) bool { return v.used[s.Name] }) {
			signs = append(signs, s)
		}
	}
	return signs
}

// NewViews makes runs ready for one page, with a common scale. The width is that of a
// drawing with the names of its lanes, in pixels. The error wraps [ErrRun].
func NewViews(runs []*Run, options StoryOptions, width float64) ([]View, error) {
	var compressed, linear []*picture
	for _, run := range runs {
		if err := run.Validate(); err != nil {
			return nil, err
		}
		d := newDigest(run)
		compressed = append(compressed, newPicture(d, options, width))
		linear = append(linear, newPicture(d, options, width))
	}
	var views []View
	short, whole := sheets(compressed, false), sheets(linear, true)
	for i, p := range compressed {
		views = append(views, View{
			Run: p.run, Story: p.story, Moments: momentsOf(p.run, p.story.Lines), Tracks: tracks(p.d),
			Compressed: short[i], True: whole[i], used: p.used,
		})
	}
	return views, nil
}

const sheetMargin = 28.0 // to the left and to the right of the time axis

// sheets draws pictures with a common scale.
func sheets(pictures []*picture, linear bool) []Sheet {
	var instants []time.Duration
	from, until := pictures[0].from, pictures[0].until
	for _, p := range pictures {
		from, until = min(from, p.from), max(until, p.until)
	}
	names := 0.0
	for _, p := range pictures {
		p.from, p.until, p.all = from, until, linear
		instants = append(instants, p.instants()...)
		names = max(names, p.namesWidth())
	}
	for _, p := range pictures {
		p.width -= names
	}
	instants = append(instants, from, until)
	common := newScale(instants, sheetMargin, pictures[0].width-rightMargin, linear)
	var drawn []Sheet
	for i, p := range pictures {
		p.scale, p.Zooms, p.headings, p.left, p.namesRoom = common, common.zooms(instants), &svg.Canvas{}, 0, names
		drawn = append(drawn, p.sheet(i == len(pictures)-1))
	}
	return drawn
}

// sheet draws the picture without heading, legend and caption. Drawings one above the
// other share the axis of the last.
func (p *picture) sheet(axis bool) Sheet {
	y := p.tags(22)
	y = p.overlaps(y + 4)
	p.layOut(y + 6)
	p.lanesAndBars()
	height := p.bottom + 6
	if axis {
		height = p.axis(p.bottom+8) + 2
	}
	return Sheet{
		Names: p.headings.Elements(), Body: p.Elements(), Zoomed: p.Zoomed(), NamesWidth: p.namesRoom,
		Width: p.width, Height: height, Bursts: p.scale.Bursts, Zooms: p.Zooms,
	}
}

// tags draws the numbers of the story's lines in one row, the most important ones
// first; a zoom shows the others. It returns the lower edge.
func (p *picture) tags(y float64) float64 {
	lines := slices.Clone(p.story.Lines)
	rank := map[Mark]int{MarkViolation: -3, MarkFault: -2, MarkHolds: -1}
	slices.SortStableFunc(lines, func(a, b Line) int { return cmp.Compare(rank[a.Mark], rank[b.Mark]) })
	limits := svg.Box{Left: 0, Right: p.width}
	for _, line := range lines {
		if !p.inside(line.At) {
			continue
		}
		p.About(`data-line="` + strconv.Itoa(line.Number) + `"`)
		f := svg.Font{Size: 17, Colour: line.Mark.colour(), Bold: true, Anchor: svg.Middle}
		p.TryText(p.scale.x(line.At), y+6, f, limits, strconv.Itoa(line.Number))
	}
	p.About("")
	return y + 10
}
