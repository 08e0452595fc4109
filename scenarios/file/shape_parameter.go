package file

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"redlocklab/scenarios/plan"
)

// parameterName is the form of a parameter's name.
var parameterName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// parameters are the values that fields refer to as $name.
func parameters(into *[]plan.Parameter) shape {
	checkName := func(name string) error {
		if !parameterName.MatchString(name) {
			return fmt.Errorf("found %q; allowed: a small letter followed by small letters, digits or _", name)
		}
		return nil
	}
	nameOf := func(p plan.Parameter) string { return p.Name }
	return mapOf(into, "one parameter per name", checkName, nameOf, func(name string, p *plan.Parameter) shape {
		p.Name = name
		var valueRange string
		return object(
			required("value", "what it is unless something else is set", anything(&p.Value, "a number, a time, a percentage or a word", schema{"type": []string{"string", "integer"}})),
			required("meaning", "what it changes, in plain words", text(&p.Meaning)),
			optional("unit", "of a whole number, such as ppm; a count needs none", text(&p.Unit)),
			optional("range", "of all but words: 0..20000 or 1ms..50ms", anything(&valueRange, "a range like 0..20000 or 1ms..50ms", schema{"type": "string"})),
			optional("words", "of words: the values that there are", listOf(&p.Words, "words", 1, func(into *string) shape {
				return anything(into, "a word", nil).describedAs(schema{"type": "string"})
			})),
		).then(func(r *reader, n *yaml.Node, field string) {
			if !r.clean(field) {
				return
			}
			if at, err := p.Complete(valueRange); err != nil {
				r.report(child(field, at), err.Error())
			}
		}).before(func() bool {
			if p.Kind != plan.WordParameter && p.Kind != "" {
				valueRange = p.Format(p.Low) + ".." + p.Format(p.High)
			}
			return true
		})
	})
}

// literalFields are the parts of a file in which a $ is not a reference.
var literalFields = map[string]bool{"claim": true, "title": true, "source": true, "story": true, "parameters": true, "map": true}

// reference is $name in a field.
var reference = regexp.MustCompile(`\$([A-Za-z0-9_]*)`)

// substitute replaces $name by the parameter's value, in all fields but the literal ones.
// It reports unknown names, and parameters that no field refers to.
func (r *reader) substitute(root *yaml.Node, declared []plan.Parameter) {
	if root.Kind != yaml.MappingNode {
		return
	}
	used := map[string]bool{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		if key := root.Content[i].Value; !literalFields[key] {
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
		if strings.Contains(n.Value, "$") {
			r.referring[n] = n.Value
		}
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

// parametrised is the schema of a field that may hold $name in place of its value, or
// inside it.
func parametrised(form schema) schema {
	return schema{"anyOf": []any{form, schema{"$ref": "#/$defs/parametrised"}}}
}
