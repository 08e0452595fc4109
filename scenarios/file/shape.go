package file

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"redlocklab/faults"
	"redlocklab/scenarios/plan"
)

// shape describes one part of a file: how it is read into a Go value and written from it, and
// the JSON schema that says the same to an editor. All three are made from one description.
type shape struct {
	read   func(r *reader, n *yaml.Node, field string)
	schema func() schema
	// write makes the node of the Go value. It is nil if a file may leave it out: because it
	// is empty, or equal to the node that standard is, if any.
	write func(standard *yaml.Node) *yaml.Node
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

// describedAs replaces the schema: no $name may stand there.
func (s shape) describedAs(form schema) shape {
	s.schema = func() schema { return maps.Clone(form) }
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

// before adds a step that runs before the value is written: the opposite of then. The value is
// left out if the step returns false.
func (s shape) before(prepare func() bool) shape {
	write := s.write
	s.write = func(standard *yaml.Node) *yaml.Node {
		if !prepare() {
			return nil
		}
		return write(standard)
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
	names := plan.Texts(properties, func(p property) string { return p.name })
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
	write := func(standard *yaml.Node) *yaml.Node {
		n := flowMapping()
		for _, p := range properties {
			var usual *yaml.Node
			if standard != nil {
				usual = entry(standard, p.name)
			}
			if usual != nil && usual.Kind == yaml.ScalarNode && p.required {
				usual = nil
			}
			put(n, p.name, p.shape.write(usual))
		}
		return unlessEmpty(n)
	}
	return shape{schema: describe, write: write, read: func(r *reader, n *yaml.Node, field string) {
		visit := func(key, value *yaml.Node) {
			i := slices.Index(names, key.Value)
			if i < 0 {
				r.at(key, child(field, key.Value), fmt.Sprintf("found an unknown field %q; %s%s",
					key.Value, faults.Allowed(key.Value, names), quoteHint(n, value)))
				return
			}
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
			case r.places[child(field, p.name)] != nil || n.Kind != yaml.MappingNode:
			case p.required:
				r.at(n, child(field, p.name), "found no "+p.name+"; write "+p.name+": and a value. Allowed: "+p.doc)
			case !p.shape.mayLack:
				p.settable(r, n, nil, child(field, p.name))
			}
		}
	}}
}

// quoteHint ends a message about an unknown field that is the rest of a text with a comma.
func quoteHint(mapping, value *yaml.Node) string {
	inBraces := mapping.Style&yaml.FlowStyle != 0
	if absent := value.Tag == "!!null" && value.Value == ""; !inBraces || !absent {
		return ""
	}
	return `; inside { }, a text with a comma needs quotes: "a, b"`
}

// mapOf is a mapping whose keys the author chooses. Its values are appended to into, in
// the file's order; value says what the value of a key may be, keyOf is the opposite.
func mapOf[T any](
	into *[]T, what string, checkKey func(string) error, keyOf func(T) string, value func(key string, into *T) shape,
) shape {
	describe := func() schema {
		return schema{"type": "object", "minProperties": 1, "additionalProperties": value("", new(T)).schema()}
	}
	write := func(*yaml.Node) *yaml.Node {
		n := &yaml.Node{Kind: yaml.MappingNode}
		for _, v := range *into {
			key := keyOf(v)
			put(n, key, written(v, func(into *T) shape { return value(key, into) }))
		}
		return unlessEmpty(n)
	}
	return shape{schema: describe, write: write, read: func(r *reader, n *yaml.Node, field string) {
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
	write := func(*yaml.Node) *yaml.Node {
		n := &yaml.Node{Kind: yaml.SequenceNode}
		for _, v := range *into {
			one := written(v, entry)
			n.Content = append(n.Content, one)
			if one.Kind == yaml.ScalarNode {
				n.Style = yaml.FlowStyle
			}
		}
		return unlessEmpty(n)
	}
	return shape{schema: describe, write: write, read: func(r *reader, n *yaml.Node, field string) {
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

// either reads a node of the given kind as the first shape, all others as the second. It writes
// the second one.
func either(kind yaml.Kind, first, second shape) shape {
	return shape{
		write:  second.write,
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
