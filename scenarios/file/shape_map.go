package file

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"redlocklab/checker"
	"redlocklab/scenarios/plan"
)

// worldMap describes the map that the command map plays by default. The parameters are known by then.
func worldMap(s *plan.Scenario) shape {
	m := &plan.Map{Measure: plan.MeasureVerdict, Seeds: plan.Seeds{First: 1, Last: 5}}
	axis := func(into *plan.Axis) shape {
		return shape{
			schema: func() schema {
				return schema{"type": "object", "minProperties": 1, "maxProperties": 1, "additionalProperties": schema{"type": []string{"string", "integer"}}}
			},
			read: func(r *reader, n *yaml.Node, field string) {
				if n.Kind == yaml.MappingNode && len(n.Content) > 2 {
					r.at(n, field, "found several parameters; allowed: one")
					return
				}
				entries(r, n, field, "one parameter with its values", func(key, value *yaml.Node) {
					read := func(parameter plan.Parameter, err error) {
						if err == nil {
							*into, err = parameter.Axis(value.Value)
						}
						if err != nil {
							r.at(value, child(field, key.Value), err.Error())
						}
					}
					if declared, err := s.Parameter(key.Value); err == nil {
						read(declared, nil)
						return
					}
					r.axes = append(r.axes, func() { read(Parameter(s, key.Value)) })
				})
			},
		}
	}
	var y, panels plan.Axis
	judges := plan.Strings(checker.Oracles())
	formula := func(into *plan.Formula) shape {
		text := anything(into, "a condition over parameters, like outage < ttl", nil)
		return text.describedAs(schema{"type": "string"}).then(func(r *reader, n *yaml.Node, field string) {
			r.formulas = append(r.formulas, func() {
				if _, err := into.Compile(m.Parameters(s.Parameters)); err != nil {
					r.at(n, field, err.Error())
				}
			})
		})
	}
	const values = ": from..to, from:to:step, or a,b,c"
	return object(
		required("x", "the parameter of the horizontal axis, with its values"+values, axis(&m.X)),
		optional("y", "that of the vertical axis; without it the map is lines", axis(&y).then(func(*reader, *yaml.Node, string) { m.Y = &y })),
		optional("panels", "a parameter with a picture, or a line, per value", axis(&panels).then(func(*reader, *yaml.Node, string) { m.Panels = &panels })),
		optional("cells", "into how many values ranges are cut, like 20x10, or 20 for both axes; default 20", scalar(&m.Cells, "one or two numbers, like 20 or 20x10", schema{"type": []string{"string", "integer"}}, ParseCells)),
		optional("measure", "what is shown: verdict (of each cell; the default), violated (the share of runs), margin (between two beliefs), time (of the first liveness goal)", word(&m.Measure, m.Measure.Words()...)),
		optional("seeds", "of each cell; default 1-5", seeds(&m.Seeds)),
		optional("judges", "oracles that say what is violated, each with panels of its own; default overlap and linearizability together", words(&m.Judges, judges)),
		optional("predicts", "where the border must be, stated before the first run", listOf(&m.Predictions, "predictions", 1, func(p *plan.Prediction) shape {
			return object(
				optional("subject", "the subject's title; default all others", text(&p.Subject)),
				optional("judge", "the oracle; default all others", word(&p.Judge, judges...)),
				required("violated", "the condition under which cells are violated, like outage < ttl", formula(&p.Violated)),
				optional("none", "where nobody gets on", formula(&p.None)),
				optional("open", "where the prediction says nothing", formula(&p.Open)),
				required("because", "why, in plain words", text(&p.Because)),
			)
		})),
	).then(func(*reader, *yaml.Node, string) { s.Map = m })
}

// ParseCells reads "20x10": the cells of the two axes; "20" is as many of both.
func ParseCells(text string) ([2]int, error) {
	const most = 1000
	across, up, two := strings.Cut(text, "x")
	if !two {
		up = across
	}
	n, _ := strconv.Atoi(across)
	k, _ := strconv.Atoi(up)
	if min(n, k) < 2 || max(n, k) > most {
		return [2]int{}, fmt.Errorf("found %q; allowed: one or two numbers from 2 to %d, like 20 or 20x10", text, most)
	}
	return [2]int{n, k}, nil
}
