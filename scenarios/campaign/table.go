package campaign

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"redlocklab/checker"
)

// WriteTable prints rows as an aligned table, below it the problems of each row, a
// summary of each subject, and as the last line how many rows are as expected.
func WriteTable(w io.Writer, rows []Row) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "SCENARIO\tCLAIM\tSUBJECT\tRUNS\tVERDICT\tBROKEN\tWORST MARGIN\tFAULTS FIRED\tRESULT")
	good, found, not := 0, 0, 0
	for _, row := range rows {
		result := "as expected"
		switch {
		case !row.AsExpected:
			result = string(row.Problems[0].Class)
		case row.NotApplicable != "":
			result = "n/a"
			not++
		case row.Unstated:
			result = "found"
			found++
		default:
			good++
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", row.Scenario, row.Claim, row.Subject, row.runs(), row.verdict(), row.broken(), row.margin(), row.fired(), result)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, row := range rows {
		row.writeProblems(w)
	}
	for _, line := range summaryLines(rows) {
		fmt.Fprintln(w, line)
	}
	count := fmt.Sprintf("%d as expected, %d not", good, len(rows)-good-found-not)
	if found > 0 {
		count += fmt.Sprintf(", %d found where nothing is stated", found)
	}
	if not > 0 {
		count += fmt.Sprintf(", %d n/a", not)
	}
	_, err := fmt.Fprintln(w, count)
	return err
}

// writeProblems prints the problems of a row. The last line is the command that
// shows the worst one again.
func (row *Row) writeProblems(w io.Writer) {
	if row.AsExpected {
		return
	}
	fmt.Fprintf(w, "\n%s %s:\n", row.Scenario, row.Subject)
	replay := ""
	for _, p := range row.Problems {
		line := fmt.Sprintf("  %s: %s", p.Class, p.Text)
		if p.Runs > 0 {
			line += fmt.Sprintf(" (%d of %d runs, first seed %d", p.Runs, row.Planned, p.Seed)
			if p.Differing {
				line += "; other runs say it with other words"
			}
			line += ")"
		}
		fmt.Fprintln(w, line)
		if replay == "" {
			replay = p.Replay
		}
	}
	if replay != "" {
		fmt.Fprintf(w, "  replay: %s\n", replay)
	}
	fmt.Fprintln(w)
}

func (row *Row) runs() string {
	if row.Runs == row.Planned {
		return fmt.Sprint(row.Runs)
	}
	return fmt.Sprintf("%d of %d", row.Runs, row.Planned)
}

// verdict says what was violated and what is inconclusive, and in how many runs.
func (row *Row) verdict() string {
	switch {
	case row.Runs == 0:
		return "none"
	case row.NotApplicable != "":
		return "n/a (" + row.NotApplicable + ")"
	}
	var violated, inconclusive []string
	for _, o := range row.Oracles {
		if o.Violated > 0 {
			violated = append(violated, string(o.Oracle)+of(o.Violated, row.Runs))
		}
		if o.Inconclusive > 0 {
			inconclusive = append(inconclusive, string(o.Oracle)+of(o.Inconclusive, row.Runs))
		}
	}
	return checker.Headline(violated, inconclusive)
}

// of is " k/n", or empty when k is n.
func of(k, n int) string {
	if k == n {
		return ""
	}
	return fmt.Sprintf(" %d/%d", k, n)
}

func (row *Row) broken() string {
	var parts []string
	for _, b := range row.Broken {
		parts = append(parts, b.Assumption+of(b.Runs, row.Runs))
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

func (row *Row) margin() string {
	if row.WorstMarginNS == nil {
		return "none"
	}
	return time.Duration(*row.WorstMarginNS).String()
}

// fired names the faults that did not fire in every run.
func (row *Row) fired() string {
	if len(row.Faults) == 0 {
		return "none scripted"
	}
	var parts []string
	for _, f := range row.Faults {
		if f.Runs < row.Runs {
			parts = append(parts, fmt.Sprintf("%s %d/%d", f.Fault, f.Runs, row.Runs))
		}
	}
	if len(parts) == 0 {
		return fmt.Sprintf("all %d", len(row.Faults))
	}
	return strings.Join(parts, ", ")
}
