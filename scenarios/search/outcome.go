package search

import (
	"slices"

	"redlocklab/checker"
	"redlocklab/scenarios"
)

// Outcome is what the search needs to know of a run.
type Outcome struct {
	Violated []scenarios.Oracle // in the order of reports
	Broken   []string           // assumptions, in the ledger's order
	Finished bool               // it ended by itself, and every oracle answered
}

// OutcomeOf reads the outcome of a run that was played here.
func OutcomeOf(r *scenarios.Result) Outcome {
	outcome := Outcome{Broken: r.Verdict.Broken(), Finished: r.Outcome == "finished" && !r.Verdict.Inconclusive()}
	if r.Verdict.Overlap.Status == checker.Violated {
		outcome.Violated = append(outcome.Violated, scenarios.OracleOverlap)
	}
	if r.Verdict.Linearizability.Status == checker.Violated {
		outcome.Violated = append(outcome.Violated, scenarios.OracleLinearizability)
	}
	for _, register := range []struct {
		name   checker.Register
		oracle scenarios.Oracle
	}{
		{checker.RegisterUnfenced, scenarios.OracleResourceUnfenced},
		{checker.RegisterFencedWrites, scenarios.OracleResourceFencedWrites},
		{checker.RegisterFenced, scenarios.OracleResourceFenced},
	} {
		if slices.ContainsFunc(r.Verdict.Resource.Registers, func(x checker.RegisterResult) bool {
			return x.Register == register.name && x.Status == checker.Violated
		}) {
			outcome.Violated = append(outcome.Violated, register.oracle)
		}
	}
	if r.Verdict.Liveness.Status == checker.Violated {
		outcome.Violated = append(outcome.Violated, scenarios.OracleLiveness)
	}
	return outcome
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
