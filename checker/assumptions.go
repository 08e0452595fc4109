package checker

import "slices"

// The ids of the assumptions that a history can keep or break.
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

var assumptions = []string{
	AssumptionRate, AssumptionStep, AssumptionVote, AssumptionDistinct, AssumptionOwner, AssumptionToken,
	AssumptionWork, AssumptionCounter, AssumptionHeal, AssumptionRandom, AssumptionBounded,
}

// Assumptions returns the ids of all assumptions, in the order of the ledger.
func Assumptions() []string { return slices.Clone(assumptions) }

// Assumption is the ledger's entry for one assumption.
type Assumption struct {
	ID   string `json:"id"`
	Kept bool   `json:"kept"`
	// Found counts how often it was broken. Breaks lists the first times, at most ten.
	Found  int     `json:"found,omitempty"`
	Breaks []Break `json:"breaks,omitempty"`
}

// Break is one time that an assumption was broken.
type Break struct {
	AtNS int64 `json:"at_ns"`
	// Event is the number of the trace event that caused it; 0 means none is known.
	Event int64 `json:"event,omitempty"`
	// Line is the line of the record that shows it.
	Line   int    `json:"line"`
	Reason string `json:"reason"`
}

// The assumptions that can explain a violation. What a holder does too late does
// not explain a failure of the lock, nor does a contender's retry delay explain
// harm at the resource.
var (
	explainLock     = []string{AssumptionRate, AssumptionStep, AssumptionVote, AssumptionDistinct, AssumptionOwner, AssumptionToken}
	explainResource = append(slices.Clone(explainLock), AssumptionWork, AssumptionCounter)
	explainLiveness = append(slices.Clone(explainLock), AssumptionHeal, AssumptionRandom, AssumptionBounded)
)

// explain notes which broken assumptions explain each finding, and sums them up
// in the answer.
func (result *Result) explain(ledger []Assumption) {
	for i := range result.Findings {
		finding := &result.Findings[i]
		finding.ExplainedBy = explaining(ledger, finding)
		for _, id := range finding.ExplainedBy {
			result.ExplainedBy = mention(result.ExplainedBy, id)
		}
		result.Bug = result.Bug || len(finding.ExplainedBy) == 0
	}
	slices.SortFunc(result.ExplainedBy, func(a, b string) int { return slices.Index(assumptions, a) - slices.Index(assumptions, b) })
}

// explaining lists the assumptions that can explain a finding of this sort and
// were broken no later than the finding.
func explaining(ledger []Assumption, finding *Finding) []string {
	candidates := explainResource
	switch finding.Sort {
	case SortOverlap, SortLock, SortKey:
		candidates = explainLock
	case SortGoal:
		candidates = explainLiveness
	}
	var ids []string
	for _, assumption := range ledger {
		if !assumption.Kept && assumption.Breaks[0].AtNS <= finding.AtNS && slices.Contains(candidates, assumption.ID) {
			ids = append(ids, assumption.ID)
		}
	}
	return ids
}
