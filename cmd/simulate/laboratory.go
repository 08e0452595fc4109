package main

import (
	"redlocklab/scenarios"
	"redlocklab/scenarios/campaign"
)

// play is the laboratory: the runner of package scenarios.
func play(plan *scenarios.Plan, options campaign.Options) (*campaign.Run, error) {
	result, err := scenarios.Run(plan, scenarios.RunOptions{Scripts: options.Scripts, Real: options.Real})
	if err != nil {
		return nil, err
	}
	run := &campaign.Run{
		Plan: result.Plan, PlanHash: result.PlanHash, TraceHash: result.TraceHash, Outcome: result.Outcome,
		Events: result.Events, History: result.History, Verdict: result.Verdict,
	}
	for _, fired := range result.Fired {
		run.Fired = append(run.Fired, campaign.Count{Name: fired.Fault, Times: fired.Began})
	}
	return run, nil
}
