package checker

import "slices"

// The assumptions that a run can keep or break.
const (
	AssumptionRate     = "A-RATE"
	AssumptionStep     = "A-STEP"
	AssumptionVote     = "A-VOTE"
	AssumptionDistinct = "A-DISTINCT"
	AssumptionOwner    = "A-OWNER"
	AssumptionToken    = "A-TOKEN"
	AssumptionWork     = "A-WORK"
	AssumptionCounter  = "A-COUNTER"
	AssumptionHeal     = "A-HEAL"
	AssumptionRandom   = "A-RANDOM"
	AssumptionBounded  = "A-BOUNDED"
)

// Assumptions lists every id, in the order of the ledger.
var Assumptions = []string{
	AssumptionRate, AssumptionStep, AssumptionVote, AssumptionDistinct, AssumptionOwner, AssumptionToken,
	AssumptionWork, AssumptionCounter, AssumptionHeal, AssumptionRandom, AssumptionBounded,
}

// What can excuse a violation, per oracle: a lock is not excused by what its
// holder does too late, nor a resource by a contender's retry delay.
var (
	matterToLock     = []string{AssumptionRate, AssumptionStep, AssumptionVote, AssumptionDistinct, AssumptionOwner, AssumptionToken}
	matterToResource = append(slices.Clone(matterToLock), AssumptionWork, AssumptionCounter)
	matterToLiveness = append(slices.Clone(matterToLock), AssumptionHeal, AssumptionRandom, AssumptionBounded)
)

// Assumption is one line of the ledger.
type Assumption struct {
	ID   string `json:"id"`
	Kept bool   `json:"kept"`
	// Found counts how often it was broken; Breaks lists the first of them by
	// time, maxBreaks at most.
	Found  int     `json:"found,omitempty"`
	Breaks []Break `json:"breaks,omitempty"`
}

// maxBreaks bounds how many breaks of one assumption the ledger lists.
const maxBreaks = 10

// Break is one time that an assumption was broken.
type Break struct {
	AtNS int64 `json:"at_ns"`
	// Event is the trace event that caused it; 0 when the history names none.
	Event int64 `json:"event,omitempty"`
	// Line is the record that shows it.
	Line   int    `json:"line"`
	Reason string `json:"reason"`
}

// explain says for every violated oracle which broken assumptions came no
// later than its first finding, and calls it a bug where there is none.
func (verdict *Verdict) explain() {
	for _, result := range verdict.results() {
		if result.Status != Violated {
			continue
		}
		for i := range result.Findings {
			explaining := verdict.Explaining(&result.Findings[i])
			for _, id := range explaining {
				if !slices.Contains(result.ExplainedBy, id) {
					result.ExplainedBy = append(result.ExplainedBy, id)
				}
			}
			result.Bug = result.Bug || len(explaining) == 0
		}
		slices.SortFunc(result.ExplainedBy, func(a, b string) int { return slices.Index(Assumptions, a) - slices.Index(Assumptions, b) })
	}
}

// Explaining lists the assumptions that matter to a finding and were broken no
// later than it, in the ledger's order. With none it is a bug in the lock.
func (verdict *Verdict) Explaining(finding *Finding) []string {
	matters := matterToResource
	switch finding.Sort {
	case sortOverlap, sortLock, sortKey:
		matters = matterToLock
	case sortGoal:
		matters = matterToLiveness
	}
	var ids []string
	for _, assumption := range verdict.Ledger {
		if !assumption.Kept && assumption.Breaks[0].AtNS <= finding.AtNS && slices.Contains(matters, assumption.ID) {
			ids = append(ids, assumption.ID)
		}
	}
	return ids
}
