package file

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"redlocklab/scenarios/plan"
)

// reader collects the errors of one file. It remembers the position of every field, for
// checks that run later.
type reader struct {
	path   string
	errors FileErrors
	places map[string]*yaml.Node // values by the field's path; looked up, never ranged
	keys   map[string]*yaml.Node // names of fields of mappings, by the field's path
	fields []field               // whose values --set can change
	// axes read the axes of the map, which may name any field; formulas check its formulas then.
	axes, formulas []func()
	// referring are the values that refer to parameters, as the file has them.
	referring map[*yaml.Node]string
}

func newReader(path string) *reader {
	return &reader{
		path: path, places: map[string]*yaml.Node{}, keys: map[string]*yaml.Node{}, referring: map[*yaml.Node]string{},
	}
}

// at reports an error at a node.
func (r *reader) at(n *yaml.Node, field, message string) {
	r.errors = append(r.errors, FileError{r.path, n.Line, n.Column, field, message})
}

// report reports an error about a field at its position; at that of its nearest parent
// when the field is not in the file.
func (r *reader) report(field, message string) {
	for where := field; ; where = parent(where) {
		if n := r.places[where]; n != nil {
			r.at(n, field, message)
			return
		}
	}
}

// reportAt is report at the field's name, if the error is about the name and not the value.
func (r *reader) reportAt(field string, name bool, message string) {
	if key := r.keys[field]; name && key != nil {
		r.at(key, field, message)
		return
	}
	r.report(field, message)
}

// parent is the path of what contains a field: "a[1].b" → "a[1]" → "a" → "".
func parent(field string) string {
	return field[:max(0, strings.LastIndexAny(field, ".["))]
}

// clean reports whether no error was found so far in these fields and below them. Checks
// between fields need that, or one mistake would be reported many times.
func (r *reader) clean(fields ...string) bool {
	for _, e := range r.errors {
		for _, f := range fields {
			rest, below := strings.CutPrefix(e.Field, f)
			if below && (rest == "" || rest[0] == '.' || rest[0] == '[') {
				return false
			}
		}
	}
	return true
}

// child is the path of a field inside another.
func child(field, name string) string {
	if field == "" {
		return name
	}
	return field + "." + name
}

// found describes a node for an error message.
func found(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.SequenceNode:
		return "found a list"
	case n.Kind == yaml.MappingNode:
		return "found a mapping"
	case n.Kind == yaml.AliasNode:
		return "found an alias"
	case isNull(n):
		return "found nothing"
	}
	return "found " + strconv.Quote(n.Value)
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// FileError is one thing that is wrong in a scenario file.
type FileError struct {
	Path         string
	Line, Column int    // from 1; 0 when the file could not be read at all
	Field        string // "faults[0].crash"; "" is the file as a whole
	Message      string // what was found and what is allowed
}

// Error is "file:line:column: field: message".
func (e FileError) Error() string {
	text := e.Path
	if e.Line > 0 {
		text = fmt.Sprintf("%s:%d:%d", e.Path, e.Line, e.Column)
	}
	if e.Field != "" {
		text += ": " + e.Field
	}
	return text + ": " + e.Message
}

// FileErrors is everything that is wrong in one or more files, in the order of
// the files and of the positions in them. It is what Load returns, so that an
// author can repair all of it at once.
type FileErrors []FileError

// Error is one line per error.
func (list FileErrors) Error() string {
	return strings.Join(plan.Texts(list, FileError.Error), "\n")
}

// sorted orders the errors of one file by position. What is wrong with the steps of 50 clients
// alike is one error.
func (list FileErrors) sorted() FileErrors {
	slices.SortStableFunc(list, func(a, b FileError) int {
		return cmp.Or(a.Line-b.Line, a.Column-b.Column, strings.Compare(a.Message, b.Message))
	})
	return slices.Compact(list)
}

// check checks that the parts of the scenario fit together, and reports each problem at
// the position of its field in the file.
func (r *reader) check(s *plan.Scenario) {
	report := func(list []plan.Problem) {
		for _, p := range list {
			r.reportAt(r.fieldOf(s, p.Path), p.Name, p.Message())
		}
	}
	if r.clean("nodes", "clients", "network") {
		s.ReplaceGroups()
	}
	if r.clean("nodes", "clients", "faults", "lock", "network", "liveness") {
		report(s.EvaluateBounds())
	}
	report(s.Validate(r.clean))
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
