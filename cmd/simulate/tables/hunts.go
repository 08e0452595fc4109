package tables

import (
	"fmt"
	"io"

	"redlocklab/scenarios/search"
)

// WriteHunt prints a line of the table of mutants, with a cell per strategy.
func WriteHunt(out io.Writer, strategies []string, name, oracle, budget string, caught []string, intent string) {
	fmt.Fprintf(out, "%-33s %-15s %7s", name, oracle, budget)
	for i, strategy := range strategies {
		fmt.Fprintf(out, "  %*s", max(len(strategy), len(NotCaught)), caught[i])
	}
	fmt.Fprintf(out, "  %s\n", intent)
}

// NotCaught is what the table says of a bug that its deciding strategy missed.
const NotCaught = "NOT CAUGHT"

// HuntWord is a cell of the table, and whether it is not as it should be.
func HuntWord(h *search.HuntBy, m *search.Mutant, decides bool) (word string, bad bool) {
	switch {
	case m.Oracle == "" && h.CaughtAfter == 0:
		return "never", false
	case m.Oracle == "":
		return fmt.Sprintf("RUN %d", h.CaughtAfter), true
	case h.CaughtAfter > 0:
		return fmt.Sprint(h.CaughtAfter), false
	case decides:
		return NotCaught, true
	}
	return "-", false
}
