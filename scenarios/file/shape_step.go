package file

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"redlocklab/faults"
	"redlocklab/scenarios/plan"
)

// steps is a list of steps.
func steps(into *[]plan.Step, depth int) shape {
	sample := shape{schema: map[string]any{"$ref": "#/$defs/step"}}
	var list []*plan.Step
	collect := sequence("steps", 1, sample, func() shape {
		list = append(list, new(plan.Step))
		return step(list[len(list)-1], depth)
	})
	return shape{schema: collect.schema, read: func(r *reader, n *yaml.Node, field string) {
		collect.read(r, n, field)
		for _, s := range list {
			*into = append(*into, *s)
		}
	}}
}

// step is one step: the word crash, or a mapping with one verb.
func step(into *plan.Step, depth int) shape {
	return shape{read: func(r *reader, n *yaml.Node, field string) {
		names := make([]string, len(plan.Verbs))
		for i, v := range plan.Verbs {
			names[i] = string(v)
		}
		if n.Kind != yaml.MappingNode {
			into.Kind = plan.StepCrash
			if n.Kind != yaml.ScalarNode || n.Value != string(plan.StepCrash) {
				r.at(n, field, found(n)+"; allowed: crash, or a mapping with one of "+strings.Join(names, ", "))
			}
			return
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			for _, v := range plan.Verbs {
				if n.Content[i].Value == string(v) {
					into.Kind = v
					object(stepProperties(into, depth)...).read(r, n, field)
					return
				}
			}
		}
		if len(n.Content) == 0 {
			r.at(n, field, "found an empty mapping; allowed: crash, or a mapping with one of "+strings.Join(names, ", "))
			return
		}
		first := n.Content[0]
		r.at(first, child(field, first.Value), "found "+strconv.Quote(first.Value)+
			", which is no step; crash, or a mapping with one of these; "+faults.Allowed(first.Value, names))
	}}
}

// stepProperties are the fields of a step of into's kind.
func stepProperties(into *plan.Step, depth int) []property {
	verb := property{name: string(into.Kind), required: true}
	switch into.Kind {
	case plan.StepHold, plan.StepWait:
		verb.doc = "how long; a range is drawn anew each time"
		verb.shape = durations(&into.Duration, time.Nanosecond, plan.Longest)
		return []property{verb}
	case plan.StepRead, plan.StepWrite, plan.StepDecrement:
		into.Guarded = true
		verb.doc = "the resource whose registers are accessed"
		verb.shape = resource(&into.Resource)
		return []property{
			verb,
			{"guarded", false, "whether the client asks its lease first and leaves the access out when the lease is over; default true", boolean(&into.Guarded)},
			{"think", false, "what the client computes between that look and the sending", durations(&into.Think, 0, plan.Longest)},
			{"delay", false, "how much longer the message to the resource takes", durations(&into.Delay, 0, plan.Longest)},
		}
	case plan.StepRepeat:
		verb.doc = "a loop: times or for, and steps"
		verb.shape = loop(into, depth+1)
		return []property{verb}
	case plan.StepLock, plan.StepTryLock:
		verb.doc = "the resource that the lock protects"
		verb.shape = resource(&into.Resource)
		return []property{
			verb,
			{"cancel", false, "the caller gives up so long after its call; default never", durations(&into.Cancel, time.Nanosecond, plan.Longest)},
		}
	default:
		verb.doc = "the resource that the lock protects"
		verb.shape = resource(&into.Resource)
		return []property{verb}
	}
}

// loop is what stands under repeat.
func loop(into *plan.Step, depth int) shape {
	inner := shape{schema: map[string]any{"type": "array", "minItems": 1, "items": map[string]any{"$ref": "#/$defs/step"}}}
	if depth <= plan.DeepestLoop {
		inner = steps(&into.Steps, depth)
	} else {
		inner.read = func(r *reader, n *yaml.Node, field string) {
			r.at(n, field, fmt.Sprintf("found loops %d deep; allowed: %d", depth, plan.DeepestLoop))
		}
	}
	whole := object(
		property{"times", false, "how many rounds", integer(&into.Times, 1, plan.Million)},
		property{"for", false, "true time from the first round's beginning after which no round begins", duration(&into.For, time.Nanosecond, plan.Longest)},
		property{"steps", true, "the steps of one round", inner},
	)
	return shape{schema: whole.schema, read: func(r *reader, n *yaml.Node, field string) {
		whole.read(r, n, field)
		times, until := r.places[child(field, "times")], r.places[child(field, "for")]
		if n.Kind == yaml.MappingNode && len(n.Content) > 0 && (times == nil) == (until == nil) {
			what := "found neither times nor for"
			if times != nil {
				what = "found times and for"
			}
			r.at(n, field, what+"; allowed: one of the two")
		}
	}}
}

// resource is the name of what a lock protects.
func resource(into *string) shape {
	schema := map[string]any{"type": "string", "pattern": namePattern}
	return scalar("a resource's name", schema, func(value string) error {
		*into = value
		return plan.CheckResource(value)
	})
}

// namePattern is the form of the names of clients and resources.
const namePattern = `^[A-Za-z][A-Za-z0-9_-]*$`

// stepSchema is the definition that every list of steps refers to.
func stepSchema() map[string]any {
	forms := []any{map[string]any{"const": string(plan.StepCrash)}}
	for _, v := range plan.Verbs {
		forms = append(forms, object(stepProperties(&plan.Step{Kind: v}, plan.DeepestLoop)...).schema)
	}
	return map[string]any{"oneOf": forms}
}
