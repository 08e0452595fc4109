package plan

import (
	"fmt"
	"slices"
	"strings"

	"redlocklab/faults"
)

// SubjectDeclaration is what a scenario file may say about a subject. The loader
// rejects subjects and options that are not declared.
type SubjectDeclaration struct {
	Name      string // a system of the claims (SY-3), with a word behind it where one system is several subjects
	Alias     string // the command line accepts it in place of the name; may be empty
	Doc       string
	Options   []OptionDeclaration
	Variants  []Variant // its rows in the matrix; none: one row with the defaults
	Abilities Abilities
	Planted   bool // a planted bug: it can be played, but no list and no message offers it
}

// OptionDeclaration is one setting that a subject understands.
type OptionDeclaration struct {
	Name string
	// Values are the words; the first is the default. Of a number, a time or a percentage
	// they are the default alone, which may be a word.
	Values []string
	Doc    string
	// Kind is empty for words. Values of another kind lie from Low to High.
	Kind      ParameterKind
	Unit      string // of numbers
	Low, High int64
}

// Parameter is the option as --set and maps change it.
func (o OptionDeclaration) Parameter() Parameter {
	p := Parameter{
		Name: o.Name, Meaning: o.Doc, Kind: o.Kind, Unit: o.Unit, Value: o.Values[0], Low: o.Low, High: o.High,
	}
	if o.Kind == "" {
		p.Kind, p.Words = WordParameter, o.Values
	}
	return p
}

// Allowed says which values the option can have.
func (o OptionDeclaration) Allowed() string { return o.Parameter().Allowed() }

// Variant is a subject with some of its options set, as a row of the matrix.
type Variant struct {
	Label   string
	Options []Option // in the order of the declaration
}

// Abilities say what a subject can do and what it uses. They decide which
// scenarios are applicable to it.
type Abilities struct {
	OneNode  bool // it keeps its lock on the first node and uses no other
	Extends  bool // a holder can ask for an extension
	Watchdog bool // every lease is renewed until its release
	InOrder  bool // it asks the nodes one after the other, always in the same order
	Timeless bool // its keys have no TTL
	// WritesDates: it writes times of day into keys (PXAT, EXPIREAT) or values, so that it
	// needs wall clocks that agree: A-WALL.
	WritesDates bool
	// DriverRetries: its driver sends a command again by itself when no answer comes. The
	// laboratory's go-redis clients then do so, too.
	DriverRetries bool
	// BeyondTextbook: it promises more than the textbook, as package redlock does. A release
	// that failed is sent again while the keys live, nothing that sets a key is sent after
	// the lease's end, and a round ends when its validity would be over.
	BeyondTextbook bool
	Tokens         bool // it can be given the token of its keys: Environment.Token
	ShortTTLs      bool // it accepts a TTL below 1 ms
	Fences         bool // its leases come with fencing tokens
	Guards         bool // it rejects the votes of a node that has not been up for the largest TTL
	// Commands are those, and the registered scripts, that it sends for its locks. Triggers
	// can wait for them; none: not known.
	Commands []string
}

// declarations are all subjects, in the order of reports.
var declarations []SubjectDeclaration

// DeclareSubject makes a subject known to the loader. It is for init functions beside a
// subject's code. It panics if the name is taken, or an option has no values or is declared twice.
func DeclareSubject(d SubjectDeclaration) {
	if _, known := Declared(d.Name); known {
		panic("scenarios: subject " + d.Name + " is declared twice")
	}
	for i, o := range d.Options {
		taken := slices.ContainsFunc(d.Options[:i], func(other OptionDeclaration) bool { return other.Name == o.Name })
		if len(o.Values) == 0 || taken {
			panic(fmt.Sprintf("scenarios: option %s of %s has no values or is declared twice", o.Name, d.Name))
		}
	}
	declarations = append(declarations, d)
	slices.SortStableFunc(declarations, func(a, b SubjectDeclaration) int { return CompareNames(a.Name, b.Name) })
}

// Declared finds the declaration of a subject by its name.
func Declared(name string) (SubjectDeclaration, bool) {
	i := slices.IndexFunc(declarations, func(d SubjectDeclaration) bool { return d.Name == name })
	if i < 0 {
		return SubjectDeclaration{}, false
	}
	return declarations[i], true
}

// AnyDeclared reports whether this program declares any subject. One that does not, such
// as the test of a lock outside this module, cannot check what files say of subjects.
func AnyDeclared() bool { return len(declarations) > 0 }

// Systems returns the declared subjects that are systems of the claims, in the order of reports.
func Systems() []SubjectDeclaration {
	return slices.DeleteFunc(slices.Clone(declarations), func(d SubjectDeclaration) bool {
		return SystemOf(d.Name) == ""
	})
}

// Check says what is wrong with a setting of the subject; nil when it is declared.
func (d SubjectDeclaration) Check(setting Option) error {
	i := slices.IndexFunc(d.Options, func(o OptionDeclaration) bool { return o.Name == setting.Name })
	if i < 0 {
		names := Texts(d.Options, func(o OptionDeclaration) string { return o.Name })
		return fmt.Errorf("found the unknown option %q of %s; %s", setting.Name, d.Name, faults.Allowed(setting.Name, names))
	}
	o := d.Options[i]
	switch _, err := o.Parameter().Parse(setting.Value); {
	case slices.Contains(o.Values, setting.Value):
	case o.Kind == "":
		return fmt.Errorf("found %q for the option %s of %s; %s",
			setting.Value, o.Name, d.Name, faults.Allowed(setting.Value, o.Values))
	case err != nil:
		return fmt.Errorf("the option %s of %s: %w", o.Name, d.Name, err)
	}
	return nil
}

// Same reports whether two rows of the subject have one title, or the same value of every option.
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

// defaults lists the default values of the options, for messages.
func (d SubjectDeclaration) defaults() string {
	if len(d.Options) == 0 {
		return ""
	}
	values := Texts(d.Options, func(o OptionDeclaration) string { return o.Name + ": " + o.Values[0] })
	return "; by default " + strings.Join(values, ", ")
}
