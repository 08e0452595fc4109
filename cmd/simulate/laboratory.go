package main

import (
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
)

// playPlan is the laboratory: the runner of package scenarios.
func playPlan(plan *plan.Plan, options campaign.Options) (*play.Result, error) {
	return play.Run(plan, play.RunOptions{Scripts: options.Scripts, Processor: options.Processor})
}
