package plan

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Measure is what a curve shows of its runs.
type Measure string

// The measures.
const (
	MeasureViolated Measure = "violated" // the share of runs in which something was violated
	MeasureMargin   Measure = "margin"   // the worst margin between two beliefs, negative for an overlap
	MeasureTime     Measure = "time"     // the time that the first liveness goal took
)

// Words returns all measures.
func (Measure) Words() []Measure { return []Measure{MeasureViolated, MeasureMargin, MeasureTime} }

// Curve is what "simulate sweep NAME" plays by default.
type Curve struct {
	Over    []Axis  `json:"over"` // the first is the horizontal axis; each combination of the others is a line
	Measure Measure `json:"measure"`
	Seeds   Seeds   `json:"seeds"`
}

// Axis is a parameter with the values that it takes.
type Axis struct {
	Parameter Parameter `json:"parameter"`
	Values    []int64   `json:"values"` // in the unit of the parameter's kind
}

// mostValues bounds the values of one axis.
const mostValues = 10_000

// ParseAxis reads the values of a declared parameter, as [Parameter.Axis] does.
func (s *Scenario) ParseAxis(name, values string) (Axis, error) {
	p, err := s.Parameter(name)
	if err != nil {
		return Axis{}, err
	}
	return p.Axis(values)
}

// Axis reads values of the parameter: "0:20000:500" (from, to, step), "1,2,5" or one value.
func (p Parameter) Axis(values string) (Axis, error) {
	a, name := Axis{Parameter: p}, p.Name
	parts := strings.Split(values, ":")
	if len(parts) == 1 {
		for _, value := range strings.Split(values, ",") {
			n, err := p.Parse(strings.TrimSpace(value))
			if err != nil {
				return Axis{}, fmt.Errorf("%s: %w", name, err)
			}
			if slices.Contains(a.Values, n) {
				return Axis{}, fmt.Errorf("%s: found %s twice; allowed: each value once", name, strconv.Quote(value))
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
	step, errStep := p.parseAny(parts[2])
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
