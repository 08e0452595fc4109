package explain

import (
	"slices"
	"time"

	"redlocklab/sim"
)

// ScaleX lays instants out between left and right and gives the x of others.
func ScaleX(instants, asked []time.Duration, left, right float64) []float64 {
	laid := newScale(instants, left, right, false)
	var x []float64
	for _, t := range asked {
		x = append(x, laid.x(t))
	}
	return x
}

// Scale returns the bursts of a run's picture, and the labels of its axis.
func Scale(run *Run, width float64) (bursts []Burst, labels []string) {
	p := newPicture(newDigest(run), StoryOptions{}, width)
	p.scale = newScale(p.instants(), 60, width-rightMargin, false)
	for _, t := range p.scale.ticks(1) {
		labels = append(labels, t.label)
	}
	return p.scale.Bursts, labels
}

// Palette lists the colours in which the picture writes, those on which it does, and
// those of clients and trouble, on which it writes in white.
func Palette() (inks, grounds, owned []string) {
	return []string{inkColour, faintColour, violationColour, faultColour}, []string{paperColour, laneColour},
		slices.Concat(owners, []string{violationColour, faultColour})
}

// Claim is a part of a line's text, with the events that it is about.
type Claim struct {
	Text, Process string
	Purpose       sim.Purpose
	Events        []int
	End           int
}

// Claims lists the parts of a line.
func Claims(l *Line) []Claim {
	var all []Claim
	for _, c := range l.claims {
		all = append(all, Claim{c.text, c.process, c.purpose, c.events, c.end})
	}
	return all
}
