package file

import (
	"fmt"
	"redlocklab/scenarios/plan"
	"regexp"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// parameterName is the form of a parameter's name.
var parameterName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// parameters are the values that fields refer to as $name.
func parameters(into *[]plan.Parameter) shape {
	checkName := func(name string) error {
		if !parameterName.MatchString(name) {
			return fmt.Errorf("found %s; allowed: a small letter followed by small letters, digits or _", strconv.Quote(name))
		}
		return nil
	}
	var all []*plan.Parameter
	whole := mapOf("one parameter per name", checkName, parameter(new(plan.Parameter)), func(name string) shape {
		all = append(all, &plan.Parameter{Name: name})
		return parameter(all[len(all)-1])
	})
	return shape{schema: whole.schema, read: func(r *reader, n *yaml.Node, field string) {
		whole.read(r, n, field)
		for _, p := range all {
			*into = append(*into, *p)
		}
	}}
}

// parameter is one of them.
func parameter(p *plan.Parameter) shape {
	valueRange := ""
	single := map[string]any{"type": []string{"string", "integer"}}
	whole := object(
		property{"value", true, "what it is unless something else is set", scalar("a number, a time, a percentage or a word", single, func(value string) error {
			p.Value, p.Kind = value, plan.KindOf(value)
			return nil
		})},
		property{"meaning", true, "what it changes, in plain words", text(&p.Meaning)},
		property{"unit", false, "of a whole number: ppm, nodes, …", text(&p.Unit)},
		property{"range", false, "of all but words: 0..20000 or 1ms..50ms", scalar("a range like 0..20000 or 1ms..50ms", map[string]any{"type": "string"}, func(value string) error {
			valueRange = value
			return nil
		})},
		property{"words", false, "of words: the values that there are", sequence("words", 1, shape{schema: map[string]any{"type": "string"}}, func() shape {
			return scalar("a word", nil, func(value string) error {
				p.Words = append(p.Words, value)
				return nil
			})
		})},
	)
	return shape{schema: whole.schema, read: func(r *reader, n *yaml.Node, field string) {
		whole.read(r, n, field)
		if r.clean(field) {
			if at, err := p.Complete(valueRange); err != nil {
				r.report(child(field, at), err.Error())
			}
		}
	}}
}

// notPlayed are the parts of a file that are not played: a $ in them is a $.
var notPlayed = map[string]bool{"claim": true, "title": true, "source": true, "story": true, "parameters": true, "curve": true}

// reference is $name in a field.
var reference = regexp.MustCompile(`\$([A-Za-z0-9_]*)`)

// substitute puts the parameters' values in place of $name, in all fields that
// are played, and reports names that are not declared and parameters without use.
func (r *reader) substitute(root *yaml.Node, declared []plan.Parameter) {
	if root.Kind != yaml.MappingNode {
		return
	}
	used := map[string]bool{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		if key := root.Content[i].Value; !notPlayed[key] {
			r.substituteIn(root.Content[i+1], key, declared, used)
		}
	}
	for _, p := range declared {
		if !used[p.Name] {
			field := child("parameters", p.Name)
			r.at(r.keys[field], field, "found a parameter without use; allowed: one that a field refers to as $"+p.Name)
		}
	}
}

func (r *reader) substituteIn(n *yaml.Node, field string, declared []plan.Parameter, used map[string]bool) {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			r.substituteIn(n.Content[i+1], child(field, n.Content[i].Value), declared, used)
		}
	case yaml.SequenceNode:
		for i, each := range n.Content {
			r.substituteIn(each, field+"["+strconv.Itoa(i)+"]", declared, used)
		}
	case yaml.ScalarNode:
		n.Value = reference.ReplaceAllStringFunc(n.Value, func(found string) string {
			p, err := (&plan.Scenario{Name: "this file", Parameters: declared}).Parameter(found[1:])
			if err != nil {
				r.at(n, field, err.Error())
				return found
			}
			used[p.Name] = true
			return p.Value
		})
	}
}

// parametrised is the schema of a field that may hold $name instead of, or
// inside, its own form.
func parametrised(schema map[string]any) map[string]any {
	if schema == nil {
		return nil
	}
	return map[string]any{"anyOf": []any{schema, map[string]any{"$ref": "#/$defs/parametrised"}}}
}

// parametrisedSchema is the definition that parametrised refers to.
func parametrisedSchema() map[string]any {
	return map[string]any{"type": "string", "pattern": `\$[a-z][a-z0-9_]*`, "description": "with the values of parameters"}
}
