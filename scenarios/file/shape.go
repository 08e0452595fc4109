package file

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"redlocklab/faults"
	"redlocklab/scenarios/plan"
)

// shape is what a place in a file may hold: how to read it into the Go value
// that it is bound to, and the JSON schema that says the same to an editor. Both
// come from one table, so they cannot drift apart.
type shape struct {
	read   func(r *reader, n *yaml.Node, field string)
	schema map[string]any
}

// property is one field of a mapping.
type property struct {
	name     string
	required bool
	doc      string
	shape    shape
}

// object is a mapping with fixed fields. Unknown and doubled fields are errors.
func object(properties ...property) shape {
	fields, required, names := map[string]any{}, []string{}, []string{}
	for _, p := range properties {
		described := map[string]any{"description": p.doc}
		for key, value := range p.shape.schema {
			described[key] = value
		}
		fields[p.name] = described
		names = append(names, p.name)
		if p.required {
			required = append(required, p.name)
		}
	}
	schema := map[string]any{"type": "object", "properties": fields, "additionalProperties": false}
	if len(required) > 0 {
		schema["required"] = required
	}
	return shape{schema: schema, read: func(r *reader, n *yaml.Node, field string) {
		given := map[string]bool{}
		entries(r, n, field, "a mapping with the fields "+strings.Join(names, ", "), func(key, value *yaml.Node) {
			at := slices.Index(names, key.Value)
			if at < 0 {
				r.at(key, child(field, key.Value), fmt.Sprintf("found an unknown field %s; %s", strconv.Quote(key.Value), faults.Allowed(key.Value, names)))
				return
			}
			given[key.Value] = true
			properties[at].shape.read(r, value, child(field, key.Value))
		})
		for _, p := range properties {
			if p.required && !given[p.name] && n.Kind == yaml.MappingNode {
				r.at(n, child(field, p.name), "found no "+p.name+"; allowed: "+p.name+": "+p.doc)
			}
		}
	}}
}

// mapOf is a mapping whose keys the author chooses. element is called once per
// entry, in the file's order, and returns what the value may be.
func mapOf(keyDoc string, checkKey func(string) error, sample shape, element func(key string) shape) shape {
	schema := map[string]any{"type": "object", "minProperties": 1, "additionalProperties": sample.schema}
	return shape{schema: schema, read: func(r *reader, n *yaml.Node, field string) {
		entries(r, n, field, "a mapping with "+keyDoc, func(key, value *yaml.Node) {
			if err := checkKey(key.Value); err != nil {
				r.at(key, child(field, key.Value), err.Error())
				return
			}
			element(key.Value).read(r, value, child(field, key.Value))
		})
	}}
}

// entries walks a mapping, in order, and reports everything else and doubles.
func entries(r *reader, n *yaml.Node, field, allowed string, visit func(key, value *yaml.Node)) {
	r.place(field, n)
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
		r.place(child(field, key.Value), value)
		r.keys[child(field, key.Value)] = key
		visit(key, value)
	}
}

// sequence is a list; element is called once per entry and returns what it may be.
func sequence(doc string, least int, sample shape, element func() shape) shape {
	schema := map[string]any{"type": "array", "items": sample.schema}
	if least > 0 {
		schema["minItems"] = least
	}
	return shape{schema: schema, read: func(r *reader, n *yaml.Node, field string) {
		r.place(field, n)
		if n.Kind != yaml.SequenceNode {
			r.at(n, field, found(n)+"; allowed: a list of "+doc)
			return
		}
		if len(n.Content) < least {
			r.at(n, field, "found an empty list; allowed: a list of "+doc)
		}
		for i, value := range n.Content {
			at := field + "[" + strconv.Itoa(i) + "]"
			r.place(at, value)
			element().read(r, value, at)
		}
	}}
}

// either reads a node as the first shape when it has the given kind, as the
// second otherwise.
func either(kind yaml.Kind, first, second shape) shape {
	return shape{
		schema: map[string]any{"oneOf": []any{first.schema, second.schema}},
		read: func(r *reader, n *yaml.Node, field string) {
			if n.Kind == kind {
				first.read(r, n, field)
				return
			}
			second.read(r, n, field)
		},
	}
}

// scalar is a single value; parse's error says what was found and what is allowed.
func scalar(allowed string, schema map[string]any, parse func(string) error) shape {
	return shape{schema: parametrised(schema), read: func(r *reader, n *yaml.Node, field string) {
		r.place(field, n)
		if n.Kind != yaml.ScalarNode || isNull(n) {
			r.at(n, field, found(n)+"; allowed: "+allowed)
			return
		}
		if err := parse(n.Value); err != nil {
			r.at(n, field, err.Error())
		}
	}}
}

// text is words for readers; numbers and truth values are slips.
func text(into *string) shape {
	return shape{schema: map[string]any{"type": "string", "minLength": 1}, read: func(r *reader, n *yaml.Node, field string) {
		r.place(field, n)
		if n.Kind != yaml.ScalarNode || n.Tag != "!!str" || n.Value == "" {
			what := found(n)
			if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
				what = "found empty text"
			}
			r.at(n, field, what+"; allowed: text")
			return
		}
		*into = n.Value
	}}
}

// word is one of a few words.
func word[T ~string](into *T, words ...T) shape {
	allowed := make([]string, len(words))
	for i, w := range words {
		allowed[i] = string(w)
	}
	return scalar(strings.Join(allowed, ", "), map[string]any{"type": "string", "enum": allowed}, func(value string) error {
		if !slices.Contains(allowed, value) {
			return fmt.Errorf("found %s; %s", strconv.Quote(value), faults.Allowed(value, allowed))
		}
		*into = T(value)
		return nil
	})
}

// boolean is true or false and no other spelling.
func boolean(into *bool) shape {
	return scalar("true, false", map[string]any{"type": "boolean"}, func(value string) error {
		if value != "true" && value != "false" {
			return fmt.Errorf("found %s; allowed: true, false", strconv.Quote(value))
		}
		*into = value == "true"
		return nil
	})
}

// integer is a whole number in a closed range.
func integer[T ~int | ~int64](into *T, low, high T) shape {
	allowed := fmt.Sprintf("a whole number from %d to %d", low, high)
	return scalar(allowed, map[string]any{"type": "integer", "minimum": low, "maximum": high}, func(value string) error {
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n < int64(low) || n > int64(high) {
			return fmt.Errorf("found %s; allowed: %s", strconv.Quote(value), allowed)
		}
		*into = T(n)
		return nil
	})
}

// duration is a time with its unit, in a closed range.
func duration(into *time.Duration, low, high time.Duration) shape {
	allowed := fmt.Sprintf("a duration from %v to %v", low, high)
	pattern := durationPattern
	if low < 0 {
		pattern = strings.Replace(pattern, "^", "^-?", 1)
	}
	return scalar(allowed, map[string]any{"type": "string", "pattern": pattern}, func(value string) error {
		d, err := faults.ParseDuration(value)
		if err == nil && (d < low || d > high) {
			err = fmt.Errorf("found %s; allowed: %s", strconv.Quote(value), allowed)
		}
		if err != nil {
			return err
		}
		*into = d
		return nil
	})
}

// durations is a time or a range of times.
func durations(into *plan.Span, low, high time.Duration) shape {
	allowed := fmt.Sprintf("a duration from %v to %v, or a range like 1ms..5ms", low, high)
	return scalar(allowed, map[string]any{"type": "string", "pattern": spanPattern}, func(value string) error {
		s, err := faults.ParseSpan(value)
		if err == nil && (s.Low < low || s.High > high) {
			err = fmt.Errorf("found %s; allowed: %s", strconv.Quote(value), allowed)
		}
		if err != nil {
			return err
		}
		*into = s
		return nil
	})
}

// percent is a probability, held in parts per million.
func percent(into *int64) shape {
	return scalar("a percentage like 2.5%", map[string]any{"type": "string", "pattern": `^\d{1,3}(\.\d{1,4})?%$`}, func(value string) error {
		ppm, err := faults.ParsePercent(value)
		if err == nil {
			*into = ppm
		}
		return err
	})
}

const (
	oneDuration     = `([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+`
	durationPattern = `^(0|` + oneDuration + `)$`
	spanPattern     = `^(0|` + oneDuration + `)(\.\.` + oneDuration + `)?$`
)
