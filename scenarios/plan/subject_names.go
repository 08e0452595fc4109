package plan

import (
	"fmt"
	"redlocklab/faults"
	"slices"
	"strconv"
	"strings"
)

// Systems returns the declared subjects that are systems of the claims, in their order.
func Systems() []SubjectDeclaration {
	return slices.DeleteFunc(Subjects(), func(d SubjectDeclaration) bool { return d.System() == "" })
}

// KnownAs is the name that people know a subject by: its alias, or else its name.
func KnownAs(subject string) string {
	for _, d := range Subjects() {
		if d.Name == subject && d.Alias != "" {
			return d.Alias
		}
	}
	return subject
}

// OneSubject finds the one system that a name of the command line means, and the
// options of the row that the label behind it names, among its variants and in the suite.
func OneSubject(name string, suite []*Scenario) (SubjectDeclaration, []Option, error) {
	found, label, err := SubjectNamed(name)
	if err != nil {
		return SubjectDeclaration{}, nil, err
	}
	if len(found) > 1 {
		names := make([]string, len(found))
		for i, d := range found {
			names[i] = d.Name
		}
		return SubjectDeclaration{}, nil, fmt.Errorf("found %s, which are %d subjects; allowed: one of %s", strconv.Quote(name), len(found), strings.Join(names, ", "))
	}
	d := found[0]
	if label == "" {
		return d, nil, nil
	}
	rows := d.Rows()
	for _, s := range suite {
		rows = append(rows, s.Subjects...)
	}
	var labels []string
	for _, row := range rows {
		if row.Name != d.Name || row.Label == "" {
			continue
		}
		if row.Label == label {
			return d, slices.Clone(row.Options), nil
		}
		if !slices.Contains(labels, row.Label) {
			labels = append(labels, row.Label)
		}
	}
	return d, nil, fmt.Errorf("found %s behind %s; %s", strconv.Quote(label), d.Name, faults.Allowed(label, labels))
}

// SubjectNamed finds the systems that a name of the command line means: a
// subject's own name, its alias, the system that several subjects are, or a title (the name with
// the label of a row behind it). The label is empty when all rows are meant.
func SubjectNamed(name string) (found []SubjectDeclaration, label string, err error) {
	word, label, _ := strings.Cut(name, " ")
	var allowed []string
	for _, d := range Subjects() {
		if word == d.Name || word == d.Alias || word == d.System() {
			found = append(found, d)
		}
		if d.System() != "" {
			allowed = append(allowed, d.Name)
			if d.Alias != "" {
				allowed = append(allowed, d.Alias)
			}
		}
	}
	if len(found) == 0 {
		return nil, "", fmt.Errorf("found the unknown subject %s; %s", strconv.Quote(word), faults.Allowed(word, allowed))
	}
	return found, label, nil
}
