// Package tables writes what campaigns and maps have found as aligned text, for readers.
// It counts nothing and judges nothing.
package tables

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
)

// WriteRows prints rows as an aligned table, below it the problems of each row, a
// summary of each subject, and as the last line how many rows are as expected.
func WriteRows(w io.Writer, rows []campaign.Row) error {
	table := New(w, "SCENARIO", "SUBJECT", "RUNS", "VERDICT", "BROKEN", "CAUSES", "MARGIN", "FIRED", "RESULT")
	good, found, not := 0, 0, 0
	for _, row := range rows {
		result := "expected"
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
		table.Row(row.Scenario, row.Subject, runsOf(row.Runs, row.Planned), verdict(&row), broken(&row), causes(&row),
			margin(&row), fired(&row), result)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, row := range rows {
		writeProblems(w, &row)
	}
	for _, line := range campaign.SummaryLines(rows) {
		fmt.Fprintln(w, line)
	}
	count := fmt.Sprintf("%d as expected, %d not", good, len(rows)-good-found-not)
	if found > 0 {
		count += fmt.Sprintf(", %d without expectations", found)
	}
	if not > 0 {
		count += fmt.Sprintf(", %d n/a", not)
	}
	_, err := fmt.Fprintln(w, count)
	return err
}

// writeProblems prints the problems of a row. The last line is the command that
// shows the worst one again.
func writeProblems(w io.Writer, row *campaign.Row) {
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
		replay = cmp.Or(replay, p.Replay)
	}
	if replay != "" {
		fmt.Fprintf(w, "  replay: %s\n", replay)
	}
	fmt.Fprintln(w)
}

// runsOf is how many runs have a verdict, of those that were asked for.
func runsOf(runs, planned int) string {
	if runs == planned {
		return fmt.Sprint(runs)
	}
	return fmt.Sprintf("%d of %d", runs, planned)
}

// verdict says what was violated and what is inconclusive, and in how many runs.
func verdict(row *campaign.Row) string {
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

func broken(row *campaign.Row) string {
	parts := plan.Texts(row.Broken, func(b campaign.AssumptionCount) string {
		return b.Assumption + of(b.Runs, row.Runs)
	})
	return cmp.Or(strings.Join(parts, ", "), "-")
}

func margin(row *campaign.Row) string {
	if row.WorstMarginNS == nil {
		return "-"
	}
	return digits(time.Duration(*row.WorstMarginNS)).String()
}

// digits rounds to three digits: the whole is in the JSON.
func digits(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d.Abs()/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit)
}

// fired names the faults that did not fire in every run.
func fired(row *campaign.Row) string {
	if len(row.Faults) == 0 {
		return "-"
	}
	var parts []string
	for _, f := range row.Faults {
		if f.Runs < row.Runs {
			parts = append(parts, fmt.Sprintf("%s %d/%d", f.Fault, f.Runs, row.Runs))
		}
	}
	return cmp.Or(strings.Join(parts, ", "), fmt.Sprintf("all %d", len(row.Faults)))
}

// causes are the kinds of causes, and in how many of the decided runs each is.
func causes(row *campaign.Row) string {
	if row.Causes == nil {
		return "-"
	}
	parts := plan.Texts(row.Causes.Kinds, func(k campaign.KindCount) string {
		return k.Kind + of(k.Runs, row.Causes.Runs)
	})
	return cmp.Or(strings.Join(parts, "; "), "-")
}
