package campaign

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"redlocklab/checker"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
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
	return map[Class]int{Nondeterministic: 5, Safety: 1, Liveness: 3, Incomplete: 4}[c]
}

var classes = []Class{Nondeterministic, Safety, Liveness, Incomplete}

// ExitCode is the exit code for rows: that of the worst class of problem.
func ExitCode(rows []Row) int {
	for _, class := range classes {
		for _, row := range rows {
			for _, p := range row.Problems {
				if p.Class == class {
					return class.ExitCode()
				}
			}
		}
	}
	return 0
}

// Difference is one way in which a run is not as expected.
type Difference struct {
	Class Class
	Kind  string // what differs; differences of one kind are one problem of the row
	Text  string // the same with what this run says of it
}

// Compare lists the ways in which one run differs from what is expected of its
// row, in both directions. With `runs: some` a single run may show less than what
// is expected; [NewRow] checks that one run shows it all. Without expectations a run
// may find anything, but it must have a verdict.
func Compare(expected *plan.Subject, report *Summary) []Difference {
	if report.Failure != "" {
		kind, _, _ := strings.Cut(report.Failure, ":")
		return []Difference{{Incomplete, kind, report.Failure}}
	}
	var found []Difference
	finished := report.Outcome == Finished
	if !finished {
		found = append(found, alike(Incomplete, "ended at its bound: "+report.Outcome+remedy(report.Outcome)))
	}
	for _, answer := range report.Answers {
		if answer.Status == checker.Inconclusive {
			found = append(found, Difference{Incomplete, string(answer.Oracle), answer.String()})
		}
	}
	if expected.Unstated {
		return found
	}
	for _, answer := range report.Answers {
		class := Safety
		if answer.Oracle == checker.OracleLiveness {
			class = Liveness
		}
		want := expected.Expect[answer.Oracle]
		switch {
		case answer.Status == checker.Violated && want != checker.Violated:
			found = append(found, alike(class, fmt.Sprintf("%s is violated, expected: holds", answer.Oracle)))
		case answer.Status == checker.Holds && want == checker.Violated && finished && expected.Runs != plan.RunsSome:
			found = append(found, alike(class, fmt.Sprintf("%s holds, expected: violated", answer.Oracle)))
		}
	}
	if beyond := without(report.Broken, expected.Broken); len(beyond) > 0 {
		wanted := cmp.Or(strings.Join(expected.Broken, ", "), "nothing broken")
		found = append(found, alike(Safety, fmt.Sprintf("%s broken, expected: %s", strings.Join(beyond, ", "), wanted)))
	}
	if short := without(expected.Broken, report.Broken); len(short) > 0 && finished && expected.Runs != plan.RunsSome {
		found = append(found, alike(Safety, fmt.Sprintf("%s kept, expected: broken", strings.Join(short, ", "))))
	}
	return found
}

// alike is a difference that all runs describe in the same words.
func alike(class Class, text string) Difference { return Difference{class, text, text} }

// complete reports whether a run shows all that is expected of its row.
func complete(expected *plan.Subject, report *Summary) bool {
	all := *expected
	all.Runs = plan.RunsAll
	return len(Compare(&all, report)) == 0
}

// without lists the elements of a that are not in b, in a's order.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(x string) bool { return slices.Contains(b, x) })
}

// remedy says what in a scenario moves a bound, or keeps a run below it.
func remedy(outcome string) string {
	const smaller = ", or play fewer clients, fewer steps or longer retry delays"
	switch sim.Outcome(outcome) {
	case sim.EventBound:
		return ": raise bounds.events" + smaller
	case sim.ByteBound:
		return ": raise bounds.bytes" + smaller
	case sim.VirtualBound:
		return ": raise bounds.virtual, or give a deadline to what waits"
	}
	return ""
}
