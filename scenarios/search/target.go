package search

import (
	"fmt"
	"slices"
	"strings"

	"redlocklab/checker"
	"redlocklab/scenarios/campaign"
)

// Target is what a search looks for: one oracle violated, with exactly this set
// of assumptions broken.
type Target struct {
	Oracle checker.Oracle
	Broken []string // in the ledger's order
	// Unexplained: something that the oracle found is the lock's own bug, whatever broke.
	Unexplained bool
}

// Met reports whether a run shows the target.
func (t Target) Met(run *campaign.Summary) bool {
	return slices.Contains(run.Answers.Violated(), t.Oracle) && slices.Equal(run.Broken, t.Broken) &&
		(!t.Unexplained || slices.Contains(run.Answers.Bugs(), t.Oracle))
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
		text += ", which is not its cause"
	}
	return text
}

// Listed writes assumptions in order: "A-RATE A-VOTE", or "nothing".
func Listed(assumptions []string) string {
	if len(assumptions) == 0 {
		return "nothing"
	}
	return strings.Join(slices.Sorted(slices.Values(assumptions)), " ")
}

// bySeverity lists the oracles, those whose violation is worst first: two holders,
// then harm in spite of a fence, then harm without one, then missed goals.
var bySeverity = []checker.Oracle{
	checker.OracleOverlap, checker.OracleLinearizability, checker.OracleResourceFenced,
	checker.OracleResourceFencedWrites,
	checker.OracleResourceUnfenced, checker.OracleFencingTokens, checker.OracleLiveness,
}

// Worst is the target of the worst oracle among those violated in one run, with
// what was broken in it. It is false when none is violated.
func Worst(violated []checker.Oracle, broken []string) (Target, bool) {
	for _, oracle := range bySeverity {
		if slices.Contains(violated, oracle) {
			return Target{Oracle: oracle, Broken: broken}, true
		}
	}
	return Target{}, false
}
