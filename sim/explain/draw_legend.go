package explain

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"redlocklab/sim/svg"
	"redlocklab/sim/words"
)

// legend explains the signs that the picture uses. It returns its lower edge.
func (p *picture) legend(top float64) float64 {
	x, y := 16.0, top
	f := svg.Font{Size: textSize, Colour: inkColour}
	for _, s := range legendSigns {
		if !p.used[s.Name] {
			continue
		}
		length := 34 + f.Length(s.Words) + 18
		if x+length > p.width-10 {
			x, y = 16, y+26
		}
		p.Symbol(svg.Marks, x, y, s.Drawing)
		p.Text(x+34, y+5.5, f, s.Words)
		x += length
	}
	return y + 10
}

//go:embed legend.txt
var legendText string

// legendSigns are the signs of legend.txt: a line each, of a name, words and a drawing. Drawings
// are 26 pixels wide, with their centre at (13, 0). The names are those with which the picture
// marks its elements.
var legendSigns = func() (signs []Sign) {
	colours := strings.NewReplacer(
		"{owner}", owners[0], "{violation}", violationColour, "{fault}", faultColour, "{paper}", paperColour,
		"{ink}", inkColour, "{faint}", faintColour, "{break}", breakColour,
		"{released}", endSigns[endReleased], "{lapsed}", endSigns[endLapsed], "{edge}", endSigns[endEdge],
	)
	for line := range strings.Lines(legendText) {
		parts := strings.Split(strings.TrimSuffix(line, "\n"), " | ")
		signs = append(signs, Sign{parts[0], parts[1], colours.Replace(parts[2])})
	}
	return signs
}()

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
		for i, part := range svg.Wrap(text, p.width-column-34, f.Length) {
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
		write(strconv.Itoa(l.Number), words.Instant(l.At)+" — "+l.Text, l.Mark.colour(), l.Mark == MarkViolation)
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

// owners are the colours of clients. White letters on them, and they on a lane, have a
// contrast of 4.5:1 at least. The first three differ in grey, and all differ for
// deuteranopes. Trouble has warm colours, clients have cold ones. Every colour comes with
// letters, so that no reader depends on colours.
var owners = []string{"#0072b2", "#00503c", "#22262b", "#6a2c91", "#4a5f6a"}

const (
	inkColour       = "#1b1b1b"
	faintColour     = "#565a60"
	lineColour      = "#d4d7db"
	laneColour      = "#f3f4f6"
	breakColour     = "#e4e7eb"
	downColour      = "#4b4b4b"
	violationColour = "#c1121f"
	faultColour     = "#7a3b00"
	nobodyColour    = "#5c6066"
	paperColour     = "#ffffff"
)

// Colour returns the colour of a client. Keys without a known owner are grey.
func (r *Run) Colour(client string) string {
	i := slices.Index(r.Processes, client)
	if i < 0 {
		return nobodyColour
	}
	return owners[i%len(owners)]
}

// colour returns the colour of a line of the story.
func (m Mark) colour() string {
	switch m {
	case MarkFault:
		return faultColour
	case MarkViolation:
		return violationColour
	}
	return inkColour
}

// Definitions are the hatchings, in SVG, to which drawings refer.
func Definitions() string {
	var b strings.Builder
	hatch := func(name, colour string, width, size float64, angle int) {
		fmt.Fprintf(&b, `<pattern id="%s" width="%s" height="%s" patternUnits="userSpaceOnUse" patternTransform="rotate(%d)"><line x1="0" y1="0" x2="0" y2="%s" stroke="%s" stroke-width="%s"/></pattern>`+"\n",
			name, svg.Px(size), svg.Px(size), angle, svg.Px(size), colour, svg.Px(width))
	}
	hatch("down", downColour, 4, 6, 45)
	hatch("pause", faintColour, 1.5, 7, -45)
	hatch("cut", faultColour, 1, 9, 90)
	hatch("overlap", violationColour, 2, 8, 45)
	return b.String()
}
