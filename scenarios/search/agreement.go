package search

import (
	"slices"
	"strings"

	"redlocklab/checker"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
)

// Answers is what the oracles said of one run, as far as they can be compared:
// true is a violation. The linearizability oracle answers for each of its models.
type Answers struct {
	Overlap                        bool
	Lock, Key                      bool // the models of the lock, and of its keys on the nodes
	Counter, Register              bool // … of clients' operations on a register, and of the requests that it saw
	Unfenced, FencedWrites, Fenced bool // the registers of the resource oracle
	Tokens                         bool // fencing tokens did not grow from lease to lease
	Accessed                       bool // a register was used at all
}

// AnswersOf reads the answers out of a report; false when a run has no verdict.
func AnswersOf(r *campaign.Report, accessed bool) (Answers, bool) {
	a := Answers{
		Lock: slices.Contains(r.Sorts, "lock"), Key: slices.Contains(r.Sorts, "key"),
		Counter: slices.Contains(r.Sorts, "counter"), Register: slices.Contains(r.Sorts, "register"), Accessed: accessed,
	}
	for _, o := range r.Oracles {
		violated := o.Status == checker.Violated
		switch o.Oracle {
		case plan.OracleOverlap:
			a.Overlap = violated
		case plan.OracleResourceUnfenced:
			a.Unfenced = violated
		case plan.OracleResourceFencedWrites:
			a.FencedWrites = violated
		case plan.OracleResourceFenced:
			a.Fenced = violated
		case plan.OracleFencingTokens:
			a.Tokens = violated
		}
	}
	return a, OutcomeOf(r).Finished
}

// String names the violated answers: "overlap, lock"; "all hold" when there is none.
func (a Answers) String() string {
	var names []string
	for _, answer := range []struct {
		violated bool
		name     string
	}{
		{a.Overlap, "overlap"}, {a.Lock, "lock"}, {a.Key, "key"}, {a.Counter, "counter"}, {a.Register, "register"},
		{a.Unfenced, "unfenced"}, {a.FencedWrites, "fenced writes"}, {a.Fenced, "fenced"}, {a.Tokens, "tokens"},
	} {
		if answer.violated {
			names = append(names, answer.name)
		}
	}
	if len(names) == 0 {
		return "all hold"
	}
	return strings.Join(names, ", ")
}

// Disagreement is a way in which oracles may differ about one run. ORACLES.md says of
// each explained one why both sides are right. One that is not explained is a bug of
// an oracle.
type Disagreement struct {
	Name      string
	Explained bool
	shown     func(Answers) bool
}

// Disagreements lists all ways.
func Disagreements() []Disagreement {
	return []Disagreement{
		{"overlap-without-lock", false, func(a Answers) bool { return a.Overlap && !a.Lock }},
		{"register-misbehaves", false, func(a Answers) bool { return a.Register }},
		{"only-the-fence-fails", false, func(a Answers) bool { return a.Fenced && !a.Unfenced }},
		{"fence-fails", false, func(a Answers) bool { return a.Fenced && !a.Tokens }},
		{"lock-passed-on", true, func(a Answers) bool { return a.Lock && !a.Overlap }},
		{"key-taken", true, func(a Answers) bool { return a.Key && !a.Overlap && !a.Lock }},
		{"quorum-in-spite", true, func(a Answers) bool { return a.Overlap && !a.Key }},
		{"late-effect", true, func(a Answers) bool { return (a.Unfenced || a.Counter) && !a.Overlap && !a.Lock }},
		{"tokens-fell", true, func(a Answers) bool { return a.Tokens && !a.Overlap && !a.Lock }},
		{"harmless-overlap", true, func(a Answers) bool { return a.Overlap && a.Accessed && !a.Unfenced }},
		{"fence-refused", true, func(a Answers) bool { return a.Unfenced && !a.Fenced }},
		{"obedient-register", true, func(a Answers) bool { return a.Unfenced && !a.Counter }},
	}
}

// Disagree lists the ways in which the answers differ.
func (a Answers) Disagree() []Disagreement {
	return slices.DeleteFunc(Disagreements(), func(d Disagreement) bool { return !d.shown(a) })
}

// AgreementSubjects are what the oracles are compared on: the healthy locks, with
// nothing and with each assumption broken, and the planted bugs, with and without
// work on a resource.
func AgreementSubjects() []Options {
	var list []Options
	for _, subject := range []string{"SY-0", "SY-10"} {
		list = append(list, Options{Subject: subject})
		for _, id := range Breakable() {
			o := Options{Subject: subject, Break: []string{id}}
			if o.Validate() == nil { // the package draws its tokens itself
				list = append(list, o)
			}
		}
	}
	for _, m := range Mutants() {
		if m.Subject != "SY-0" {
			continue // a patch needs a program of its own
		}
		o := m.Options()
		list = append(list, o)
		o.Break = []string{checker.AssumptionWork}
		list = append(list, o)
	}
	return list
}
