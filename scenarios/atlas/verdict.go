package atlas

import (
	"slices"
	"strings"

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

// verdicts are the words of each grade: by the judge holders, and by an oracle.
var verdicts = [...][2]Verdict{
	campaign.Undecided: {Undecided, Undecided}, campaign.Held: {OneHolder, Held},
	campaign.NoProgress: {NoProgress, NoProgress}, campaign.Violated: {TwoHolders, Violated},
}

// Grade returns the grade that the verdict words.
func (v Verdict) Grade() campaign.Grade {
	return campaign.Grade(slices.IndexFunc(verdicts[:], func(of [2]Verdict) bool { return slices.Contains(of[:], v) }))
}

// wordOf is a grade in the words of a judge.
func wordOf(grade campaign.Grade, judge string) Verdict {
	return verdicts[grade][btoi(judge != holders)]
}

// gradeOf says what one run shows.
func gradeOf(r *campaign.Summary, judge string) campaign.Grade {
	if r == nil {
		return campaign.Undecided
	}
	return r.Grade(judged(judge)...)
}

// verdict is that of a cell: the worst that a run shows. It returns the first such run, and
// how many there are.
func (m *Map) verdict(p Place, judge string) (v Verdict, seed uint64, runs int) {
	worst := campaign.Grade(-1)
	for _, s := range m.seeds() {
		switch c := gradeOf(m.report(p, s), judge); {
		case c > worst:
			worst, seed, runs = c, s, 1
		case c == worst:
			runs++
		}
	}
	return wordOf(max(worst, campaign.Undecided), judge), seed, runs
}

// cause is that of a run's findings by a judge's oracles; "" when it was not looked for.
func cause(r *campaign.Summary, judge string) string {
	if r == nil {
		return ""
	}
	return strings.Join(r.Kinds(judged(judge)...), ", ")
}
