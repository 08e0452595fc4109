package plan

import (
	"slices"

	"redlocklab/checker"
)

// BeyondTextbook reports whether the textbook algorithm misses a goal of the scenario with every
// assumption kept, and no claim only measures it.
func (s *Scenario) BeyondTextbook() bool {
	claim, _ := ClaimByID(s.Claim)
	return claim.Kind != KindMeasured && slices.ContainsFunc(s.Subjects, func(x Subject) bool {
		return x.Name == "SY-0" && len(x.Options) == 0 && x.Expect[checker.OracleLiveness] == checker.Violated && len(x.Broken) == 0
	})
}
