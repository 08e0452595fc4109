package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"redlocklab/faults"
	"redlocklab/scenarios/overlay"
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
	planted   bool // one of the laboratory's own bugs, which nobody is offered
}

// Variant is a subject with some of its options set, as a row of the matrix.
type Variant struct {
	Label   string
	Options []Option // in the order of the declaration
}

// driverOption is what every subject on go-redis understands.
var driverOption = OptionDeclaration{"driver", []string{"plain", "retrying"}, "whether go-redis sends a command again whose answer did not come within a fifth of the node timeout"}

// declarations are the subjects in the order of reports.
var declarations = []SubjectDeclaration{
	{
		Name: "SY-0", Alias: "textbook", Doc: "the textbook algorithm and nothing more",
		Abilities: Abilities{Extends: true, Commands: []string{"SET", "release", "extend"}},
		Options: []OptionDeclaration{
			{"clock", []string{"boottime", "monotonic", "wall"}, "the clock that measures validity"},
			{"token", []string{"unique", "shared"}, "whether every attempt has its own token"},
			{"retry", []string{"random", "fixed"}, "whether the delay between attempts is drawn, or always the middle of the range"},
			{"order", []string{"parallel", "sequential", "shuffled"}, "how the nodes are asked: all at once, or one by one in a fixed or a drawn order"},
			{"set", []string{"plain", "get"}, "how it asks: SET NX, which refuses a key that carries the attempt's own token; or SET NX GET, whose answer shows the token, and counts it"},
			{"extension", []string{"plain", "top-up"}, "whether an extension also sets the key where it is missing, which is no vote"},
			{"fence", []string{"none", "maximum"}, "where its fencing tokens come from, with lock.fencing: subject: from nowhere; " +
				"or each node counts the attempts that it grants, and the token is the largest count of the majority, written back to nobody"},
			driverOption,
			{"bug", []string{"none", "no-allowance", "no-clean-up", "blind-commands", "eager-extension", "half-quorum",
				"responders-quorum", "minority-quorum", "one-vote", "overwriting-set", "errors-vote", "short-keys", "late-validity", "blind-release", "blind-clean-up",
				"lone-extension", "late-extension-validity", "adding-extension", "no-extension-allowance", "failed-extension-lengthens", "token-per-client"},
				"a planted bug, for rows that show that a scenario can fail: nothing is taken off the validity; a lost attempt is not released; " +
					"release and extension do not compare the token; an extension counts with one vote and however late; half of the nodes are a majority; " +
					"so is a majority of those that answer; so is half rounded down; so is one node; SET without NX; an error is a vote; keys live for nine tenths of the TTL; " +
					"the validity begins at the last answer; a release does not compare the token; a lost attempt's clean-up does not; " +
					"an extension counts with one vote; its validity begins at the last answer, or is added to what is left, or has nothing taken off it, or moves though the extension failed; " +
					"all attempts of one client have one token"},
		},
	},
	{
		Name: "SY-10", Alias: "redlock", Doc: "this project's package redlock",
		Abilities: Abilities{Extends: true, Fences: true, Commands: []string{"SET", "acquire", "release", "extend"}},
		Options: []OptionDeclaration{
			{"guard", []string{"true", "false"}, "whether votes of a node that restarted within the largest TTL are left out"},
			{"renewal", []string{"false", "true"}, "whether a watchdog renews every lease"},
			{"open", []string{"unchecked", "checked"}, "whether the client checks before its first acquisition that no two nodes are one server, as redlock.Open does"},
			{"extensions", []string{"unbounded", "bounded"}, "whether a lease can be extended only as often as the scenario's lock.extensions says"},
			{driverOption.Name, append(slices.Clone(driverOption.Values), "wrapped"), driverOption.Doc +
				"; wrapped: so does one that the package sees through a type of the user's, whose commands it cannot exempt"},
			{"patch", patchNames(), "a bug that was planted into the package's source: such runs are played by a program that is built with it, which needs the Go tool and this source"},
		},
	},
}

// Check says what is wrong with a setting of the subject; nil when it is declared.
func (d SubjectDeclaration) Check(setting Option) error {
	names := make([]string, len(d.Options))
	for i, o := range d.Options {
		if names[i] = o.Name; o.Name != setting.Name {
			continue
		}
		if !slices.Contains(o.Values, setting.Value) {
			return fmt.Errorf("found %s for the option %s of %s; %s", quoted(setting.Value), setting.Name, d.Name, faults.Allowed(setting.Value, o.Values))
		}
		return nil
	}
	return fmt.Errorf("found the unknown option %s of %s; %s", quoted(setting.Name), d.Name, faults.Allowed(setting.Name, names))
}

// patchNames are the values of the option that names a planted patch.
func patchNames() []string {
	names := []string{overlay.None}
	for _, p := range overlay.Patches() {
		names = append(names, p.Name)
	}
	return names
}

// Patch names the patch of package redlock that a subject's runs need in the
// program that plays them; overlay.None for the source as it is.
func (s Subject) Patch() string { return s.Option("patch", overlay.None) }

// Watchdog reports whether the subject renews every lease until its release.
func (s Subject) Watchdog() bool {
	d, _ := declared(s.Name)
	return d.Abilities.Watchdog
}

// Subjects returns what is declared, in the order of reports.
func Subjects() []SubjectDeclaration { return slices.Clone(declarations) }

// DeclareSubject makes a subject known to the loader. It is for init functions
// beside a subject's code and panics when the name is taken or an option has no values.
func DeclareSubject(d SubjectDeclaration) {
	if _, known := declared(d.Name); known {
		panic("scenarios: subject " + d.Name + " is declared twice")
	}
	declarations = append(declarations, d)
	slices.SortStableFunc(declarations, func(a, b SubjectDeclaration) int { return compareNames(a.Name, b.Name) })
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

func declared(name string) (SubjectDeclaration, bool) {
	for _, d := range declarations {
		if d.Name == name {
			return d, true
		}
	}
	return SubjectDeclaration{}, false
}

// checkSubject says what is wrong with a subject's title: a declared name, and a
// word behind it where one file has several rows of one subject.
func checkSubject(title string) error {
	name, label, labelled := strings.Cut(title, " ")
	var names []string
	for _, d := range declarations {
		if d.Alias == name && name != "" {
			return fmt.Errorf("found %s, which is the command line's word for %s; allowed: %s", quoted(name), d.Name, d.Name)
		}
		if !d.planted {
			names = append(names, d.Name)
		}
	}
	if _, known := declared(name); !known {
		return fmt.Errorf("found the unknown subject %s; %s", quoted(name), faults.Allowed(name, names))
	}
	if labelled && checkResource(label) != nil {
		return fmt.Errorf("found %s behind %s; allowed: one word that tells this row from the subject's others", quoted(label), name)
	}
	return nil
}
