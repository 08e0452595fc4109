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
	for i, a := range p.Labels() {
		if a.Box.Left < 0 || a.Box.Right > p.width || a.Box.Top < 0 || a.Box.Bottom > p.height {
			found = append(found, fmt.Sprintf("%q leaves the picture", a.Text))
		}
		for _, b := range p.Labels()[:i] {
			if a.Box.Meets(b.Box) {
				found = append(found, fmt.Sprintf("%q touches %q", a.Text, b.Text))
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
