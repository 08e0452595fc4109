package file

import (
	"go.yaml.in/yaml/v3"

	"redlocklab/scenarios/plan"
)

// curve says what sweep measures. The parameters are known by then.
func curve(s *plan.Scenario) shape {
	c := &plan.Curve{Measure: plan.MeasureViolated, Seeds: plan.Seeds{First: 1, Last: 100}}
	over := shape{
		schema: func() schema {
			return schema{"type": "object", "minProperties": 1, "additionalProperties": schema{"type": []string{"string", "integer"}}}
		},
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
	return object(
		required("over", "parameters with their values: from:to:step, or a,b,c; the first is what the curve runs along", over),
		required("measure", "what is shown: violated (the share of runs), margin (between two beliefs), time (of the first liveness goal)", word(&c.Measure, c.Measure.Words()...)),
		optional("seeds", "of each point; default 1-100", seeds(&c.Seeds)),
	).then(func(*reader, *yaml.Node, string) { s.Curve = c })
}
