package atlas

import "redlocklab/scenarios/campaign"

// fine is into how many squares an axis is cut where the predicted border is looked for.
const fine = 60

// formula is the predicted border in the panel of a line: pieces of it, found by asking the
// corners of small squares and halving the sides whose ends differ.
func (m *Map) formula(l *Line) ([][4]float64, error) {
	r := m.rule(l.Subject, l.Judge)
	if r == nil {
		return nil, nil
	}
	horizontal, vertical := edges(m.Axes[0].Values), edges(m.Axes[1].Values)
	var failed error
	at := func(x, y float64) campaign.Grade {
		p := l.Place
		p.Values[0], p.Values[1] = int64(x), int64(y)
		c, _, err := m.predict(r, p)
		if err != nil {
			failed = err
		}
		return c
	}
	x := func(i int) float64 { return between(horizontal[0], horizontal[len(horizontal)-1], i) }
	y := func(i int) float64 { return between(vertical[0], vertical[len(vertical)-1], i) }
	var corners [fine + 1][fine + 1]campaign.Grade
	for i := range corners {
		for j := range corners[i] {
			corners[i][j] = at(x(i), y(j))
		}
	}
	var pieces [][4]float64
	for i := range fine {
		for j := range fine {
			square := [4][2]int{{i, j}, {i + 1, j}, {i + 1, j + 1}, {i, j + 1}}
			var crossed [][2]float64
			for k, from := range square {
				to := square[(k+1)%4]
				if corners[from[0]][from[1]] != corners[to[0]][to[1]] {
					crossed = append(crossed, crossing(at, x(from[0]), y(from[1]), x(to[0]), y(to[1])))
				}
			}
			for k := 0; k+1 < len(crossed); k += 2 {
				pieces = append(pieces, [4]float64{crossed[k][0], crossed[k][1], crossed[k+1][0], crossed[k+1][1]})
			}
		}
	}
	return pieces, failed
}

func between(low, high float64, i int) float64 { return low + (high-low)*float64(i)/fine }

// crossing halves a side until the border on it is found.
func crossing(at func(x, y float64) campaign.Grade, x1, y1, x2, y2 float64) [2]float64 {
	first := at(x1, y1)
	for range 12 {
		x, y := (x1+x2)/2, (y1+y2)/2
		if at(x, y) == first {
			x1, y1 = x, y
		} else {
			x2, y2 = x, y
		}
	}
	return [2]float64{(x1 + x2) / 2, (y1 + y2) / 2}
}
