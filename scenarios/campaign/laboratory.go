package campaign

import (
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/sim"
)

// Laboratory plays one run of a plan. The command line has [play.Run]; tests of
// the machinery around runs have one whose runs are as bad as they need to be.
// An error means that no run came about.
type Laboratory func(plan *plan.Plan, options play.RunOptions) (*play.Result, error)

// CausesMode says whether the causes of violated runs are looked for, and what for. It
// changes no trace.
type CausesMode string

// The modes. A run that is saved gets its causes in any mode.
const (
	CausesUnasked CausesMode = ""       // the ledger's rule says what explains a violation
	CausesBeside  CausesMode = "beside" // the same, and the causes are in the report beside it
	CausesDecide  CausesMode = "decide" // the causes say what explains a violation
)

// Finished is the outcome of a run that ended by itself. Every other outcome is
// the name of the bound that ended it.
const Finished = string(sim.Finished)

// Count is how often something happened.
type Count struct {
	Name  string `json:"name"`
	Times int    `json:"times"`
}
