package main

import (
	"redlocklab/scenarios"
	"redlocklab/scenarios/campaign"
)

// playPlan is the laboratory: the runner of package scenarios.
func playPlan(plan *scenarios.Plan, options campaign.Options) (*scenarios.Result, error) {
	return scenarios.Run(plan, scenarios.RunOptions{Scripts: options.Scripts, Processor: options.Processor})
}
