package atlas

import (
	"cmp"
	"fmt"
	"slices"

	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
)

// Agreement is how a cell compares with its prediction.
type Agreement string

// The agreements. A cell that is undecided, or where the prediction is open, agrees with nothing.
const (
	Unpredicted Agreement = ""
	Agrees      Agreement = "agrees"
	Disagrees   Agreement = "disagrees"
	LeftOpen    Agreement = "open"
	NoVerdict   Agreement = "undecided"
)

// rule is a prediction that can be asked.
type rule struct {
	*plan.Prediction
	violated, none, open plan.Condition
}

// compile checks the predictions.
func (m *Map) compile() error {
	m.parameters = m.Spec.Map.Parameters(m.Scenario.Parameters)
	for i := range m.Spec.Map.Predictions {
		r := rule{Prediction: &m.Spec.Map.Predictions[i]}
		var errs [3]error
		r.violated, errs[0] = r.Violated.Compile(m.parameters)
		r.none, errs[1] = r.None.Compile(m.parameters)
		r.open, errs[2] = r.Open.Compile(m.parameters)
		if err := cmp.Or(errs[:]...); err != nil {
			return fmt.Errorf("%s: map.predicts[%d]: %w", m.Spec.File, i, err)
		}
		m.rules = append(m.rules, r)
	}
	return nil
}

// rule is the prediction about a subject by a judge; nil when there is none. The first that
// names them counts.
func (m *Map) rule(subject, judge string) *rule {
	for i := range m.rules {
		if r := &m.rules[i]; (r.Subject == "" || r.Subject == subject) && (r.Judge == "" || r.Judge == judge) {
			return r
		}
	}
	return nil
}

// predict asks a prediction about a place.
func (m *Map) predict(r *rule, p Place) (c campaign.Grade, open bool, err error) {
	values := slices.Clone(p.Values[:len(m.Axes)])
	for _, parameter := range m.parameters[len(m.Axes):] {
		value, err := parameter.Parse(parameter.Value)
		if err != nil {
			return campaign.Undecided, false, err
		}
		values = append(values, value)
	}
	ask := func(c plan.Condition) (holds bool) {
		if err == nil {
			holds, err = c.Holds(m.parameters, values)
		}
		return holds
	}
	c = campaign.Held
	switch {
	case ask(r.violated):
		c = campaign.Violated
	case ask(r.none):
		c = campaign.NoProgress
	}
	return c, ask(r.open), err
}

// Prediction says what the file predicts of a place, and whether what was seen agrees.
func (m *Map) prediction(p Place, judge string, seen Verdict) (Verdict, Agreement, error) {
	r := m.rule(m.Subjects[p.Subject], judge)
	if r == nil {
		return "", Unpredicted, nil
	}
	c, open, err := m.predict(r, p)
	predicted := wordOf(c, judge)
	switch {
	case open:
		return predicted, LeftOpen, err
	case seen == Undecided:
		return predicted, NoVerdict, err
	case seen == predicted:
		return predicted, Agrees, err
	}
	return predicted, Disagrees, err
}

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
