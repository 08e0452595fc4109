package file

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// reader collects what is wrong in one file and remembers where every field
// stands, so that checks that run later can point at it.
type reader struct {
	path   string
	errors FileErrors
	places map[string]*yaml.Node // values by the field's path; looked up, never ranged
	keys   map[string]*yaml.Node // the field's own name, where it has one
}

// place remembers the node of a field.
func (r *reader) place(field string, n *yaml.Node) { r.places[field] = n }

// at reports an error at a node.
func (r *reader) at(n *yaml.Node, field, message string) {
	r.errors = append(r.errors, FileError{r.path, n.Line, n.Column, field, message})
}

// report reports an error about a field, at its place, or at the place of what
// contains it when the field is not in the file.
func (r *reader) report(field, message string) {
	for where := field; ; where = parent(where) {
		if n := r.places[where]; n != nil {
			r.at(n, field, message)
			return
		}
	}
}

// parent is the path of what contains a field: "a[1].b" → "a[1]" → "a" → "".
func parent(field string) string {
	return field[:max(0, strings.LastIndexAny(field, ".["))]
}

// clean reports whether nothing is wrong so far in a field and below it. Checks
// between fields need that, or one slip would be reported many times.
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
