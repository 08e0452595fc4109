package file

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
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
