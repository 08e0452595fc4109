package file

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"redlocklab/scenarios/plan"
)

// groups are names for several clients and nodes.
func groups(into *[]plan.Group) shape {
	nameOf := func(g plan.Group) string { return g.Name }
	return mapOf(into, "one group per name", plan.CheckGroupName, nameOf, func(name string, g *plan.Group) shape {
		g.Name = name
		return listOf(&g.Members, "clients and nodes", 1, text)
	}).with("propertyNames", schema{"pattern": namePattern})
}

// between are the two ends of a link in both directions.
func between(into *[2]string) shape {
	var ends []string
	return listOf(&ends, "two names of clients, nodes or groups", 1, text).with("minItems", 2).with("maxItems", 2).
		then(func(r *reader, n *yaml.Node, field string) {
			switch {
			case !r.clean(field):
			case len(ends) == 2:
				*into = [2]string(ends)
			default:
				r.at(n, field, fmt.Sprintf("found %d in the list; allowed: two names of clients, nodes or groups", len(ends)))
			}
		}).
		before(func() bool {
			ends = into[:]
			return *into != [2]string{}
		})
}

// linkForms are the fields that one link has.
func linkForms() []any {
	return []any{schema{"required": []string{"from", "to"}}, schema{"required": []string{"between"}}}
}

// checkLinkForm checks that a link has from and to, or between.
func checkLinkForm(r *reader, n *yaml.Node, field string) {
	if n.Kind != yaml.MappingNode || !r.clean(field) {
		return
	}
	has := func(name string) bool { return r.places[child(field, name)] != nil }
	const allowed = "; allowed: from and to, or between"
	switch {
	case has("between") && (has("from") || has("to")):
		r.at(n, field, "found between beside from or to"+allowed)
	case has("between"):
	case !has("from"):
		r.at(n, child(field, "from"), "found no from"+allowed)
	case !has("to"):
		r.at(n, child(field, "to"), "found no to"+allowed)
	}
}
