package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"redlocklab/faults"
)

// Cell is one subject against one scenario: a row of the suite, or what could be one.
type Cell struct {
	// Scenario has the subject among its own, so that the cell can be played: it is
	// the file's, or a copy of it with one subject more.
	Scenario *Scenario
	Subject  Subject
	// NotApplicable says why there is nothing to play; empty when there is.
	NotApplicable string
}

// Stated reports whether the scenario's file says what is expected.
func (c Cell) Stated() bool { return !c.Subject.Unstated }

// Systems returns the declared subjects that are systems of the claims, in their order.
func Systems() []SubjectDeclaration {
	return slices.DeleteFunc(Subjects(), func(d SubjectDeclaration) bool { return d.System() == "" })
}

// System is the id of the system in the list of claims that the subject is:
// SY-11 of SY-11-redsync. It is empty for the laboratory's own planted bugs.
func (d SubjectDeclaration) System() string {
	family, rest, _ := strings.Cut(d.Name, "-")
	number, _, _ := strings.Cut(rest, "-")
	if id := family + "-" + number; family == "SY" && checkClaim(id) == nil {
		return id
	}
	return ""
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

// Cells returns the whole matrix: every scenario with every system, in the order
// of the scenarios, then of the systems. A system's cells are the rows that the
// file has of it, then those of its variants that are none of them.
func Cells(suite []*Scenario) []Cell {
	var cells []Cell
	for _, s := range suite {
		cells = append(cells, s.Cells()...)
	}
	return cells
}

// Cells returns one scenario's part of the matrix, and behind it the file's rows
// of subjects that are no system of the claims.
func (s *Scenario) Cells() []Cell {
	var cells []Cell
	for _, d := range Systems() {
		cells = append(cells, s.cells(d)...)
	}
	for _, subject := range s.Subjects {
		if (SubjectDeclaration{Name: subject.Name}).System() == "" {
			cells = append(cells, Cell{Scenario: s, Subject: subject})
		}
	}
	return cells
}

func (s *Scenario) cells(d SubjectDeclaration) []Cell {
	var cells []Cell
	for _, subject := range s.Subjects {
		if subject.Name == d.Name {
			cells = append(cells, Cell{Scenario: s, Subject: subject})
		}
	}
	for _, subject := range d.rows() {
		if slices.ContainsFunc(cells, func(c Cell) bool { return d.same(c.Subject, subject) }) || len(cells) > 0 && len(d.Variants) == 0 {
			continue
		}
		cell := Cell{Scenario: s, Subject: subject, NotApplicable: NotApplicable(s, subject)}
		if cell.NotApplicable == "" {
			with := *s
			with.Subjects = append(slices.Clone(s.Subjects), subject)
			cell.Scenario = &with
		}
		cells = append(cells, cell)
	}
	return cells
}

// same reports whether two rows of a subject are one title or have one setting of all options.
func (d SubjectDeclaration) same(a, b Subject) bool {
	return a.Title() == b.Title() || !slices.ContainsFunc(d.Options, func(o OptionDeclaration) bool {
		return a.Option(o.Name, o.Values[0]) != b.Option(o.Name, o.Values[0])
	})
}

// rows are the variants as subjects of which nothing is expected.
func (d SubjectDeclaration) rows() []Subject {
	variants := d.Variants
	if len(variants) == 0 {
		variants = []Variant{{}}
	}
	rows := make([]Subject, len(variants))
	for i, v := range variants {
		rows[i] = Subject{Name: d.Name, Label: v.Label, Options: slices.Clone(v.Options), Unstated: true}
	}
	return rows
}

// OneSubject finds the one system that a name of the command line means, and the
// options of the row that the label behind it names, among its variants and in the suite.
func OneSubject(name string) (SubjectDeclaration, []Option, error) {
	found, label, err := SubjectNamed(name)
	if err != nil {
		return SubjectDeclaration{}, nil, err
	}
	if len(found) > 1 {
		names := make([]string, len(found))
		for i, d := range found {
			names[i] = d.Name
		}
		return SubjectDeclaration{}, nil, fmt.Errorf("found %s, which are %d subjects; allowed: one of %s", quoted(name), len(found), list(names))
	}
	d := found[0]
	if label == "" {
		return d, nil, nil
	}
	rows := d.rows()
	suite, err := Suite()
	if err != nil {
		return d, nil, err
	}
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
	return d, nil, fmt.Errorf("found %s behind %s; %s", quoted(label), d.Name, faults.Allowed(label, labels))
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
		return nil, "", fmt.Errorf("found the unknown subject %s; %s", quoted(word), faults.Allowed(word, allowed))
	}
	return found, label, nil
}
