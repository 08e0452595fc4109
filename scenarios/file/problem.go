package file

import (
	"redlocklab/scenarios/plan"
	"strconv"
	"strings"
)

// check holds the parts of a scenario that was read to each other, and reports each
// problem where its field stands in the file.
func (r *reader) check(s *plan.Scenario) {
	if r.clean("nodes", "clients", "faults", "lock", "network", "liveness") {
		r.problems(s, s.EvaluateBounds())
	}
	r.problems(s, s.Validate(r.clean))
}

func (r *reader) problems(s *plan.Scenario, list []plan.Problem) {
	for _, p := range list {
		field := r.fieldOf(s, p.Path)
		if key := r.keys[field]; p.Name && key != nil {
			r.at(key, field, p.Message())
		} else {
			r.report(field, p.Message())
		}
	}
}

// fieldOf is the field of the file that a path of the scenario's JSON means. The two
// differ in what is a list in JSON and a mapping in files, and in steps, whose kind is
// a field's name in files.
func (r *reader) fieldOf(s *plan.Scenario, path string) string {
	if i, rest, ok := entryOf(path, "clients"); ok {
		client := s.Clients[i]
		field := child("clients", s.FirstLife(client))
		if rest == ".follows" {
			return child(field, "incarnations")
		}
		if steps, ok := strings.CutPrefix(rest, ".steps"); ok {
			if r.places[child(field, "steps")] != nil {
				field = child(field, "steps")
			}
			return fieldOfStep(field, steps, client.Steps)
		}
		return field + rest
	}
	if i, rest, ok := entryOf(path, "subjects"); ok {
		return child("subjects", s.Subjects[i].Title()) + rest
	}
	return strings.TrimSuffix(strings.TrimSuffix(path, ".value_ns"), "_ns")
}

// fieldOfStep is the field of what path means in a list of steps.
func fieldOfStep(field, path string, list []plan.Step) string {
	i, rest, ok := entryOf(path, "")
	if !ok {
		return field
	}
	step := list[i]
	field += "[" + strconv.Itoa(i) + "]"
	inner, nested := strings.CutPrefix(rest, ".steps")
	switch {
	case nested:
		return fieldOfStep(child(field, string(plan.StepRepeat)+".steps"), inner, step.Steps)
	case rest == ".duration", rest == ".resource", rest == "" && step.Kind == plan.StepRepeat:
		return child(field, string(step.Kind))
	}
	return field + rest
}

// entryOf takes apart the path of something in a list: "clients[2].nodes" is the entry
// 2 of clients, and ".nodes" of it.
func entryOf(path, list string) (i int, rest string, ok bool) {
	path, ok = strings.CutPrefix(path, list+"[")
	if !ok {
		return 0, "", false
	}
	place, rest, ok := strings.Cut(path, "]")
	i, err := strconv.Atoi(place)
	return i, rest, ok && err == nil
}
