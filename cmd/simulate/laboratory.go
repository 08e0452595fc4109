package main

import (
	"redlocklab/scenarios"
	"redlocklab/scenarios/campaign"
)

// play is the laboratory: the runner of package scenarios.
func play(plan *scenarios.Plan, options campaign.Options) (*scenarios.Result, error) {
	return scenarios.Run(plan, scenarios.RunOptions{Scripts: options.Scripts, Processor: options.Processor})
}
