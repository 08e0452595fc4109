package plan

import "strings"

// Verdict is what an oracle is expected to say.
type Verdict string

// The verdicts that a file can expect. Inconclusive is never expected.
const (
	Holds    Verdict = "holds"
	Violated Verdict = "violated"
)

// Words returns all verdicts.
func (Verdict) Words() []Verdict { return []Verdict{Holds, Violated} }

// Oracle names one of the oracles. The resource oracle has a verdict for each register,
// and one for the order of fencing tokens.
type Oracle string

// The oracles, in the order of reports.
const (
	OracleOverlap              Oracle = "overlap"                // lease overlap in true time
	OracleLinearizability      Oracle = "linearizability"        // porcupine
	OracleResourceUnfenced     Oracle = "resource_unfenced"      // the register that checks no tokens
	OracleResourceFencedWrites Oracle = "resource_fenced_writes" // … that checks writes only
	OracleResourceFenced       Oracle = "resource_fenced"        // … that checks every access
	OracleFencingTokens        Oracle = "fencing_tokens"         // whether tokens grow from lease to lease
	OracleLiveness             Oracle = "liveness"
)

// Oracles returns all oracles in the order of reports.
func Oracles() []Oracle {
	return []Oracle{OracleOverlap, OracleLinearizability, OracleResourceUnfenced,
		OracleResourceFencedWrites, OracleResourceFenced, OracleFencingTokens, OracleLiveness}
}

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
	Expect map[Oracle]Verdict `json:"expect"`
	Broken []string           `json:"broken,omitempty"` // exact set of broken assumptions, sorted
	Runs   Runs               `json:"runs"`
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

// Option is one setting of a subject.
type Option struct {
	Name  string `json:"name"`
	Value string `json:"value"`
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
	var violated []string
	for _, oracle := range Oracles() {
		if s.Expect[oracle] == Violated {
			violated = append(violated, string(oracle))
		}
	}
	text := string(Holds)
	if len(violated) > 0 {
		text = "violated: " + strings.Join(violated, ", ")
	}
	if len(s.Broken) > 0 {
		text += " (" + strings.Join(s.Broken, ", ") + ")"
	}
	return text
}
