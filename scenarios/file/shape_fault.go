package file

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"redlocklab/faults"
)

// schedule is the list of faults, each of which package faults reads.
func schedule(into *faults.Schedule) shape {
	return listOf((*[]faults.Fault)(into), "faults", 0, func(into *faults.Fault) shape {
		return parsedFields(into, faults.Parse, "a mapping with name, a kind of fault, its parameters, and at or when",
			func() schema { return schema{"oneOf": faultSchemas()} }).then(settableWords)
	})
}

// parsedFields is a mapping whose fields parse reads as words.
func parsedFields[T interface{ Fields() []faults.Field }](
	into *T, parse func([]faults.Field) (T, []faults.Problem), allowed string, describe func() schema,
) shape {
	write := func(*yaml.Node) *yaml.Node {
		n := flowMapping()
		for _, f := range (*into).Fields() {
			put(n, f.Key, writtenScalar(f.Value, nil))
		}
		return n
	}
	return shape{schema: describe, write: write, read: func(r *reader, n *yaml.Node, field string) {
		before := len(r.errors)
		fields := fieldsOf(r, n, field, allowed)
		if len(r.errors) > before {
			return
		}
		var problems []faults.Problem
		*into, problems = parse(fields)
		for _, p := range problems {
			at := field
			if p.Field != "" {
				at = child(field, p.Field)
			}
			r.reportAt(at, p.Word, p.Message)
		}
	}}
}

// fieldsOf are the fields of a mapping whose values are single values or lists of them.
func fieldsOf(r *reader, n *yaml.Node, field, allowed string) []faults.Field {
	var fields []faults.Field
	entries(r, n, field, allowed, func(key, value *yaml.Node) {
		at := child(field, key.Value)
		values := []*yaml.Node{value}
		if value.Kind == yaml.SequenceNode {
			values = value.Content
		}
		var parts []string
		for _, v := range values {
			if v.Kind != yaml.ScalarNode || isNull(v) {
				r.at(v, at, found(v)+"; allowed: a single value or a list of them")
				return
			}
			parts = append(parts, v.Value)
		}
		fields = append(fields, faults.Field{Key: key.Value, Value: strings.Join(parts, " ")})
	})
	return fields
}

// faultSchemas has one schema for each kind of fault.
func faultSchemas() []any {
	var forms []any
	for _, k := range faults.Kinds() {
		common := slices.Concat(faults.TriggerParameters(), faults.RepetitionParameters())
		properties := wordSchemas(slices.Concat(k.Parameters, common))
		properties["name"] = schema{"type": "string", "description": "what the trace and the reports call it"}
		required := []string{"name"}
		for _, p := range k.Parameters {
			if p.Default == "" {
				required = append(required, p.Name)
			}
		}
		forms = append(forms, schema{
			"type": "object", "title": k.Name, "description": k.Summary, "properties": properties,
			"required": required, "additionalProperties": false,
			"oneOf": []any{schema{"required": []string{"at"}}, schema{"required": []string{"when"}}},
		})
	}
	return forms
}

func wordSchemas(parameters []faults.Parameter) schema {
	properties := schema{}
	for _, p := range parameters {
		properties[p.Name] = schema{
			"description": p.Meaning + " (" + p.Range + ")",
			"oneOf": []any{
				schema{"type": []string{"string", "integer"}},
				schema{"type": "array", "items": schema{"type": "string"}},
			},
		}
	}
	return properties
}
