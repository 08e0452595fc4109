package checker

import (
	"fmt"
	"strings"
)

// Summary tells the verdict in a few lines of plain text: one per oracle with
// its first finding, one per broken assumption. It ends without a newline.
func (verdict *Verdict) Summary() string {
	var lines []string
	add := func(format string, arguments ...any) { lines = append(lines, fmt.Sprintf(format, arguments...)) }
	add("history          %s", verdict.Name)
	for _, problem := range verdict.Problems {
		add("problem          %s", problem)
	}
	margin := "no two leases to compare"
	if worst, ok := verdict.Overlap.WorstMargin(); ok {
		margin = fmt.Sprintf("worst margin %s (%s, %s then %s)", span(*worst.MarginNS), worst.Resource, worst.First, worst.Second)
	}
	add("overlap          %s", verdict.Overlap.line(margin))
	add("linearizability  %s", verdict.Linearizability.line(fmt.Sprintf("%d calls in %d partitions", verdict.Linearizability.Checked, len(verdict.Linearizability.Partitions))))
	add("resource         %s", verdict.Resource.line(fmt.Sprintf("%d accesses and tokens", verdict.Resource.Checked)))
	add("liveness         %s", verdict.Liveness.line(fmt.Sprintf("%d goals", verdict.Liveness.Checked)))
	var kept []string
	for _, assumption := range verdict.Ledger {
		if assumption.Kept {
			kept = append(kept, assumption.ID)
			continue
		}
		first := assumption.Breaks[0]
		add("broken           %s at %s%s: %s", assumption.ID, instant(first.AtNS), byEvent(first.Event), first.Reason)
		if assumption.Found > 1 {
			add("                 and %d more times", assumption.Found-1)
		}
	}
	if len(kept) > 0 {
		add("kept             %s", strings.Join(kept, " "))
	}
	return strings.Join(lines, "\n")
}

// line is an oracle's status, what it looked at, and its first finding.
func (result *Result) line(detail string) string {
	text := fmt.Sprintf("%-12s  %s", result.Status, detail)
	switch result.Status {
	case Inconclusive:
		return text + ": " + result.Reason
	case Violated:
		text += fmt.Sprintf("; %d found, first: %s", result.Found, result.Findings[0].Text)
		if result.Bug {
			return text + " [BUG: every assumption that matters was kept]"
		}
		return text + " [explained by " + strings.Join(result.ExplainedBy, ", ") + "]"
	}
	if result.Checked == 0 {
		return text + " (nothing to judge)"
	}
	return text
}
