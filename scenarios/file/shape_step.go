package file

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"redlocklab/faults"
	"redlocklab/scenarios/plan"
)

// steps is a list of steps. depth is the number of loops around it.
func steps(into *[]plan.Step, depth int) shape {
	return listOf(into, "steps", 1, func(into *plan.Step) shape {
		return shape{
			schema: func() schema { return schema{"$ref": "#/$defs/step"} },
			read:   func(r *reader, n *yaml.Node, field string) { readStep(r, n, field, into, depth) },
			write:  func(*yaml.Node) *yaml.Node { return writtenStep(*into) },
		}
	})
}

// readStep reads a step: the word crash, or a mapping with one kind of step.
func readStep(r *reader, n *yaml.Node, field string, into *plan.Step, depth int) {
	names := plan.Strings(plan.StepsWithFields())
	allowed := "crash, or a mapping with one of " + strings.Join(names, ", ")
	if n.Kind != yaml.MappingNode {
		into.Kind = plan.StepCrash
		if n.Kind != yaml.ScalarNode || n.Value != string(plan.StepCrash) {
			r.at(n, field, found(n)+"; allowed: "+allowed)
		}
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if slices.Contains(names, n.Content[i].Value) {
			into.Kind = plan.StepKind(n.Content[i].Value)
			object(stepProperties(into, depth)...).read(r, n, field)
			return
		}
	}
	if len(n.Content) == 0 {
		r.at(n, field, "found an empty mapping; allowed: "+allowed)
		return
	}
	first := n.Content[0]
	r.at(first, child(field, first.Value), "found "+strconv.Quote(first.Value)+
		", which is no step; crash, or a mapping with one of these; "+faults.Allowed(first.Value, names))
}

func writtenStep(s plan.Step) *yaml.Node {
	if s.Kind == plan.StepCrash {
		return writtenScalar(s.Kind, nil)
	}
	return written(s, func(into *plan.Step) shape {
		into.Kind = s.Kind
		return object(stepProperties(into, 0)...)
	})
}

// stepProperties are the fields of a step of into's kind.
func stepProperties(into *plan.Step, depth int) []property {
	limits := plan.AllowedRanges()
	kind := string(into.Kind)
	switch into.Kind {
	case plan.StepHold, plan.StepWait:
		return []property{required(kind, "how long; a range is drawn anew each time", durations(&into.Duration, limits.Positive))}
	case plan.StepRead, plan.StepWrite, plan.StepDecrement:
		into.Guarded = true
		return []property{
			required(kind, "the resource whose registers are accessed", resource(&into.Resource)),
			optional("guarded", "whether the client asks its lease first and leaves the access out when the lease is over; default true", boolean(&into.Guarded)),
			optional("think", "what the client computes between that look and the sending", durations(&into.Think, limits.Time)),
			optional("delay", "how much longer the message to the resource takes", durations(&into.Delay, limits.Time)),
		}
	case plan.StepRepeat:
		return []property{required(kind, "a loop: times or for, and steps", loop(into, depth+1))}
	}
	properties := []property{required(kind, "the resource that the lock protects", resource(&into.Resource))}
	if into.Kind == plan.StepLock || into.Kind == plan.StepTryLock {
		properties = append(properties, optional("cancel", "the caller gives up so long after its call; default never", durations(&into.Cancel, limits.Positive).withoutDefault()))
	}
	if into.Kind == plan.StepExtend {
		properties = append(properties, optional("released", "whether the last lease is extended even if it has been released; default false", boolean(&into.Released)))
	}
	return properties
}

// loop is the value of repeat.
func loop(into *plan.Step, depth int) shape {
	inner := steps(&into.Steps, depth)
	if depth > plan.DeepestLoop {
		inner.read = func(r *reader, n *yaml.Node, field string) {
			r.at(n, field, fmt.Sprintf("found loops %d deep; allowed: %d", depth, plan.DeepestLoop))
		}
	}
	limits := plan.AllowedRanges()
	return object(
		optional("times", "how many rounds", integer(&into.Times, limits.Times).withoutDefault()),
		optional("for", "true time from the first round's beginning after which no round begins", duration(&into.For, limits.Positive).withoutDefault()),
		required("steps", "the steps of one round", inner),
	).then(func(r *reader, n *yaml.Node, field string) {
		times, until := r.places[child(field, "times")], r.places[child(field, "for")]
		if n.Kind != yaml.MappingNode || len(n.Content) == 0 || (times == nil) != (until == nil) {
			return
		}
		what := "found neither times nor for"
		if times != nil {
			what = "found times and for"
		}
		r.at(n, field, what+"; allowed: one of the two")
	})
}

// resource is the name of what a lock protects.
func resource(into *string) shape {
	return checked(into, "a resource's name", schema{"type": "string", "pattern": namePattern}, plan.CheckResource)
}

// namePattern is the pattern of the names of clients and resources.
const namePattern = `^[A-Za-z][A-Za-z0-9_-]*$`
