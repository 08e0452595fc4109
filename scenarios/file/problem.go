package file

import (
	"strconv"
	"strings"

	"redlocklab/scenarios/plan"
)

// check checks that the parts of the scenario fit together, and reports each problem at
// the position of its field in the file.
func (r *reader) check(s *plan.Scenario) {
	if r.clean("nodes", "clients", "network") {
		s.ReplaceGroups()
	}
	if r.clean("nodes", "clients", "faults", "lock", "network", "liveness") {
		r.problems(s, s.EvaluateBounds())
	}
	r.problems(s, s.Validate(r.clean))
}

func (r *reader) problems(s *plan.Scenario, list []plan.Problem) {
	for _, p := range list {
		r.reportAt(r.fieldOf(s, p.Path), p.Name, p.Message())
	}
}

// fieldOf is the field of the file for a path in the scenario's JSON. The two differ where
// JSON has a list and files have a mapping, and in steps, whose kind is the name of a
// field in files.
func (r *reader) fieldOf(s *plan.Scenario, path string) string {
	if i, rest, ok := entryOf(path, "clients"); ok {
		client := s.Clients[i]
		name := s.FirstLife(client)
		if r.places[child("clients", name)] == nil {
			name = strings.TrimRight(name, "0123456789") // one of several that are alike
		}
		field := child("clients", name)
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
	if i, rest, ok := entryOf(path, "network.groups"); ok {
		return child("network.groups", s.Network.Groups[i].Name) + strings.TrimPrefix(rest, ".members")
	}
	if i, rest, ok := entryOf(path, "subjects"); ok {
		return child("subjects", s.Subjects[i].Title()) + rest
	}
	return strings.TrimSuffix(strings.TrimSuffix(path, ".value_ns"), "_ns")
}

// fieldOfStep is the field of the file for a path in a list of steps.
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

// entryOf splits the path of something in a list: "clients[2].nodes" is entry 2 of
// clients, with the rest ".nodes".
func entryOf(path, list string) (i int, rest string, ok bool) {
	path, ok = strings.CutPrefix(path, list+"[")
	if !ok {
		return 0, "", false
	}
	place, rest, ok := strings.Cut(path, "]")
	i, err := strconv.Atoi(place)
	return i, rest, ok && err == nil
}
