package explain

import "time"

// ScaleX lays instants out between left and right and gives the x of others.
func ScaleX(instants, asked []time.Duration, left, right float64) []float64 {
	laid := newScale(instants, left, right)
	var x []float64
	for _, t := range asked {
		x = append(x, laid.x(t))
	}
	return x
}
