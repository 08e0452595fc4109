package history

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
)

var assumptions = []string{
	AssumptionRate, AssumptionStep, AssumptionWall, AssumptionVote, AssumptionDistinct, AssumptionOwner, AssumptionToken,
	AssumptionWork, AssumptionCounter, AssumptionHeal, AssumptionRandom, AssumptionBounded,
}

// Assumptions returns the ids of all assumptions, in the order of the ledger.
func Assumptions() []string { return slices.Clone(assumptions) }
