package plan

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Measure is what a map shows of its runs.
type Measure string

// The measures.
const (
	MeasureVerdict  Measure = "verdict"  // of each cell: two holders, one, no progress, undecided
	MeasureViolated Measure = "violated" // the share of runs in which something was violated
	MeasureMargin   Measure = "margin"   // the worst margin between two beliefs, negative for an overlap
	MeasureTime     Measure = "time"     // the time that the first liveness goal took
)

// Words returns all measures.
func (Measure) Words() []Measure {
	return []Measure{MeasureVerdict, MeasureViolated, MeasureMargin, MeasureTime}
}

// Map is what "simulate map NAME" plays by default: a scenario over one axis, which is drawn
// as lines, or over two, which make cells.
type Map struct {
	X      Axis  `json:"x"`
	Y      *Axis `json:"y,omitempty"`
	Panels *Axis `json:"panels,omitempty"` // a picture, or without Y a line, per value
	// Cells is into how many values a range of X and of Y is cut.
	Cells   [2]int  `json:"cells"`
	Measure Measure `json:"measure"`
	Seeds   Seeds   `json:"seeds"`
	// Judges are the oracles that say which cells are violated, each with panels of its
	// own. None is the oracles about two holders, together.
	Judges      []string     `json:"judges,omitempty"`
	Predictions []Prediction `json:"predicts,omitempty"`
}

// Prediction says where cells are violated, and where nobody gets on. It is stated before the first run.
type Prediction struct {
	Subject  string  `json:"subject,omitempty"` // a title; empty: every other
	Judge    string  `json:"judge,omitempty"`   // one of the map's; empty: every other
	Violated Formula `json:"violated"`
	None     Formula `json:"none,omitempty"` // where a liveness goal is missed and nothing is violated
	// Open is where the formulas say nothing, such as nearer to the border than one round.
	Open    Formula `json:"open,omitempty"`
	Because string  `json:"because"`
}

// Axes are the map's, in the order of its lines.
func (m *Map) Axes() []Axis {
	axes := []Axis{m.X}
	for _, a := range []*Axis{m.Y, m.Panels} {
		if a != nil {
			axes = append(axes, *a)
		}
	}
	return axes
}

// Parameters are those that formulas know: the axes, then the others of a list.
func (m *Map) Parameters(others []Parameter) []Parameter {
	var list []Parameter
	for _, axis := range m.Axes() {
		list = append(list, axis.Parameter)
	}
	for _, p := range others {
		if !slices.ContainsFunc(list, func(known Parameter) bool { return known.Name == p.Name }) {
			list = append(list, p)
		}
	}
	return list
}

// CellsDefault is into how many values a range is cut.
const CellsDefault = 20

// Cut gives an axis that is a range its values.
func (m *Map) Cut() {
	m.X.cut(cmp.Or(m.Cells[0], CellsDefault))
	if m.Y != nil {
		m.Y.cut(cmp.Or(m.Cells[1], CellsDefault))
	}
}

// Axis is a parameter with the values that it takes.
type Axis struct {
	Parameter Parameter `json:"parameter"`
	Values    []int64   `json:"values,omitempty"` // in the unit of the parameter's kind
	Range     []int64   `json:"range,omitempty"`  // its ends, of an axis that is to be cut
}

// cut spreads n values evenly over a range, with both ends. Times are rounded to a unit that
// is small against their distance.
func (a *Axis) cut(n int) {
	if len(a.Range) == 0 || len(a.Values) > 0 {
		return
	}
	low, span, unit := a.Range[0], a.Range[1]-a.Range[0], int64(1)
	for a.Parameter.Kind == DurationParameter && unit < int64(time.Millisecond) && span/int64(n) >= unit*10_000 {
		unit *= 1000
	}
	a.Values = []int64{a.Range[0]}
	steps := int64(max(1, n-1))
	for i := int64(1); i <= steps; i++ {
		v := (low + span/steps*i + span%steps*i/steps + unit/2) / unit * unit
		if i == steps {
			v = a.Range[1]
		}
		if v > a.Values[len(a.Values)-1] {
			a.Values = append(a.Values, v)
		}
	}
}

// mostValues bounds the values of one axis.
const mostValues = 10_000

// Axis reads values of the parameter: "0:20000:500" (from, to, step), "1,2,5", one value, or
// "0s..14s", a range that is to be cut.
func (p Parameter) Axis(values string) (Axis, error) {
	a := Axis{Parameter: p}
	err := a.parse(values)
	if err != nil {
		return Axis{}, fmt.Errorf("%s: %w", p.Name, err)
	}
	return a, nil
}

func (a *Axis) parse(values string) error {
	p := a.Parameter
	if low, high, isRange := strings.Cut(values, ".."); isRange && p.Kind != WordParameter {
		from, errFrom := p.Parse(low)
		to, errTo := p.Parse(high)
		if errFrom == nil && errTo == nil && from >= to {
			return fmt.Errorf("found %q; allowed: a range from a value to a larger one", values)
		}
		a.Range = []int64{from, to}
		return errors.Join(errFrom, errTo)
	}
	parts := strings.Split(values, ":")
	switch {
	case len(parts) == 1:
		for value := range strings.SplitSeq(values, ",") {
			n, err := p.Parse(strings.TrimSpace(value))
			if err == nil && slices.Contains(a.Values, n) {
				err = fmt.Errorf("found %q twice; allowed: each value once", value)
			}
			if err != nil {
				return err
			}
			a.Values = append(a.Values, n)
		}
		if p.Kind != WordParameter {
			slices.Sort(a.Values) // borders lie between neighbours
		}
		return nil
	case p.Kind == WordParameter:
		return fmt.Errorf("found %q; allowed: one value, or several like a,b,c", values)
	case len(parts) != 3:
		return fmt.Errorf("found %q; allowed: one value, several like a,b,c, a range like from..to, or from:to:step", values)
	}
	from, errFrom := p.Parse(parts[0])
	to, errTo := p.Parse(parts[1])
	step, errStep := p.parseAny(parts[2])
	if err := errors.Join(errFrom, errTo, errStep); err != nil {
		return err
	}
	if step <= 0 || to < from || (to-from)/step >= mostValues {
		return fmt.Errorf("found %q; allowed: a step above zero from a value to one that is not smaller, %d values at most", values, mostValues)
	}
	for n := from; n <= to; n += step {
		a.Values = append(a.Values, n)
	}
	return nil
}
