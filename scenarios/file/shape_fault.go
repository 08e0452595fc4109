package file

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"redlocklab/faults"
)

// schedule is the list of faults. Package faults reads each of them.
func schedule(into *faults.Schedule) shape {
	sample := shape{schema: map[string]any{"oneOf": faultSchemas()}}
	return sequence("faults", 0, sample, func() shape {
		return shape{read: func(r *reader, n *yaml.Node, field string) {
			before := len(r.errors)
			fields := faultFields(r, n, field, "a mapping with name, a kind of fault, its parameters, and at or when")
			if len(r.errors) > before {
				return
			}
			f, problems := faults.Parse(fields)
			for _, p := range problems {
				reportFault(r, field, p)
			}
			*into = append(*into, f)
		}}
	})
}

// reportFault points at the word of a fault that a problem is about.
func reportFault(r *reader, field string, p faults.Problem) {
	if p.Field != "" {
		field = child(field, p.Field)
	}
	if key := r.keys[field]; p.Word && key != nil {
		r.at(key, field, p.Message)
		return
	}
	r.report(field, p.Message)
}

// faultFields reads a mapping of single values and lists of them as words.
func faultFields(r *reader, n *yaml.Node, field, allowed string) []faults.Field {
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

// faultSchemas has one form per kind of fault.
func faultSchemas() []any {
	var forms []any
	for _, k := range faults.Kinds() {
		properties := wordSchemas(slices.Concat(k.Parameters, faults.TriggerParameters(), faults.RepetitionParameters()))
		properties["name"] = map[string]any{"type": "string", "description": "what the trace and the reports call it"}
		required := []string{"name"}
		for _, p := range k.Parameters {
			if p.Default == "" {
				required = append(required, p.Name)
			}
		}
		forms = append(forms, map[string]any{
			"type": "object", "title": k.Name, "description": k.Summary, "properties": properties,
			"required": required, "additionalProperties": false,
			"oneOf": []any{map[string]any{"required": []string{"at"}}, map[string]any{"required": []string{"when"}}},
		})
	}
	return forms
}

func wordSchemas(parameters []faults.Parameter) map[string]any {
	properties := map[string]any{}
	for _, p := range parameters {
		properties[p.Name] = map[string]any{
			"description": p.Meaning + " (" + p.Range + ")",
			"oneOf": []any{
				map[string]any{"type": []string{"string", "integer"}},
				map[string]any{"type": "array", "items": map[string]any{"type": "string"}},
			},
		}
	}
	return properties
}
