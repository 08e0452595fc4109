package atlas

import (
	"slices"
	"strings"

	"redlocklab/checker"
	"redlocklab/scenarios/campaign"
)

// Verdict says what happened in a cell.
type Verdict string

// The verdicts. A map whose judge is one oracle says violated and held.
const (
	TwoHolders Verdict = "two holders"
	OneHolder  Verdict = "one holder"
	Violated   Verdict = "violated"
	Held       Verdict = "held"
	NoProgress Verdict = "no progress" // nothing is violated, but a liveness goal is missed
	Undecided  Verdict = "undecided"   // the fault had no effect, or a run has no verdict
)

// Class is what verdicts of all judges have in common.
type Class int

// The classes.
const (
	Open Class = iota
	Good
	Stuck
	Bad
)

// Class returns the verdict's class.
func (v Verdict) Class() Class {
	switch v {
	case TwoHolders, Violated:
		return Bad
	case OneHolder, Held:
		return Good
	case NoProgress:
		return Stuck
	}
	return Open
}

// word is a class in the words of a judge.
func (c Class) word(judge string) Verdict {
	switch {
	case c == Open:
		return Undecided
	case c == Stuck:
		return NoProgress
	case judge == holders:
		return map[Class]Verdict{Good: OneHolder, Bad: TwoHolders}[c]
	}
	return map[Class]Verdict{Good: Held, Bad: Violated}[c]
}

// classOf says what one run shows.
func classOf(r *campaign.Report, judge string) Class {
	if r == nil || r.Failure != "" || r.Outcome != campaign.Finished {
		return Open
	}
	oracles := judged(judge)
	for _, o := range r.Answers.Violated() {
		if slices.Contains(oracles, o) {
			return Bad
		}
	}
	if slices.Contains(r.Answers.Violated(), checker.OracleLiveness) {
		return Stuck
	}
	for _, o := range r.Answers.Inconclusive() {
		if slices.Contains(oracles, o) || o == checker.OracleLiveness {
			return Open
		}
	}
	for _, f := range r.Fired {
		if f.Times == 0 {
			return Open
		}
	}
	return Good
}

// verdict is that of a cell: the worst that a run shows. It returns the first such run, and
// how many there are.
func (m *Map) verdict(p Place, judge string) (v Verdict, seed uint64, runs int) {
	worst := Class(-1)
	for _, s := range m.seeds() {
		switch c := classOf(m.report(p, s), judge); {
		case c > worst:
			worst, seed, runs = c, s, 1
		case c == worst:
			runs++
		}
	}
	return max(worst, Open).word(judge), seed, runs
}

// cause is that of a run's findings by a judge's oracles; "" when it was not looked for.
func cause(r *campaign.Report, judge string) string {
	if r == nil || r.Causes == nil {
		return ""
	}
	var kinds []string
	for _, f := range r.Causes.Findings {
		if slices.Contains(judged(judge), f.Oracle) && !slices.Contains(kinds, f.Kind) {
			kinds = append(kinds, f.Kind)
		}
	}
	slices.Sort(kinds)
	return strings.Join(kinds, ", ")
}
