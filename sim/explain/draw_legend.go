package explain

import (
	"fmt"
	"slices"
	"strconv"

	"redlocklab/sim/explain/times"
	"redlocklab/sim/svg"
)

// legend explains the signs that the picture uses. It returns its lower edge.
func (p *picture) legend(top float64) float64 {
	x, y := 16.0, top
	f := svg.Font{Size: textSize, Colour: inkColour}
	for _, s := range legendSigns {
		if !p.used[s.name] {
			continue
		}
		length := 34 + f.Length(s.words) + 18
		if x+length > p.width-10 {
			x, y = 16, y+26
		}
		p.Symbol(svg.Marks, x, y, s.drawing)
		p.Text(x+34, y+5.5, f, s.words)
		x += length
	}
	return y + 10
}

// legendSigns are 26 pixels wide, with their centre at (13, 0). Their names are those
// with which the picture marks its elements.
var legendSigns = []struct{ name, words, drawing string }{
	{"belief", "a client believes that it holds the lock", fmt.Sprintf(`<rect x="0" y="-8" width="26" height="16" fill="%s"/>`, owners[0])},
	{"key", "a node has that client's key", fmt.Sprintf(`<rect x="0" y="-5" width="26" height="10" fill="%s"/>`, owners[0])},
	{"overlap", "two clients hold one lock", fmt.Sprintf(`<rect x="0" y="-8" width="26" height="16" fill="%s" fill-opacity="0.16"/><rect x="0" y="-8" width="26" height="16" fill="url(#overlap)" fill-opacity="0.6"/>`, violationColour)},
	{"twice", "one client holds a lock twice", fmt.Sprintf(`<rect x="0" y="-8" width="26" height="16" fill="%s" fill-opacity="0.16"/><rect x="0" y="-8" width="26" height="16" fill="url(#overlap)" fill-opacity="0.6"/>`, violationColour)},
	{"instant", "the violation", fmt.Sprintf(`<line x1="13" y1="-9" x2="13" y2="9" stroke="%s" stroke-width="3" stroke-dasharray="6 3"/>`, violationColour)},
	{string(endReleased), "released", fmt.Sprintf(`<path d="M0 -6 H13 V6 H0 z" fill="%s"/><path d="M13 0 %s" fill="%s" stroke="%s" stroke-width="1.6"/>`, owners[0], endSigns[endReleased], paperColour, inkColour)},
	{string(endLapsed), "its time is over", fmt.Sprintf(`<path d="M0 -6 H13 V6 H0 z" fill="%s"/><path d="M13 0 %s" fill="%s" stroke="%s" stroke-width="1.6"/>`, owners[0], endSigns[endLapsed], paperColour, inkColour)},
	{string(endEdge), "goes on beyond the picture", fmt.Sprintf(`<path d="M0 -8 H26 V8 H0 z" fill="%s"/><path d="M24 0 %s" fill="none" stroke="%s" stroke-width="2"/>`, owners[0], endSigns[endEdge], paperColour)},
	{string(endLost), "a vote is lost early", fmt.Sprintf(`<rect x="0" y="-6" width="18" height="12" fill="%s"/><line x1="18" y1="-9" x2="18" y2="9" stroke="%s" stroke-width="4"/>`, owners[0], violationColour)},
	{"message", "request, and answer (dashed)", fmt.Sprintf(`<path d="M0 -4 H26" stroke="%s" stroke-width="1.5"/><path d="M0 5 H26" stroke="%s" stroke-width="1.5" stroke-dasharray="5 3"/>`, owners[0], owners[0])},
	{"vote", "the node agrees / refuses", fmt.Sprintf(`<circle cx="7" cy="0" r="4.5" fill="%s" stroke="%s" stroke-width="2"/><circle cx="20" cy="0" r="4.5" fill="%s" stroke="%s" stroke-width="2"/>`, owners[0], owners[0], paperColour, owners[0])},
	{"left out", "agrees, but the guard leaves the vote out", fmt.Sprintf(`<circle cx="13" cy="0" r="4.5" fill="%s" stroke="%s" stroke-width="2" stroke-dasharray="2.5 2"/>`, paperColour, owners[0])},
	{"lost", "message lost", fmt.Sprintf(`<path d="M0 0 H13" stroke="%s" stroke-width="1.5"/><path d="M9 -5 l10 10 m0 -10 l-10 10" stroke="%s" stroke-width="2.4"/>`, owners[0], inkColour)},
	{"again", "another attempt with the same result", fmt.Sprintf(`<path d="M5 -4 v9 M13 -4 v9 M21 -4 v9" stroke="%s" stroke-width="2"/>`, owners[0])},
	{"crash", "crash", fmt.Sprintf(`<path d="M6 -7 l14 14 m0 -14 l-14 14" stroke="%s" stroke-width="2.4"/>`, violationColour)},
	{"restart", "restart", fmt.Sprintf(`<path d="M13 -6 l6 11 h-12 z" fill="%s" stroke="%s" stroke-width="1.8"/>`, paperColour, inkColour)},
	{"down", "down", `<rect x="0" y="-8" width="26" height="16" fill="url(#down)" fill-opacity="0.55"/>`},
	{"pause", "paused", `<rect x="0" y="-8" width="26" height="16" fill="url(#pause)"/>`},
	{"cut", "messages are stopped", fmt.Sprintf(`<rect x="0" y="-8" width="26" height="16" fill="%s" fill-opacity="0.10"/><rect x="0" y="-8" width="26" height="16" fill="url(#cut)" fill-opacity="0.35"/>`, faultColour)},
	{"delay", "messages are delayed", fmt.Sprintf(`<rect x="0" y="-8" width="26" height="16" fill="%s" fill-opacity="0.10"/><rect x="0" y="-8" width="26" height="16" fill="url(#cut)" fill-opacity="0.35"/>`, faultColour)},
	{"clock", "a clock is changed", fmt.Sprintf(`<circle cx="13" cy="0" r="7" fill="%s" stroke="%s" stroke-width="1.8"/><path d="M13 0 v-4.5 m0 4.5 h4" stroke="%s" stroke-width="1.6" fill="none"/>`, paperColour, faultColour, faultColour)},
	{"operator", "somebody else changes keys", fmt.Sprintf(`<path d="M13 -7 l7 7 l-7 7 l-7 -7 z" fill="%s"/>`, faultColour)},
	{"access", "access to the resource: write / read", fmt.Sprintf(`<path d="M7 -7 l7 7 l-7 7 l-7 -7 z" fill="%s"/><path d="M20 -5 l5 5 l-5 5 l-5 -5 z" fill="%s" stroke="%s" stroke-width="1.8"/>`, owners[0], paperColour, owners[0])},
	{"value", "whose write the register holds", fmt.Sprintf(`<rect x="0" y="-7" width="26" height="14" fill="%s"/>`, owners[0])},
	{"refused", "the register refuses", fmt.Sprintf(`<path d="M13 -8 l8 8 l-8 8 l-8 -8 z" fill="%s" stroke="%s" stroke-width="2"/><path d="M9 -4 l8 8 m0 -8 l-8 8" stroke="%s" stroke-width="2.4"/>`, paperColour, owners[0], violationColour)},
	{"stale", "stale: its lease is over", fmt.Sprintf(`<path d="M13 -6 l6 6 l-6 6 l-6 -6 z" fill="%s"/><path d="M13 -10 l10 10 l-10 10 l-10 -10 z" fill="none" stroke="%s" stroke-width="2.4"/>`, owners[0], violationColour)},
	{"decisive", "without this, nothing is violated", fmt.Sprintf(`<circle cx="13" cy="0" r="9" fill="none" stroke="%s" stroke-width="3"/>`, inkColour)},
	{"break", "idle time left out", fmt.Sprintf(`<rect x="2" y="-8" width="22" height="16" fill="%s"/><path d="M6 6 l5 -12 m4 12 l5 -12" stroke="%s" stroke-width="1.8" fill="none"/>`, breakColour, faintColour)},
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
	const leading = 22.0
	shown := p.shown()
	y, column := top, 40.0 // the right edge of the numbers
	numbers := svg.Font{Size: textSize, Bold: true, Anchor: svg.End}
	for _, l := range shown {
		column = max(column, numbers.Length(strconv.Itoa(l.Number))+4)
	}
	write := func(number, text, colour string, bold bool) {
		f := svg.Font{Size: textSize, Colour: colour, Bold: bold}
		numbers.Colour = colour
		for i, part := range f.Wrap(text, p.width-column-34) {
			if i == 0 && number != "" {
				p.Text(column, y, numbers, number)
			}
			p.Text(column+10, y, f, part)
			y += leading
		}
		y += 3
	}
	for _, l := range shown {
		p.About(fmt.Sprintf(`data-line="%d"`, l.Number))
		write(strconv.Itoa(l.Number), times.Instant(l.At)+" — "+l.Text, l.Mark.colour(), l.Mark == MarkViolation)
	}
	p.About("")
	if left := len(p.story.Lines) - len(shown); left > 0 {
		write("", fmt.Sprintf("… and %d lines more in the story.", left), faintColour, false)
	}
	y += 4
	for _, v := range p.story.Verdict {
		write("", v, inkColour, true)
	}
	return y
}
