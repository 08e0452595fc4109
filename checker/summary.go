package checker

import (
	"fmt"
	"strconv"
	"strings"
)

// Summary describes the verdict in a few lines of plain text: one per oracle with
// its worst finding, and one per broken assumption. It ends without a newline. Control
// characters of names in the history are escaped.
func (verdict *Verdict) Summary() string {
	var lines []string
	add := func(name, format string, arguments ...any) {
		lines = append(lines, fmt.Sprintf("%-22s  ", name)+printable(fmt.Sprintf(format, arguments...)))
	}
	add("history", "%s", verdict.Name)
	for _, problem := range verdict.Problems {
		add("problem", "%s", problem)
	}
	for _, result := range verdict.Results() {
		add(string(result.Oracle), "%s", result.line(verdict.examined(result)))
	}
	var kept []string
	for _, assumption := range verdict.Ledger {
		if assumption.Kept {
			kept = append(kept, assumption.ID)
			continue
		}
		first := assumption.Breaks[0]
		add("broken", "%s at %s%s: %s", assumption.ID, instant(first.AtNS), byEvent(first.Event), first.Reason)
		if assumption.Found > 1 {
			add("", "and %d more times", assumption.Found-1)
		}
	}
	if len(kept) > 0 {
		add("kept", "%s", strings.Join(kept, " "))
	}
	return strings.Join(lines, "\n")
}

// examined says what an oracle looked at.
func (verdict *Verdict) examined(result *Result) string {
	switch result.Oracle {
	case OracleOverlap:
		worst, ok := verdict.Overlap.WorstMargin()
		if !ok {
			return "no two leases to compare"
		}
		return fmt.Sprintf("worst margin %s (%s, %s then %s)", span(*worst.MarginNS), worst.Resource, worst.First, worst.Second)
	case OracleLinearizability:
		return fmt.Sprintf("%d calls in %d partitions", result.Checked, len(verdict.Linearizability.Partitions))
	case OracleFencingTokens:
		return fmt.Sprintf("%d tokens", result.Checked)
	case OracleLiveness:
		return fmt.Sprintf("%d goals", result.Checked)
	}
	return fmt.Sprintf("%d accesses", result.Checked)
}

// line is the status of an oracle, what it examined, and its worst finding.
func (result *Result) line(examined string) string {
	text := fmt.Sprintf("%-12s  %s", result.Status, examined)
	switch {
	case result.Status == Inconclusive:
		return text + ": " + result.Reason
	case result.Status == Violated && result.Bug:
		return text + fmt.Sprintf("; %d found, such as: %s [BUG: no broken assumption explains it]", result.Found, result.Worst().Text)
	case result.Status == Violated:
		return text + fmt.Sprintf("; %d found, such as: %s [explained by %s]", result.Found, result.Worst().Text, strings.Join(result.ExplainedBy, ", "))
	case result.Checked == 0:
		return text + " (nothing to judge)"
	}
	return text
}

// printable escapes the characters of a text that a terminal may act on.
func printable(text string) string {
	if strings.IndexFunc(text, unprintable) < 0 {
		return text
	}
	var result strings.Builder
	for _, r := range text {
		if unprintable(r) {
			result.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		} else {
			result.WriteRune(r)
		}
	}
	return result.String()
}

func unprintable(r rune) bool { return !strconv.IsPrint(r) }
