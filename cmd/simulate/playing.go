package main

import "redlocklab/scenarios/campaign"

// runsOf counts the runs of jobs.
func runsOf(jobs []campaign.Job) int {
	total := 0
	for i := range jobs {
		total += len(jobs[i].Seeds)
	}
	return total
}
