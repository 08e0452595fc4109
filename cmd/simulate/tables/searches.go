package tables

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"redlocklab/scenarios/coverage"
	"redlocklab/scenarios/search"
)

// WriteExploration prints how many runs had which verdict, and how many came to
// which coverage point. It counts the points and the runs that are missing.
func WriteExploration(
	out io.Writer, e *search.Exploration, strategy string, seed uint64, o search.Trial,
) (missing int, err error) {
	fmt.Fprintf(out, "%d runs of %s, strategy %s from seed %d, allowed to break: %s\n",
		e.Played, o.Subject, strategy, seed, search.Listed(o.Break))
	w := New(out, "RUNS", "VERDICT", "BROKEN", "CAUSE")
	for _, c := range slices.SortedFunc(maps.Keys(e.Counts), func(a, b search.Count) int {
		return cmp.Or(cmp.Compare(a.Verdict, b.Verdict), cmp.Compare(a.Broken, b.Broken), cmp.Compare(a.Cause, b.Cause))
	}) {
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\n", e.Counts[c], c.Verdict, c.Broken, c.Cause)
	}
	if err := w.Flush(); err != nil {
		return 0, err
	}
	if e.Causes.Runs > 0 {
		fmt.Fprintln(out, e.Causes.Cost())
	}
	for _, failure := range e.Failures {
		fmt.Fprintln(out, "without a verdict:", failure)
	}
	w = New(out, "RUNS", "COVERAGE POINT", "WHAT HAPPENED")
	for _, m := range coverage.Points() {
		if n := e.Points[m.Name]; n > 0 {
			fmt.Fprintf(w, "%d\t%s\t%s\n", n, m.Name, m.Doc)
		}
	}
	if err := w.Flush(); err != nil {
		return 0, err
	}
	if e.Played == 1 {
		fmt.Fprintf(out, "\n%s\n", search.Knobs(e.Last))
	}
	if search.Covers(strategy) {
		for _, m := range coverage.Missing(e.Points, o.Break) {
			missing++
			fmt.Fprintf(out, "missed: %s: %s\n", m.Name, m.Doc)
		}
	}
	return missing, nil
}

// WriteMutant prints a line of the table of mutants, with a cell per strategy.
func WriteMutant(out io.Writer, strategies []string, name, oracle, budget string, caught []string, intent string) {
	fmt.Fprintf(out, "%-33s %-15s %7s", name, oracle, budget)
	for i, strategy := range strategies {
		fmt.Fprintf(out, "  %*s", max(len(strategy), len(NotCaught)), caught[i])
	}
	fmt.Fprintf(out, "  %s\n", intent)
}

// NotCaught is what the table says of a bug that its deciding strategy missed.
const NotCaught = "NOT CAUGHT"

// MutantCell is a cell of the table, and whether it is not as it should be.
func MutantCell(result *search.StrategyResult, m *search.Mutant, decides bool) (word string, bad bool) {
	switch {
	case m.Oracle == "" && result.CaughtAfter == 0:
		return "never", false
	case m.Oracle == "":
		return fmt.Sprintf("RUN %d", result.CaughtAfter), true
	case result.CaughtAfter > 0:
		return fmt.Sprint(result.CaughtAfter), false
	case decides:
		return NotCaught, true
	}
	return "-", false
}
