package search

import (
	"fmt"
	"slices"
	"strings"

	"redlocklab/checker"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
)

// Outcome is what the search needs to know of a run.
type Outcome struct {
	Violated []plan.Oracle `json:"violated,omitempty"` // in the order of reports
	// Unexplained are those of them of which no broken assumption explains some finding.
	Unexplained []plan.Oracle `json:"unexplained,omitempty"`
	Broken      []string      `json:"broken,omitempty"` // assumptions, in the ledger's order
	Finished    bool          `json:"finished"`         // it ended by itself, and every oracle answered
	// LapsedMarginNS is the smallest time between a belief that ran out and the next
	// one, negative for an overlap; absent when there were no two.
	LapsedMarginNS *int64 `json:"lapsed_margin_ns,omitempty"`
	// Moments are the telling moments that the run came to.
	Moments []string `json:"moments,omitempty"`
}

// OutcomeOf reads the outcome out of a report.
func OutcomeOf(r *campaign.Report) Outcome {
	o := Outcome{Broken: r.Broken, Finished: r.Outcome == campaign.Finished && len(r.Oracles) > 0, LapsedMarginNS: r.LapsedMarginNS, Moments: r.Moments}
	for _, answer := range r.Oracles {
		switch answer.Status {
		case checker.Violated:
			o.Violated = append(o.Violated, answer.Oracle)
			if answer.Bug {
				o.Unexplained = append(o.Unexplained, answer.Oracle)
			}
		case checker.Inconclusive:
			o.Finished = false
		}
	}
	return o
}

// Target is what a search looks for: one oracle violated, with exactly this set
// of assumptions broken.
type Target struct {
	Oracle plan.Oracle
	Broken []string // in the ledger's order
	// Unexplained: what is broken must not explain all that the oracle found.
	Unexplained bool
}

// Met reports whether a run shows the target.
func (t Target) Met(o Outcome) bool {
	return slices.Contains(o.Violated, t.Oracle) && slices.Equal(o.Broken, t.Broken) &&
		(!t.Unexplained || slices.Contains(o.Unexplained, t.Oracle))
}

// Name names a target, such as "overlap-A-VOTE" or "overlap-nothing-broken".
func (t Target) Name() string {
	if len(t.Broken) == 0 {
		return string(t.Oracle) + "-nothing-broken"
	}
	name := string(t.Oracle) + "-" + strings.Join(t.Broken, "-")
	if t.Unexplained {
		name += "-unexplained"
	}
	return name
}

// String says what a target shows: "overlap is violated, broken: A-VOTE".
func (t Target) String() string {
	text := fmt.Sprintf("%s is violated, broken: %s", t.Oracle, Listed(t.Broken))
	if t.Unexplained && len(t.Broken) > 0 {
		text += ", which does not explain it"
	}
	return text
}

// Join writes oracles one after the other: "overlap, liveness".
func Join(oracles []plan.Oracle) string {
	names := make([]string, len(oracles))
	for i, o := range oracles {
		names[i] = string(o)
	}
	return strings.Join(names, ", ")
}

// Listed writes assumptions in order: "A-RATE A-VOTE", or "nothing".
func Listed(assumptions []string) string {
	if len(assumptions) == 0 {
		return "nothing"
	}
	return strings.Join(slices.Sorted(slices.Values(assumptions)), " ")
}

// bySeverity lists the oracles, the worst to lose first: two holders, then harm
// that got past the better fence, then the lack of one, then time.
var bySeverity = []plan.Oracle{
	plan.OracleOverlap, plan.OracleLinearizability, plan.OracleResourceFenced, plan.OracleResourceFencedWrites,
	plan.OracleResourceUnfenced, plan.OracleFencingTokens, plan.OracleLiveness,
}

// Worst is the target of the worst oracle among some that are violated in one
// run, with what was broken in it; false when there is none.
func Worst(violated []plan.Oracle, broken []string) (Target, bool) {
	for _, oracle := range bySeverity {
		if slices.Contains(violated, oracle) {
			return Target{Oracle: oracle, Broken: broken}, true
		}
	}
	return Target{}, false
}
