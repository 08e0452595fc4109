package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"redlocklab/checker"
	"redlocklab/faults"
)

// Verdicts returns what a file can expect of an oracle; it is never inconclusive.
func Verdicts() []checker.Status { return []checker.Status{checker.Holds, checker.Violated} }

// Runs says in how many of the seeds an expectation of "violated", and the
// broken assumptions, must show.
type Runs string

// RunsAll is for scripted stories. RunsSome is for random families: at least one run is as
// expected, and no run violates or breaks anything else.
const (
	RunsAll  Runs = "all"
	RunsSome Runs = "some"
)

// Words returns both values.
func (Runs) Words() []Runs { return []Runs{RunsAll, RunsSome} }

// Subject is one lock under test and what is expected of it.
type Subject struct {
	Name    string   `json:"name"`              // "SY-0"
	Label   string   `json:"label,omitempty"`   // distinguishes rows of one subject: "guarded"; may be empty
	Options []Option `json:"options,omitempty"` // in the order of the subject's declaration; only those that the file sets
	// Expect holds the verdict of every oracle; what the file leaves out holds.
	Expect map[checker.Oracle]checker.Status `json:"expect"`
	Broken []string                          `json:"broken,omitempty"` // exact set of broken assumptions, sorted
	Runs   Runs                              `json:"runs"`
	// Unstated: nothing is expected (in files "expect: any"); what is found is shown.
	Unstated bool `json:"unstated,omitempty"`
}

// Title is the name, with the label behind it when there is one.
func (s Subject) Title() string {
	if s.Label == "" {
		return s.Name
	}
	return s.Name + " " + s.Label
}

// Planted reports whether the row has a planted bug, which shows that a scenario can fail.
func (s Subject) Planted() bool { return s.Option("bug", "none") != "none" }

// renews reports whether the lock sends extensions that no step asks for.
func (s Subject) renews() bool {
	return !AnyDeclared() || s.Watchdog() || s.Option("renewal", "false") == "true"
}

// Option is one setting of a subject.
type Option struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// SetOption is an option that --set gave to subjects.
type SetOption struct {
	Subject string `json:"subject,omitempty"` // a name, an alias or a title; empty: every subject that accepts the value
	Option
}

// isFor reports whether the subject accepts the option.
func (o SetOption) isFor(s Subject) bool {
	d, known := Declared(s.Name)
	return known && d.Check(o.Option) == nil && slices.Contains([]string{"", d.Name, d.Alias, s.Title()}, o.Subject)
}

// CheckOptions says which of the options none of the subjects accepts: a run with it would be one
// without it. It is nil when there is none.
func CheckOptions(options []SetOption, subjects []Subject) error {
	for _, o := range options {
		if !slices.ContainsFunc(subjects, o.isFor) {
			return fmt.Errorf("found %s=%s, which none of the chosen locks accepts; allowed: an option of theirs, which ./simulate list subjects names", o.Name, o.Value)
		}
	}
	return nil
}

// With returns the subject with those of the options that it accepts.
func (s Subject) With(options []SetOption) Subject {
	d, _ := Declared(s.Name)
	for _, o := range options {
		if !o.isFor(s) {
			continue
		}
		set := []Option{}
		for _, declared := range d.Options { // in the order of the declaration
			if declared.Name == o.Name {
				set = append(set, o.Option)
			} else if value := s.Option(declared.Name, ""); value != "" {
				set = append(set, Option{declared.Name, value})
			}
		}
		s.Options = set
	}
	return s
}

// Option returns the value that the file sets, or the given default.
func (s Subject) Option(name, otherwise string) string {
	for _, option := range s.Options {
		if option.Name == name {
			return option.Value
		}
	}
	return otherwise
}

// Patch names the planted patch of package redlock that the program must be built with to
// play the subject; "none" for the source as it is.
func (s Subject) Patch() string { return s.Option("patch", "none") }

// Watchdog reports whether the subject renews every lease until its release.
func (s Subject) Watchdog() bool {
	d, _ := Declared(s.Name)
	return d.Abilities.Watchdog
}

// Expectation describes what a row expects: "holds", or what is violated, with the
// assumptions that are broken.
func (s Subject) Expectation() string {
	if s.Unstated {
		return "any: what is found is shown"
	}
	var violated []checker.Oracle
	for _, oracle := range checker.Oracles() {
		if s.Expect[oracle] == checker.Violated {
			violated = append(violated, oracle)
		}
	}
	text := checker.Headline(violated, nil)
	if len(s.Broken) > 0 {
		text += " (" + strings.Join(s.Broken, ", ") + ")"
	}
	return text
}

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
