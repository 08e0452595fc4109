package file

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"redlocklab/checker"
	"redlocklab/scenarios/plan"
)

// subjects are the locks under test, by title, with what is expected of each.
func subjects(into *[]plan.Subject) shape {
	return mapOf(into, "one subject per title", plan.CheckSubject, plan.Subject.Title, func(title string, into *plan.Subject) shape {
		into.Name, into.Label, _ = strings.Cut(title, " ")
		into.Expect, into.Runs = map[checker.Oracle]checker.Status{}, plan.RunsAll
		var oracles []property
		for _, oracle := range checker.Oracles() {
			verdict := checker.Holds
			into.Expect[oracle] = verdict
			expected := func(*reader, *yaml.Node, string) { into.Expect[oracle] = verdict }
			oracles = append(oracles, optional(string(oracle), "what this oracle says; default holds",
				word(&verdict, plan.Verdicts()...).then(expected)))
		}
		unstated := scalar(&into.Unstated, "any, or a mapping with oracles and their verdicts", schema{"const": "any"}, func(text string) (bool, error) {
			if text != "any" {
				return false, fmt.Errorf("found %s; allowed: any, or a mapping such as { overlap: holds }", strconv.Quote(text))
			}
			return true, nil
		})
		expect := either(yaml.ScalarNode, unstated, object(oracles...))
		expect.write = func(*yaml.Node) *yaml.Node { return writtenExpectation(into) }
		return object(
			required("expect", "the verdict of each oracle; or any: nothing is expected, and what is found is shown", expect),
			optional("broken", "exactly the assumptions that the run breaks; default none", words(&into.Broken, checker.Assumptions())),
			optional("runs", "all: every seed is like this (a scripted story); some: at least one is, and none is worse (a random family); default all", word(&into.Runs, into.Runs.Words()...)),
			optional("options", "the subject's settings", options(into)),
		).then(func(r *reader, n *yaml.Node, field string) {
			if into.Unstated && len(into.Broken) > 0 {
				r.at(n, child(field, "broken"), "found assumptions beside expect: any; allowed: none, for nothing is expected")
			}
			slices.Sort(into.Broken)
		})
	})
}

// writtenExpectation leaves out the oracles that hold, but one if all do.
func writtenExpectation(s *plan.Subject) *yaml.Node {
	if s.Unstated {
		return writtenScalar("any", nil)
	}
	holds := writtenScalar(checker.Holds, nil)
	n := flowMapping()
	for _, oracle := range checker.Oracles() {
		put(n, string(oracle), writtenScalar(s.Expect[oracle], holds))
	}
	if len(n.Content) == 0 {
		put(n, string(checker.OracleOverlap), holds)
	}
	return n
}

// options are the settings that the subject declares, in its order. A program that
// declares no subjects accepts all.
func options(into *plan.Subject) shape {
	describe := func() schema {
		return schema{"type": "object", "additionalProperties": schema{"type": []string{"string", "boolean", "integer"}}}
	}
	write := func(*yaml.Node) *yaml.Node {
		n := flowMapping()
		for _, o := range into.Options {
			put(n, o.Name, writtenScalar(o.Value, nil))
		}
		return unlessEmpty(n)
	}
	return shape{schema: describe, write: write, read: func(r *reader, n *yaml.Node, field string) {
		declaration, _ := plan.Declared(into.Name)
		if !plan.AnyDeclared() {
			entries(r, n, field, "a mapping with options", func(key, value *yaml.Node) {
				into.Options = append(into.Options, plan.Option{Name: key.Value, Value: value.Value})
			})
			return
		}
		names := plan.Texts(declaration.Options, func(o plan.OptionDeclaration) string { return o.Name })
		entries(r, n, field, "a mapping with the options of "+into.Name+": "+strings.Join(names, ", "), func(key, value *yaml.Node) {
			at := slices.Index(names, key.Value)
			if at < 0 {
				unknown := declaration.Check(plan.Option{Name: key.Value})
				r.at(key, child(field, key.Value), unknown.Error())
				return
			}
			var setting string
			option := declaration.Options[at]
			form := word(&setting, option.Values...)
			if option.Kind != "" {
				form = checked(&setting, option.Allowed(), nil, func(text string) error {
					return declaration.Check(plan.Option{Name: option.Name, Value: text})
				})
			}
			form.read(r, value, child(field, key.Value))
			into.Options = append(into.Options, plan.Option{Name: option.Name, Value: setting})
		})
		slices.SortFunc(into.Options, func(a, b plan.Option) int {
			return slices.Index(names, a.Name) - slices.Index(names, b.Name)
		})
	}}
}
