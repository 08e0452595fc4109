package search

import (
	"slices"

	"redlocklab/checker"
	"redlocklab/scenarios"
	"redlocklab/scenarios/campaign"
)

// Outcome is what the search needs to know of a run.
type Outcome struct {
	Violated []scenarios.Oracle // in the order of reports
	Broken   []string           // assumptions, in the ledger's order
	Finished bool               // it ended by itself, and every oracle answered
}

// NewOutcome puts together what the oracles said of a run, which assumptions were
// broken in it, and how it ended.
func NewOutcome(oracles []campaign.OracleStatus, broken []string, ended string) Outcome {
	o := Outcome{Broken: broken, Finished: ended == campaign.Finished && len(oracles) > 0}
	for _, answer := range oracles {
		switch answer.Status {
		case checker.Violated:
			o.Violated = append(o.Violated, answer.Oracle)
		case checker.Inconclusive:
			o.Finished = false
		}
	}
	return o
}

// Target is what a search looks for: one oracle violated, with exactly this set
// of assumptions broken.
type Target struct {
	Oracle scenarios.Oracle
	Broken []string // in the ledger's order
}

// Met reports whether a run shows the target.
func (t Target) Met(o Outcome) bool {
	return slices.Contains(o.Violated, t.Oracle) && slices.Equal(o.Broken, t.Broken)
}
