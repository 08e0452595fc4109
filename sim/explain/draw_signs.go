package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"redlocklab/sim"
	"redlocklab/sim/svg"
)

// signs draws events that have no duration: crashes, restarts, clocks, accesses.
func (p *picture) signs() {
	for _, e := range p.d.moments {
		l := p.lane(cmp.Or(e.Node, e.Process))
		if l == nil || !p.inside(e.At) {
			continue
		}
		x, y := p.scale.x(e.At), l.baseline
		switch e.Kind {
		case sim.Crash:
			p.used["crash"] = true
			p.cross(svg.Marks, x, y, 6, violationColour)
			p.beside(x, l, "crash")
		case sim.Restart:
			p.used["restart"] = true
			p.Path(svg.Marks, x, y-5, "l5 9 h-10 z", `fill="#ffffff" stroke="`+inkColour+`" stroke-width="1.6"`)
			p.beside(x, l, "restart")
		case sim.ClockStep:
			p.clock(x, y)
			p.beside(x, l, "clock "+signed(e.Duration))
		case sim.ClockRate:
			p.clock(x, y)
			p.beside(x, l, "clock "+ppm(e.PPM))
		case sim.Pause:
			p.beside(x, l, "paused")
		case sim.Resume:
			p.beside(x, l, "continues")
		case sim.NodeCall:
			p.beside(x, l, strings.TrimSpace(e.Command+" from outside"))
		case sim.Access:
			p.used["access"] = true
			p.Path(svg.Marks, x, y-6, "l6 6 l-6 6 l-6 -6 z", `fill="`+p.run.colour(e.Process)+`" stroke="#ffffff"`)
			p.beside(x, l, e.Detail)
		}
	}
}

func (p *picture) clock(x, y float64) {
	p.used["clock"] = true
	p.Circle(svg.Marks, x, y, 6.5, `fill="#ffffff" stroke="`+faultColour+`" stroke-width="1.8"`)
	p.Path(svg.Marks, x, y, "v-4.5 m0 4.5 h3.5", `stroke="`+faultColour+`" stroke-width="1.6" fill="none"`)
}

// beside writes a word next to a sign if there is room: under the keys of a node,
// or above the line of a process.
func (p *picture) beside(x float64, l *lane, word string) {
	f := svg.Font{Size: 10, Colour: inkColour, Bold: true}
	y := l.bottom - 4
	if l.process {
		y = l.baseline - 7
	}
	for _, side := range []struct {
		anchor svg.Anchor
		offset float64
	}{{svg.Start, 8}, {svg.End, -8}, {svg.Middle, 0}} {
		f.Anchor = side.anchor
		if word == "" || p.TryText(x+side.offset, y, f, p.whole(), word) {
			return
		}
	}
}

// legend explains the signs that the picture uses. It returns its lower edge.
func (p *picture) legend(top float64) float64 {
	x, y := 16.0, top
	f := svg.Font{Size: 11, Colour: inkColour}
	for _, s := range legendSigns {
		if !p.used[s.name] {
			continue
		}
		length := 34 + f.Length(s.words) + 18
		if x+length > p.width-10 {
			x, y = 16, y+20
		}
		p.Symbol(svg.Marks, x, y, s.drawing)
		p.Text(x+32, y+4, f, s.words)
		x += length
	}
	return y + 10
}

// legendSigns are 26 pixels wide, with their centre at (13, 0).
var legendSigns = []struct{ name, words, drawing string }{
	{"belief", "a client believes that it holds the lock", fmt.Sprintf(`<rect x="0" y="-7" width="26" height="14" rx="3" fill="%s"/>`, owners[0])},
	{"key", "a node has that client's key", fmt.Sprintf(`<rect x="0" y="-5" width="26" height="10" fill="%s" fill-opacity="0.82"/>`, owners[0])},
	{"overlap", "two clients hold one lock", fmt.Sprintf(`<rect x="0" y="-7" width="26" height="14" fill="%s"/>`, violationColour)},
	{"instant", "the violation", fmt.Sprintf(`<line x1="13" y1="-8" x2="13" y2="8" stroke="%s" stroke-width="2.5" stroke-dasharray="6 3"/>`, violationColour)},
	{"message", "request, and answer (dashed)", fmt.Sprintf(`<path d="M0 -3 H24 M26 4 H2" stroke="%s" fill="none"/><path d="M0 4 H26" stroke="#ffffff" stroke-dasharray="2 3"/>`, owners[0])},
	{"vote", "the node agrees / refuses", fmt.Sprintf(`<circle cx="7" cy="0" r="3.4" fill="%s" stroke="%s" stroke-width="1.5"/><circle cx="20" cy="0" r="3.4" fill="#ffffff" stroke="%s" stroke-width="1.5"/>`, owners[0], owners[0], owners[0])},
	{"lost", "message lost", fmt.Sprintf(`<path d="M0 0 H13" stroke="%s"/><path d="M10 -4 l8 8 m0 -8 l-8 8" stroke="%s" stroke-width="2.2"/>`, owners[0], inkColour)},
	{"again", "another attempt with the same result", fmt.Sprintf(`<path d="M5 -4 v9 M13 -4 v9 M21 -4 v9" stroke="%s" stroke-width="2"/>`, owners[0])},
	{"lost key", "a vote is lost early", fmt.Sprintf(`<rect x="0" y="-5" width="18" height="10" fill="%s" fill-opacity="0.82"/><line x1="18" y1="-8" x2="18" y2="8" stroke="%s" stroke-width="3"/>`, owners[0], violationColour)},
	{"crash", "crash", fmt.Sprintf(`<path d="M7 -6 l12 12 m0 -12 l-12 12" stroke="%s" stroke-width="2.2"/>`, violationColour)},
	{"restart", "restart", fmt.Sprintf(`<path d="M13 -5 l5 9 h-10 z" fill="#ffffff" stroke="%s" stroke-width="1.6"/>`, inkColour)},
	{"down", "down", `<rect x="0" y="-7" width="26" height="14" fill="url(#down)" fill-opacity="0.55"/>`},
	{"pause", "paused", `<rect x="0" y="-7" width="26" height="14" fill="url(#pause)"/>`},
	{"cut", "messages are stopped", fmt.Sprintf(`<rect x="0" y="-7" width="26" height="14" fill="%s" fill-opacity="0.10"/><rect x="0" y="-7" width="26" height="14" fill="url(#cut)" fill-opacity="0.35"/>`, faultColour)},
	{"delay", "messages are delayed", fmt.Sprintf(`<rect x="0" y="-7" width="26" height="14" fill="%s" fill-opacity="0.10"/><rect x="0" y="-7" width="26" height="14" fill="url(#cut)" fill-opacity="0.35"/>`, faultColour)},
	{"clock", "a clock is changed", fmt.Sprintf(`<circle cx="13" cy="0" r="6.5" fill="#ffffff" stroke="%s" stroke-width="1.8"/><path d="M13 0 v-4.5 m0 4.5 h3.5" stroke="%s" stroke-width="1.6" fill="none"/>`, faultColour, faultColour)},
	{"access", "access to the protected resource", fmt.Sprintf(`<path d="M13 -6 l6 6 l-6 6 l-6 -6 z" fill="%s"/>`, owners[0])},
	{"break", "idle time left out", fmt.Sprintf(`<rect x="2" y="-8" width="22" height="16" fill="%s"/><path d="M7 5 l4 -10 m3 10 l4 -10" stroke="%s" stroke-width="1.4" fill="none"/>`, breakColour, faintColour)},
}

// captionLimit is the largest number of lines of the story in a picture.
const captionLimit = 30

// shown returns the lines of the story that the picture contains. If there are too
// many, violations come first, then faults, then other marked lines.
func (p *picture) shown() []Line {
	lines := p.story.Lines
	if len(lines) <= captionLimit {
		return lines
	}
	var shown []Line
	for _, wanted := range [][]Mark{{MarkViolation}, {MarkFault}, {MarkHolds, MarkAccess}} {
		for _, l := range lines {
			if slices.Contains(wanted, l.Mark) && len(shown) < captionLimit {
				shown = append(shown, l)
			}
		}
	}
	slices.SortFunc(shown, func(a, b Line) int { return a.Number - b.Number })
	return shown
}

// caption writes the story under the picture. It returns its lower edge.
func (p *picture) caption(top float64) float64 {
	const size, leading = 12.5, 17.0
	shown := p.shown()
	y := top
	write := func(number, text, colour string, bold bool) {
		f := svg.Font{Size: size, Colour: colour, Bold: bold}
		for i, part := range f.Wrap(text, p.width-70) {
			if i == 0 && number != "" {
				p.Text(36, y, svg.Font{Size: size, Colour: colour, Bold: true, Anchor: svg.End}, number)
			}
			p.Text(46, y, f, part)
			y += leading
		}
		y += 2
	}
	for _, l := range shown {
		write(strconv.Itoa(l.Number), instant(l.At)+" — "+l.Text, l.Mark.colour(), l.Mark == MarkViolation)
	}
	if left := len(p.story.Lines) - len(shown); left > 0 {
		write("", fmt.Sprintf("… and %d lines more in the story.", left), faintColour, false)
	}
	y += 4
	for _, v := range p.story.Verdict {
		write("", v, inkColour, true)
	}
	return y
}
