package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"redlocklab/faults"
)

// SystemOf returns the id of the claims' system that a subject is: SY-11 for
// SY-11-redsync. It is empty for planted bugs.
func SystemOf(subject string) string {
	family, rest, _ := strings.Cut(subject, "-")
	number, _, _ := strings.Cut(rest, "-")
	if id := family + "-" + number; family == "SY" && CheckClaim(id) == nil {
		return id
	}
	return ""
}

// KnownAs returns the name that people use for a subject: its alias, or else its name.
func KnownAs(subject string) string {
	if d, _ := Declared(subject); d.Alias != "" {
		return d.Alias
	}
	return subject
}

// CheckSubject says what is wrong with a subject's title: a declared name, with a word
// behind it where one file has several rows of the subject.
func CheckSubject(title string) error {
	name, label, labelled := strings.Cut(title, " ")
	if labelled && CheckResource(label) != nil {
		return fmt.Errorf("found %s behind %s; allowed: one word that distinguishes this row from the subject's others", strconv.Quote(label), name)
	}
	if !AnyDeclared() {
		return nil
	}
	var names []string
	for _, d := range declarations {
		switch {
		case d.Name == name:
			return nil
		case d.Alias == name && name != "":
			return fmt.Errorf("found %s, which is the command line's word for %s; allowed: %s", strconv.Quote(name), d.Name, d.Name)
		case !d.Planted:
			names = append(names, d.Name)
		}
	}
	return fmt.Errorf("found the unknown subject %s; %s", strconv.Quote(name), faults.Allowed(name, names))
}

// SubjectNamed finds the subjects that a name of the command line means: a subject's name
// or alias, a system of several subjects, or a title (a name and the label of a row). The
// label is empty when all rows are meant.
func SubjectNamed(name string) (found []SubjectDeclaration, label string, err error) {
	word, label, _ := strings.Cut(name, " ")
	var allowed []string
	for _, d := range declarations {
		if word != "" && (word == d.Name || word == d.Alias || word == SystemOf(d.Name)) {
			found = append(found, d)
		}
		if d.Planted {
			continue
		}
		allowed = append(allowed, d.Name)
		if d.Alias != "" {
			allowed = append(allowed, d.Alias)
		}
	}
	if len(found) == 0 {
		return nil, "", fmt.Errorf("found the unknown subject %s; %s", strconv.Quote(word), faults.Allowed(word, allowed))
	}
	return found, label, nil
}

// OneSubject finds the one subject that a name of the command line means, and the options
// of the row that its label means, among the subject's variants and the suite's rows.
func OneSubject(name string, suite []*Scenario) (SubjectDeclaration, []Option, error) {
	found, label, err := SubjectNamed(name)
	if err != nil {
		return SubjectDeclaration{}, nil, err
	}
	if len(found) > 1 {
		names := Texts(found, func(d SubjectDeclaration) string { return d.Name })
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
