package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"redlocklab/faults"
)

// OptionDeclaration is one setting that a subject understands.
type OptionDeclaration struct {
	Name   string
	Values []string // the first is the default
	Doc    string
}

// SubjectDeclaration is what a scenario file may say about a subject. The loader
// refuses subjects and options that are not declared.
type SubjectDeclaration struct {
	Name      string // a system of the claims (SY-3), perhaps with a word behind it where one system is several subjects
	Alias     string // what the command line takes beside the name; may be empty
	Doc       string
	Options   []OptionDeclaration
	Variants  []Variant // rows of the matrix; none is one row with the defaults
	Abilities Abilities
	Planted   bool // one of the laboratory's own bugs, which nobody is offered
}

// Variant is a subject with some of its options set, as a row of the matrix.
type Variant struct {
	Label   string
	Options []Option // in the order of the declaration
}

// declarations are the subjects in the order of reports.
var declarations []SubjectDeclaration

// Check says what is wrong with a setting of the subject; nil when it is declared.
func (d SubjectDeclaration) Check(setting Option) error {
	names := make([]string, len(d.Options))
	for i, o := range d.Options {
		if names[i] = o.Name; o.Name != setting.Name {
			continue
		}
		if !slices.Contains(o.Values, setting.Value) {
			return fmt.Errorf("found %s for the option %s of %s; %s", strconv.Quote(setting.Value), setting.Name, d.Name, faults.Allowed(setting.Value, o.Values))
		}
		return nil
	}
	return fmt.Errorf("found the unknown option %s of %s; %s", strconv.Quote(setting.Name), d.Name, faults.Allowed(setting.Name, names))
}

// defaults tells which values the options have that a row does not set.
func (d SubjectDeclaration) defaults() string {
	text := ""
	for i, o := range d.Options {
		separator := ", "
		if i == 0 {
			separator = "; by default "
		}
		text += separator + o.Name + ": " + o.Values[0]
	}
	return text
}

// NoPatch is the patch of a program that was built from the source as it is.
const NoPatch = "none"

// Patch names the patch of package redlock that a subject's runs need in the
// program that plays them; NoPatch for the source as it is.
func (s Subject) Patch() string { return s.Option("patch", NoPatch) }

// Watchdog reports whether the subject renews every lease until its release.
func (s Subject) Watchdog() bool {
	d, _ := Declared(s.Name)
	return d.Abilities.Watchdog
}

// Subjects returns what is declared, in the order of reports.
func Subjects() []SubjectDeclaration { return slices.Clone(declarations) }

// DeclareSubject makes a subject known to the loader. It is for init functions
// beside a subject's code and panics when the name is taken or an option has no values.
func DeclareSubject(d SubjectDeclaration) {
	if _, known := Declared(d.Name); known {
		panic("scenarios: subject " + d.Name + " is declared twice")
	}
	declarations = append(declarations, d)
	slices.SortStableFunc(declarations, func(a, b SubjectDeclaration) int { return CompareNames(a.Name, b.Name) })
	checkOptions(d)
}

func checkOptions(d SubjectDeclaration) {
	for i, o := range d.Options {
		taken := slices.ContainsFunc(d.Options[:i], func(other OptionDeclaration) bool { return other.Name == o.Name })
		if len(o.Values) == 0 || taken {
			panic(fmt.Sprintf("scenarios: option %s of %s has no values or is declared twice", o.Name, d.Name))
		}
	}
}

// Declared finds what is declared of a subject, by its name.
func Declared(name string) (SubjectDeclaration, bool) {
	for _, d := range declarations {
		if d.Name == name {
			return d, true
		}
	}
	return SubjectDeclaration{}, false
}

// CheckSubject says what is wrong with a subject's title: a declared name, and a
// word behind it where one file has several rows of one subject.
func CheckSubject(title string) error {
	name, label, labelled := strings.Cut(title, " ")
	if labelled && CheckResource(label) != nil {
		return fmt.Errorf("found %s behind %s; allowed: one word that tells this row from the subject's others", strconv.Quote(label), name)
	}
	if !Declares() {
		return nil
	}
	var names []string
	for _, d := range declarations {
		if d.Alias == name && name != "" {
			return fmt.Errorf("found %s, which is the command line's word for %s; allowed: %s", strconv.Quote(name), d.Name, d.Name)
		}
		if !d.Planted {
			names = append(names, d.Name)
		}
	}
	if _, known := Declared(name); !known {
		return fmt.Errorf("found the unknown subject %s; %s", strconv.Quote(name), faults.Allowed(name, names))
	}
	return nil
}

// Declares reports whether this program declares any subject. One that does not, such
// as the test of a lock outside this module, cannot check what files say of subjects.
func Declares() bool { return len(declarations) > 0 }

// System is the id of the system in the list of claims that the subject is:
// SY-11 of SY-11-redsync. It is empty for the laboratory's own planted bugs.
func (d SubjectDeclaration) System() string {
	family, rest, _ := strings.Cut(d.Name, "-")
	number, _, _ := strings.Cut(rest, "-")
	if id := family + "-" + number; family == "SY" && CheckClaim(id) == nil {
		return id
	}
	return ""
}

// Same reports whether two rows of a subject are one title or have one setting of all options.
func (d SubjectDeclaration) Same(a, b Subject) bool {
	return a.Title() == b.Title() || !slices.ContainsFunc(d.Options, func(o OptionDeclaration) bool {
		return a.Option(o.Name, o.Values[0]) != b.Option(o.Name, o.Values[0])
	})
}

// Rows returns the variants as subjects of which nothing is expected.
func (d SubjectDeclaration) Rows() []Subject {
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
