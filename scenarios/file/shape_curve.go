package file

import (
	"redlocklab/scenarios/plan"

	"go.yaml.in/yaml/v3"
)

// curve reads what is measured. The parameters are known by then.
func curve(s *plan.Scenario) shape {
	c := &plan.Curve{Measure: plan.MeasureViolated, Seeds: plan.Seeds{First: 1, Last: 100}}
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
		property{"measure", true, "what is shown: violated (the share of runs), margin (between two beliefs), time (of the first liveness goal)", word(&c.Measure, plan.MeasureViolated, plan.MeasureMargin, plan.MeasureTime)},
		property{"seeds", false, "of each point; default 1-100", seeds(&c.Seeds)},
	)
	return shape{schema: whole.schema, read: func(r *reader, n *yaml.Node, field string) {
		whole.read(r, n, field)
		s.Curve = c
	}}
}
