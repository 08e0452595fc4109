package campaign

import (
	"fmt"
	"slices"
	"strings"

	"redlocklab/checker"
	"redlocklab/scenarios/plan"
)

// Class says what a problem does to the exit code.
type Class string

// The classes, worst first.
const (
	Nondeterministic Class = "not deterministic"
	Safety           Class = "safety verdict differs"
	Liveness         Class = "liveness verdict differs"
	Incomplete       Class = "inconclusive"
)

// ExitCode is the program's exit code for a class.
func (c Class) ExitCode() int {
	switch c {
	case Nondeterministic:
		return 5
	case Safety:
		return 1
	case Liveness:
		return 3
	default:
		return 4
	}
}

var classes = []Class{Nondeterministic, Safety, Liveness, Incomplete}

// Difference is one way in which a run is not as expected.
type Difference struct {
	Class Class
	Kind  string // what differs; differences of one kind are one problem of the row
	Text  string // the same with what this run says of it
}

// Judge compares one run with what is expected of its row, in both directions.
// Under `runs: some` a single run may show less than what is expected, but
// nothing else; that one run shows it all is for [Sum] to see. Where nothing is
// stated, whatever a run finds is as good as anything else; that it has a verdict is not.
func Judge(expected *plan.Subject, report *Report) []Difference {
	if report.Failure != "" {
		kind, _, _ := strings.Cut(report.Failure, ":")
		return []Difference{{Incomplete, kind, report.Failure}}
	}
	var found []Difference
	finished := report.Outcome == Finished
	if !finished {
		found = append(found, alike(Incomplete, "ended at its bound: "+report.Outcome))
	}
	for _, o := range report.Oracles {
		if o.Status == checker.Inconclusive {
			found = append(found, Difference{Incomplete, string(o.Oracle), fmt.Sprintf("%s is inconclusive: %s", o.Oracle, o.Reason)})
		}
	}
	if expected.Unstated {
		return found
	}
	for _, o := range report.Oracles {
		class := Safety
		if o.Oracle == plan.OracleLiveness {
			class = Liveness
		}
		want := expected.Expect[o.Oracle]
		switch {
		case o.Status == checker.Violated && want != plan.Violated:
			found = append(found, alike(class, fmt.Sprintf("%s is violated, expected: holds", o.Oracle)))
		case o.Status == checker.Holds && want == plan.Violated && finished && expected.Runs != plan.RunsSome:
			found = append(found, alike(class, fmt.Sprintf("%s holds, expected: violated", o.Oracle)))
		}
	}
	if beyond := without(report.Broken, expected.Broken); len(beyond) > 0 {
		found = append(found, alike(Safety, fmt.Sprintf("%s broken, expected: %s", strings.Join(beyond, ", "), set(expected.Broken))))
	}
	if short := without(expected.Broken, report.Broken); len(short) > 0 && finished && expected.Runs != plan.RunsSome {
		found = append(found, alike(Safety, fmt.Sprintf("%s kept, expected: broken", strings.Join(short, ", "))))
	}
	return found
}

// alike is a difference that every run which has it describes with the same words.
func alike(class Class, text string) Difference { return Difference{class, text, text} }

// complete reports whether a run shows all that is expected of its row.
func complete(expected *plan.Subject, report *Report) bool {
	all := *expected
	all.Runs = plan.RunsAll
	return len(Judge(&all, report)) == 0
}

// without lists the elements of a that are not in b, in a's order.
func without(a, b []string) []string {
	var rest []string
	for _, x := range a {
		if !slices.Contains(b, x) {
			rest = append(rest, x)
		}
	}
	return rest
}

func set(names []string) string {
	if len(names) == 0 {
		return "nothing broken"
	}
	return strings.Join(names, ", ")
}
