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

// subjects are the locks under test, by name.
func subjects(into *[]plan.Subject) shape {
	var list []*plan.Subject
	whole := mapOf("one subject per title", plan.CheckSubject, subject(new(plan.Subject)), func(title string) shape {
		name, label, _ := strings.Cut(title, " ")
		list = append(list, &plan.Subject{Name: name, Label: label})
		return subject(list[len(list)-1])
	})
	return shape{schema: whole.schema, read: func(r *reader, n *yaml.Node, field string) {
		whole.read(r, n, field)
		for _, s := range list {
			*into = append(*into, *s)
		}
	}}
}

// subject is what is expected of one of them.
func subject(into *plan.Subject) shape {
	into.Expect, into.Runs = map[plan.Oracle]plan.Verdict{}, plan.RunsAll
	var oracles []property
	for _, oracle := range plan.Oracles() {
		verdict := plan.Holds
		into.Expect[oracle] = plan.Holds
		said := word(&verdict, plan.Holds, plan.Violated)
		read := said.read
		said.read = func(r *reader, n *yaml.Node, field string) {
			read(r, n, field)
			into.Expect[oracle] = verdict
		}
		oracles = append(oracles, property{string(oracle), false, "what this oracle says; default holds", said})
	}
	nothing := scalar("any, or a mapping with oracles and their verdicts", map[string]any{"const": "any"}, func(value string) error {
		if value != "any" {
			return fmt.Errorf("found %s; allowed: any, or a mapping such as { overlap: holds }", strconv.Quote(value))
		}
		into.Unstated = true
		return nil
	})
	whole := object(
		property{"expect", true, "the verdict of each oracle; or any: nothing is expected, and what is found is shown", either(yaml.ScalarNode, nothing, object(oracles...))},
		property{"broken", false, "exactly the assumptions that the run breaks; default none", words(&into.Broken, plan.Assumptions())},
		property{"runs", false, "all: every seed is like this (a scripted story); some: at least one is, and none is worse (a random family); default all", word(&into.Runs, plan.RunsAll, plan.RunsSome)},
		property{"options", false, "the subject's settings", options(into)},
	)
	return shape{schema: whole.schema, read: func(r *reader, n *yaml.Node, field string) {
		whole.read(r, n, field)
		if into.Unstated && len(into.Broken) > 0 {
			r.at(n, child(field, "broken"), "found assumptions beside expect: any; allowed: none, for nothing is expected")
		}
		slices.Sort(into.Broken)
	}}
}

// options are the settings that the subject declares, in its order. A program that
// declares no subjects takes them as they are.
func options(into *plan.Subject) shape {
	schema := map[string]any{"type": "object", "additionalProperties": map[string]any{"type": []string{"string", "boolean", "integer"}}}
	return shape{schema: schema, read: func(r *reader, n *yaml.Node, field string) {
		declaration, _ := plan.Declared(into.Name)
		if !plan.Declares() {
			entries(r, n, field, "a mapping with options", func(key, value *yaml.Node) {
				into.Options = append(into.Options, plan.Option{Name: key.Value, Value: value.Value})
			})
			return
		}
		names := make([]string, len(declaration.Options))
		for i, o := range declaration.Options {
			names[i] = o.Name
		}
		given := map[string]string{}
		entries(r, n, field, "a mapping with the options of "+into.Name+": "+strings.Join(names, ", "), func(key, value *yaml.Node) {
			at := slices.Index(names, key.Value)
			if at < 0 {
				r.at(key, child(field, key.Value), fmt.Sprintf("found the unknown option %s of %s; %s", strconv.Quote(key.Value), into.Name, faults.Allowed(key.Value, names)))
				return
			}
			var setting string
			word(&setting, declaration.Options[at].Values...).read(r, value, child(field, key.Value))
			given[key.Value] = setting
		})
		for _, name := range names {
			if value, set := given[name]; set {
				into.Options = append(into.Options, plan.Option{Name: name, Value: value})
			}
		}
	}}
}
