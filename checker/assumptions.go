package checker

import "slices"

// The ids of the assumptions that a history can keep or break.
const (
	AssumptionRate     = "A-RATE"
	AssumptionStep     = "A-STEP"
	AssumptionWall     = "A-WALL"
	AssumptionVote     = "A-VOTE"
	AssumptionDistinct = "A-DISTINCT"
	AssumptionOwner    = "A-OWNER"
	AssumptionToken    = "A-TOKEN"
	AssumptionWork     = "A-WORK"
	AssumptionCounter  = "A-COUNTER"
	AssumptionHeal     = "A-HEAL"
	AssumptionRandom   = "A-RANDOM"
	AssumptionBounded  = "A-BOUNDED"
	AssumptionTries    = "A-TRIES"
)

var assumptions = []string{
	AssumptionRate, AssumptionStep, AssumptionWall, AssumptionVote, AssumptionDistinct, AssumptionOwner,
	AssumptionToken, AssumptionWork, AssumptionCounter, AssumptionHeal, AssumptionRandom, AssumptionBounded,
	AssumptionTries,
}

// Assumptions returns the ids of all assumptions, in the order of the ledger.
func Assumptions() []string { return slices.Clone(assumptions) }

// Assumption is the ledger's entry for one assumption.
type Assumption struct {
	ID   string `json:"id"`
	Kept bool   `json:"kept"`
	// Found counts how often it was broken. Breaks lists the first times, at most
	// [Options.Evidence].
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
	// Subject is the node or client that it happened to, Key the resource or
	// counter, and Lease the lease that worked late.
	Subject string `json:"subject,omitempty"`
	Key     string `json:"key,omitempty"`
	Lease   string `json:"lease,omitempty"`
	// UntilNS is when it ended, if it lasted. SizeNS is the step of a clock, or the
	// lifetime that a vote still had; ErrorPPM is the rate error of a clock.
	UntilNS  *int64 `json:"until_ns,omitempty"`
	SizeNS   int64  `json:"size_ns,omitempty"`
	ErrorPPM int64  `json:"error_ppm,omitempty"`

	fact *Fact  // that broke it, if one did
	goal string // that faults made fail
}

// explain notes which broken assumptions explain each finding, and sums them up
// in the answer.
func (result *Result) explain(explaining func(*Finding) []string) {
	for finding := range each(result.Findings) {
		finding.ExplainedBy = explaining(finding)
		for _, id := range finding.ExplainedBy {
			result.ExplainedBy = mention(result.ExplainedBy, id)
		}
		result.Bug = result.Bug || len(finding.ExplainedBy) == 0
	}
	slices.SortFunc(result.ExplainedBy, func(a, b string) int {
		return slices.Index(assumptions, a) - slices.Index(assumptions, b)
	})
}

// The assumptions that can matter to a finding. What a holder does too late does
// not matter to the lock, nor does a contender's retry delay to the resource.
var (
	explainLock     = slices.Clip(assumptions[:slices.Index(assumptions, AssumptionWork)])
	explainResource = append(slices.Clone(explainLock), AssumptionWork, AssumptionCounter)
	explainLiveness = slices.Concat(explainLock, assumptions[slices.Index(assumptions, AssumptionHeal):])
)

// Candidates lists the assumptions whose breaks can matter to a finding of this
// sort. Which of them explain it, ExplainedBy says.
func (finding *Finding) Candidates() []string {
	switch finding.Sort {
	case SortOverlap, SortLock, SortKey, SortQuorum:
		return explainLock
	case SortGoal:
		return explainLiveness
	}
	return explainResource
}
