package file

import (
	"errors"
	"slices"

	"go.yaml.in/yaml/v3"

	"redlocklab/faults"
	"redlocklab/scenarios/plan"
)

// goals are the liveness demands.
func goals(into *[]plan.Goal) shape {
	var all []*plan.Goal
	collect := sequence("goals", 1, goal(new(plan.Goal)), func() shape {
		all = append(all, new(plan.Goal))
		return goal(all[len(all)-1])
	})
	return shape{schema: collect.schema, read: func(r *reader, n *yaml.Node, field string) {
		collect.read(r, n, field)
		for _, g := range all {
			*into = append(*into, *g)
		}
	}}
}

func goal(into *plan.Goal) shape {
	var heal plan.Bound
	whole := object(
		property{"claim", true, "the claim that this is about", parsed(&into.Claim, "a claim's id like LV-1", plan.CheckClaim)},
		property{"client", true, "whose operations count; any: everybody's", text(&into.Client)},
		property{"except", false, "a client whose operations do not count", text(&into.Except)},
		property{"does", true, "the operation", word(&into.Does, plan.GoalOperations...)},
		property{"resource", false, "default: any", resource(&into.Resource)},
		property{"each", false, "returns: every operation returns within the bound of its call; succeeds: and with success; fails: and without; never: no command of it is sent to a node within the bound; default: one success is enough", word(&into.Each, plan.EachReturns, plan.EachSucceeds, plan.EachFails, plan.EachNever)},
		property{"from", false, "start, a true time, or a pattern like those of faults; a mapping takes at, when, nth and after; default start", from(&into.From)},
		property{"within", true, "a sum of durations and quantities: ttl + clock_error + 3*round", boundText(&into.Within.Text)},
		property{"heal", false, "how long a stretch without blocking faults the bound needs; default the whole of it", boundText(&heal.Text)},
		property{"needs", false, "the assumptions that the bound stands on", words(&into.Needs, plan.Assumptions())},
	)
	return shape{schema: whole.schema, read: func(r *reader, n *yaml.Node, field string) {
		whole.read(r, n, field)
		slices.Sort(into.Needs)
		if heal.Text != "" {
			into.Heal = &heal
		}
	}}
}

// boundText is the arithmetic of a bound; it is computed when the whole file is read.
func boundText(into *string) shape {
	return scalar("a sum like ttl + clock_error + 3*round", map[string]any{"type": "string"}, func(value string) error {
		*into = value
		return nil
	})
}

// from is when a goal's time begins to run.
func from(into *faults.Trigger) shape {
	const allowed = "start, a duration, a pattern like A crashed, or a mapping with at or when"
	single := scalar(allowed, map[string]any{"type": "string"}, func(value string) error {
		if value == "start" {
			return nil
		}
		field := faults.Field{Key: "when", Value: value}
		if _, err := faults.ParseDuration(value); err == nil {
			field.Key = "at"
		}
		t, problems := faults.ParseTrigger([]faults.Field{field})
		*into = t
		for _, p := range problems {
			return errors.New(p.Message)
		}
		return nil
	})
	mapping := shape{
		schema: map[string]any{"type": "object", "properties": wordSchemas(faults.TriggerParameters()), "additionalProperties": false},
		read: func(r *reader, n *yaml.Node, field string) {
			before := len(r.errors)
			fields := faultFields(r, n, field, allowed)
			if len(r.errors) > before {
				return
			}
			t, problems := faults.ParseTrigger(fields)
			*into = t
			for _, p := range problems {
				reportFault(r, field, p)
			}
		},
	}
	return either(yaml.MappingNode, mapping, single)
}
