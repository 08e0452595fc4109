package plan

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Measure is what a curve shows of its runs.
type Measure string

// The measures: in which share of the runs something was violated; the worst
// margin between two beliefs (negative for an overlap); the time that the first liveness goal took.
const (
	MeasureViolated Measure = "violated"
	MeasureMargin   Measure = "margin"
	MeasureTime     Measure = "time"
)

// Curve is what "simulate sweep NAME" plays without being told more: the verdict
// of a claim that is about a quantity.
type Curve struct {
	Over    []Axis  `json:"over"` // the first is what the curve runs along; each combination of the others is a line
	Measure Measure `json:"measure"`
	Seeds   Seeds   `json:"seeds"`
}

// Axis is a parameter with the values that it is to have, one after the other.
type Axis struct {
	Parameter Parameter `json:"parameter"`
	Values    []int64   `json:"values"` // in the unit of the parameter's kind
}

// most bounds the values of one axis.
const mostValues = 10_000

// ParseAxis reads the values of a parameter: "0:20000:500" (from, to, step), "1,2,5" or one value.
func (s *Scenario) ParseAxis(name, values string) (Axis, error) {
	p, err := s.Parameter(name)
	if err != nil {
		return Axis{}, err
	}
	a := Axis{Parameter: p}
	parts := strings.Split(values, ":")
	if len(parts) == 1 {
		for _, value := range strings.Split(values, ",") {
			n, err := p.Parse(strings.TrimSpace(value))
			if err != nil {
				return Axis{}, fmt.Errorf("%s: %w", name, err)
			}
			for _, other := range a.Values {
				if other == n {
					return Axis{}, fmt.Errorf("%s: found %s twice; allowed: each value once", name, strconv.Quote(value))
				}
			}
			a.Values = append(a.Values, n)
		}
		return a, nil
	}
	if len(parts) != 3 || p.Kind == WordParameter {
		allowed := "one value, several like a,b,c, or from:to:step"
		if p.Kind == WordParameter {
			allowed = "one value, or several like a,b,c"
		}
		return Axis{}, fmt.Errorf("%s: found %s; allowed: %s", name, strconv.Quote(values), allowed)
	}
	from, errFrom := p.Parse(parts[0])
	to, errTo := p.Parse(parts[1])
	step, errStep := p.ParseStep(parts[2])
	switch {
	case errFrom != nil || errTo != nil || errStep != nil:
		return Axis{}, fmt.Errorf("%s: %w", name, errors.Join(errFrom, errTo, errStep))
	case step <= 0 || to < from || (to-from)/step >= mostValues:
		return Axis{}, fmt.Errorf("%s: found %s; allowed: a step above zero from a value to one that is not smaller, %d values at most", name, strconv.Quote(values), mostValues)
	}
	for n := from; n <= to; n += step {
		a.Values = append(a.Values, n)
	}
	return a, nil
}
