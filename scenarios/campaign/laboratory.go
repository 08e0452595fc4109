package campaign

import (
	"time"

	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/sim"
)

// Laboratory plays one run of a plan. The command line has the real one; tests of
// the machinery around runs have one whose runs are as bad as they need to be.
// An error means that no run came about.
type Laboratory func(plan *plan.Plan, options Options) (*play.Result, error)

// Options are the same for all runs of a campaign.
type Options struct {
	Scripts   string        `json:"scripts"`      // "native" or "lua"
	Processor time.Duration `json:"processor_ns"` // bound on the processor time of one run
}

// Finished is the outcome of a run that ended by itself. Every other outcome is
// the name of the bound that ended it.
const Finished = string(sim.Finished)

// Count is how often something happened.
type Count struct {
	Name  string `json:"name"`
	Times int    `json:"times"`
}
