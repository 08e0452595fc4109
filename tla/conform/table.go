package conform

import (
	"fmt"
	"io"
	"strings"
	"time"

	"redlocklab/tla"
)

// Write writes the rows, the actions and the changes of a report, with tabs between cells.
// Errors of w are left to it.
func (r *Report) Write(w io.Writer) {
	for _, row := range r.Rows {
		result := "explained"
		switch {
		case row.Unmodelled != "":
			result = "not modelled: " + row.Unmodelled
		case len(row.Rejected) > 0:
			result = fmt.Sprintf("%d NOT EXPLAINED", len(row.Rejected))
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\n", row.Scenario, row.Subject, row.Traces, row.Events, result)
	}
	fmt.Fprintln(w, "\nACTION\tEVENTS\t\t\t")
	for _, action := range tla.TraceActions {
		seen := "NEVER SEEN"
		if n := r.Actions[action]; n > 0 {
			seen = fmt.Sprint(n)
		}
		fmt.Fprintf(w, "%s\t%s\t\t\t\n", action, seen)
	}
	fmt.Fprintln(w, "\nCHANGE\tTRACES\tREJECTED\tFIRST UNEXPLAINED EVENT OF ONE\t")
	for _, m := range r.Mutations {
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\t\n", m.Mutation.Name, m.Traces, m.Rejected, m.Example)
	}
}

// Summary is the report in one line. It names what is missing only of the whole suite.
func (r *Report) Summary(elapsed time.Duration, whole bool) string {
	traces, events := 0, 0
	for _, row := range r.Rows {
		traces, events = traces+row.Traces, events+row.Events
	}
	unseen, missed := r.Unseen(), r.Missed()
	missing, unrejected := "", ""
	if len(unseen) > 0 && whole {
		missing = ", never seen: " + strings.Join(unseen, ", ")
	}
	if len(missed) > 0 && whole {
		unrejected = ", not: " + strings.Join(missed, ", ")
	}
	return fmt.Sprintf("%d of %d traces (%d events) explained in %.0f s; %d of %d actions seen%s; %d of %d changes rejected wherever they fitted%s",
		traces-r.Rejected(), traces, events, elapsed.Seconds(), len(tla.TraceActions)-len(unseen), len(tla.TraceActions), missing,
		len(r.Mutations)-len(missed), len(r.Mutations), unrejected)
}
