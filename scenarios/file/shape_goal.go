package file

import (
	"errors"
	"slices"

	"go.yaml.in/yaml/v3"

	"redlocklab/checker"
	"redlocklab/faults"
	"redlocklab/scenarios/plan"
)

// goals are the liveness goals.
func goals(into *[]plan.Goal) shape {
	return listOf(into, "goals", 1, func(into *plan.Goal) shape {
		var heal plan.Bound
		return object(
			required("claim", "the claim that this is about", claimID(&into.Claim, "a claim's id like LV-1")),
			required("client", "whose operations count; any: everybody's", text(&into.Client)),
			optional("except", "a client whose operations do not count", text(&into.Except)),
			required("does", "the operation", word(&into.Does, plan.GoalOperations()...)),
			optional("resource", "default: any", resource(&into.Resource)),
			optional("each", "returns: every operation returns within the bound of its call; succeeds: and with success; fails: and without; never: no command of it is sent to a node within the bound; clears: what a release, or a failed acquisition, gives up stays on no node for longer than the bound; in_time: no command of it is sent later than the bound after the end of its lease; default: one success is enough", word(&into.Each, into.Each.Words()...)),
			optional("from", "start, a true time, or a pattern like those of faults; a mapping takes at, when, nth and after; default start", trigger(&into.From)),
			required("within", "a sum of durations and quantities: ttl + clock_error + 3*round", boundText(&into.Within.Text)),
			optional("heal", "how long a stretch without blocking faults the bound needs; default the whole of it", boundText(&heal.Text)),
			optional("needs", "the assumptions that the bound stands on", words(&into.Needs, checker.Assumptions())),
		).then(func(*reader, *yaml.Node, string) {
			slices.Sort(into.Needs)
			if heal.Text != "" {
				into.Heal = &heal
			}
		}).before(func() bool {
			if into.Heal != nil {
				heal = *into.Heal
			}
			return true
		})
	})
}

// boundText is the arithmetic of a bound, which is evaluated when the whole file is read.
func boundText(into *string) shape {
	return anything(into, "a sum like ttl + clock_error + 3*round", schema{"type": "string"})
}

// trigger says when a goal's time begins to run.
func trigger(into *faults.Trigger) shape {
	const allowed = "start, a duration, a pattern like A crashed, or a mapping with at or when"
	single := scalar(into, allowed, schema{"type": "string"}, func(text string) (faults.Trigger, error) {
		if text == "start" {
			return faults.Trigger{}, nil
		}
		field := faults.Field{Key: "when", Value: text}
		if _, err := faults.ParseDuration(text); err == nil {
			field.Key = "at"
		}
		t, problems := faults.ParseTrigger([]faults.Field{field})
		if len(problems) > 0 {
			return t, errors.New(problems[0].Message)
		}
		return t, nil
	})
	mapping := parsedFields(into, faults.ParseTrigger, allowed, func() schema {
		return schema{"type": "object", "properties": wordSchemas(faults.TriggerParameters()), "additionalProperties": false}
	}).then(settableWords).before(func() bool { return *into != (faults.Trigger{}) })
	s := either(yaml.MappingNode, mapping, single)
	s.write = mapping.write
	return s
}
