package explain

import (
	"fmt"
	"time"
)

// Collisions draws a run and lists the pairs of labels that touch, and the
// labels that leave the picture.
func Collisions(run *Run, options SVGOptions) []string {
	p := newPicture(run, options)
	p.draw()
	var found []string
	for i, a := range p.placed {
		if a.box.left < 0 || a.box.right > p.width || a.box.top < 0 || a.box.bottom > p.height {
			found = append(found, fmt.Sprintf("%q leaves the picture", a.text))
		}
		for _, b := range p.placed[:i] {
			if a.box.meets(b.box) {
				found = append(found, fmt.Sprintf("%q touches %q", a.text, b.text))
			}
		}
	}
	return found
}

// ScaleX lays instants out between left and right and gives the x of others.
func ScaleX(instants, asked []time.Duration, left, right float64) []float64 {
	laid := newScale(instants, left, right)
	var x []float64
	for _, t := range asked {
		x = append(x, laid.x(t))
	}
	return x
}
