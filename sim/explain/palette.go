package explain

import (
	"fmt"
	"slices"
	"strings"

	"redlocklab/sim/svg"
)

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
