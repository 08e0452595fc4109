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

// shape says what a place in a file may hold: how it is read into a Go value, and the
// JSON schema that says the same to an editor. Both are made from one description.
type shape struct {
	read   func(r *reader, n *yaml.Node, field string)
	schema func() schema
	// about describes the value, with its default until it is read, if --set can change it;
	// else it is nil.
	about func() plan.Parameter
	// mayLack: a file without the field has no value there that --set could change.
	mayLack bool
}

type schema map[string]any

// with adds a rule to the schema.
func (s shape) with(key string, value any) shape {
	describe := s.schema
	s.schema = func() schema {
		schema := describe()
		schema[key] = value
		return schema
	}
	return s
}

// withoutDefault says that a file without the field has no value there.
func (s shape) withoutDefault() shape {
	s.mayLack = true
	return s
}

// then adds a step that runs after the node was read.
func (s shape) then(after func(r *reader, n *yaml.Node, field string)) shape {
	read := s.read
	s.read = func(r *reader, n *yaml.Node, field string) {
		read(r, n, field)
		after(r, n, field)
	}
	return s
}

// property is one field of a mapping.
type property struct {
	name     string
	required bool
	doc      string
	shape    shape
}

func required(name, doc string, s shape) property { return property{name, true, doc, s} }
func optional(name, doc string, s shape) property { return property{name, false, doc, s} }

// object is a mapping with fixed fields. Unknown and repeated fields are errors.
func object(properties ...property) shape {
	names := make([]string, len(properties))
	for i, p := range properties {
		names[i] = p.name
	}
	describe := func() schema {
		fields, required := schema{}, []string{}
		for _, p := range properties {
			fields[p.name] = p.shape.with("description", p.doc).schema()
			if p.required {
				required = append(required, p.name)
			}
		}
		s := schema{"type": "object", "properties": fields, "additionalProperties": false}
		if len(required) > 0 {
			s["required"] = required
		}
		return s
	}
	return shape{schema: describe, read: func(r *reader, n *yaml.Node, field string) {
		given := map[string]bool{}
		visit := func(key, value *yaml.Node) {
			i := slices.Index(names, key.Value)
			if i < 0 {
				r.at(key, child(field, key.Value), fmt.Sprintf("found an unknown field %s; %s", strconv.Quote(key.Value), faults.Allowed(key.Value, names)))
				return
			}
			given[key.Value] = true
			properties[i].settable(r, n, value, child(field, key.Value))
			properties[i].shape.read(r, value, child(field, key.Value))
		}
		if n.Kind == yaml.MappingNode && len(n.Content) == 0 { // {} has every default
			r.places[field] = n
		} else {
			entries(r, n, field, "a mapping with the fields "+strings.Join(names, ", "), visit)
		}
		for _, p := range properties {
			switch {
			case given[p.name] || n.Kind != yaml.MappingNode:
			case p.required:
				r.at(n, child(field, p.name), "found no "+p.name+"; allowed: "+p.name+": "+p.doc)
			case !p.shape.mayLack:
				p.settable(r, n, nil, child(field, p.name))
			}
		}
	}}
}

// mapOf is a mapping whose keys the author chooses. Its values are appended to into, in
// the file's order; value says what the value of a key may be.
func mapOf[T any](into *[]T, what string, checkKey func(string) error, value func(key string, into *T) shape) shape {
	describe := func() schema {
		return schema{"type": "object", "minProperties": 1, "additionalProperties": value("", new(T)).schema()}
	}
	return shape{schema: describe, read: func(r *reader, n *yaml.Node, field string) {
		entries(r, n, field, "a mapping with "+what, func(key, node *yaml.Node) {
			if err := checkKey(key.Value); err != nil {
				r.at(key, child(field, key.Value), err.Error())
				return
			}
			var v T
			value(key.Value, &v).read(r, node, child(field, key.Value))
			*into = append(*into, v)
		})
	}}
}

// entries visits the entries of a mapping in order. It reports a node of another kind, an
// empty mapping and repeated keys.
func entries(r *reader, n *yaml.Node, field, allowed string, visit func(key, value *yaml.Node)) {
	r.places[field] = n
	if n.Kind != yaml.MappingNode || len(n.Content) == 0 {
		what := found(n)
		if n.Kind == yaml.MappingNode {
			what = "found an empty mapping"
		}
		r.at(n, field, what+"; allowed: "+allowed)
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode || isNull(key) {
			r.at(key, field, found(key)+" as a field's name; allowed: "+allowed)
			continue
		}
		if seen[key.Value] {
			r.at(key, child(field, key.Value), "found "+strconv.Quote(key.Value)+" twice; allowed: once")
			continue
		}
		seen[key.Value] = true
		r.places[child(field, key.Value)] = value
		r.keys[child(field, key.Value)] = key
		visit(key, value)
	}
}

// listOf is a list with at least so many entries, which are appended to into; entry says
// what an entry may be.
func listOf[T any](into *[]T, what string, least int, entry func(into *T) shape) shape {
	describe := func() schema {
		s := schema{"type": "array", "items": entry(new(T)).schema()}
		if least > 0 {
			s["minItems"] = least
		}
		return s
	}
	return shape{schema: describe, read: func(r *reader, n *yaml.Node, field string) {
		r.places[field] = n
		if n.Kind != yaml.SequenceNode {
			r.at(n, field, found(n)+"; allowed: a list of "+what)
			return
		}
		if len(n.Content) < least {
			r.at(n, field, "found an empty list; allowed: a list of "+what)
		}
		for i, node := range n.Content {
			at := field + "[" + strconv.Itoa(i) + "]"
			r.places[at] = node
			var v T
			entry(&v).read(r, node, at)
			*into = append(*into, v)
		}
	}}
}

// either reads a node of the given kind as the first shape, all others as the second.
func either(kind yaml.Kind, first, second shape) shape {
	return shape{
		schema: func() schema { return schema{"oneOf": []any{first.schema(), second.schema()}} },
		read: func(r *reader, n *yaml.Node, field string) {
			if n.Kind == kind {
				first.read(r, n, field)
				return
			}
			second.read(r, n, field)
		},
	}
}
