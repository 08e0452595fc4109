package explain

import (
	"fmt"
	"slices"
	"strings"

	"redlocklab/sim/svg"
)

// owners are the colours of clients, after Okabe and Ito: dark enough for white
// letters, and different from the red of a violation. Every colour comes with
// letters, so that no reader depends on colours.
var owners = []string{"#0072b2", "#b8860b", "#009e73", "#8a4f9e", "#3a3a3a", "#4f9fd0", "#7d6608"}

const (
	inkColour       = "#1b1b1b"
	faintColour     = "#5f6368"
	lineColour      = "#c4c7cc"
	laneColour      = "#f6f7f8"
	breakColour     = "#eceef1"
	downColour      = "#4b4b4b"
	violationColour = "#c1121f"
	faultColour     = "#7a3b00"
	nobodyColour    = "#8c8c8c"
)

// colour returns the colour of a client. Keys without a known owner are grey.
func (r *Run) colour(client string) string {
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

// definitions returns the arrow heads and hatchings that the picture refers to.
func (r *Run) definitions() string {
	var b strings.Builder
	for i := range r.Processes {
		fmt.Fprintf(&b, `<marker id="head%d" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M0 1 L8 4 L0 7 z" fill="%s"/></marker>`+"\n",
			i, owners[i%len(owners)])
	}
	hatch := func(name, colour string, width, size float64, angle int) {
		fmt.Fprintf(&b, `<pattern id="%s" width="%s" height="%s" patternUnits="userSpaceOnUse" patternTransform="rotate(%d)"><line x1="0" y1="0" x2="0" y2="%s" stroke="%s" stroke-width="%s"/></pattern>`+"\n",
			name, svg.Px(size), svg.Px(size), angle, svg.Px(size), colour, svg.Px(width))
	}
	hatch("down", downColour, 4, 6, 45)
	hatch("pause", faintColour, 1.5, 7, -45)
	hatch("cut", faultColour, 1, 9, 90)
	hatch("overlap", violationColour, 1.5, 8, 45)
	return b.String()
}
