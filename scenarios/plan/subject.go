package plan

import (
	"fmt"
	"slices"
	"strings"

	"redlocklab/checker"
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
