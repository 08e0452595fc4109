package scenarios

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
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
					return Axis{}, fmt.Errorf("%s: found %s twice; allowed: each value once", name, quoted(value))
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
		return Axis{}, fmt.Errorf("%s: found %s; allowed: %s", name, quoted(values), allowed)
	}
	from, errFrom := p.Parse(parts[0])
	to, errTo := p.Parse(parts[1])
	step, errStep := p.ParseStep(parts[2])
	switch {
	case errFrom != nil || errTo != nil || errStep != nil:
		return Axis{}, fmt.Errorf("%s: %w", name, errors.Join(errFrom, errTo, errStep))
	case step <= 0 || to < from || (to-from)/step >= mostValues:
		return Axis{}, fmt.Errorf("%s: found %s; allowed: a step above zero from a value to one that is not smaller, %d values at most", name, quoted(values), mostValues)
	}
	for n := from; n <= to; n += step {
		a.Values = append(a.Values, n)
	}
	return a, nil
}

// curve reads what is measured. The parameters are known by then.
func curve(s *Scenario) shape {
	c := &Curve{Measure: MeasureViolated, Seeds: Seeds{First: 1, Last: 100}}
	over := shape{
		schema: map[string]any{"type": "object", "minProperties": 1, "additionalProperties": map[string]any{"type": []string{"string", "integer"}}},
		read: func(r *reader, n *yaml.Node, field string) {
			entries(r, n, field, "a mapping of parameters to their values", func(key, value *yaml.Node) {
				a, err := s.ParseAxis(key.Value, value.Value)
				if err != nil {
					r.at(value, child(field, key.Value), err.Error())
					return
				}
				c.Over = append(c.Over, a)
			})
		},
	}
	whole := object(
		property{"over", true, "parameters with their values: from:to:step, or a,b,c; the first is what the curve runs along", over},
		property{"measure", true, "what is shown: violated (the share of runs), margin (between two beliefs), time (of the first liveness goal)", word(&c.Measure, MeasureViolated, MeasureMargin, MeasureTime)},
		property{"seeds", false, "of each point; default 1-100", seeds(&c.Seeds)},
	)
	return shape{schema: whole.schema, read: func(r *reader, n *yaml.Node, field string) {
		whole.read(r, n, field)
		s.Curve = c
	}}
}
