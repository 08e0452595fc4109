package scenarios

import (
	"redlocklab/checker"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
)

// missed is a run in which B's blocking acquisition returned an error after a second, before
// the bound of its goal.
func missed(claim string, form checker.GoalForm) *play.Result {
	finding := checker.Finding{Sort: checker.SortGoal, Goal: "goal 1", AtNS: 5e9, Text: "B should have had the lock"}
	r := &play.Result{
		Plan: &plan.Plan{Clients: []plan.Client{{Name: "B", Steps: []plan.Step{{Kind: plan.StepLock, Resource: "r"}}}}},
		History: &checker.History{
			Operations: []checker.Operation{{
				ID: "B.1", Client: "B", Action: checker.ActionAcquire, Resource: "r", CallNS: 5e8,
				ReturnNS: checker.At(1e9), Outcome: checker.OutcomeFail, Class: "contended",
			}},
			Goals: []checker.Goal{
				{ID: "goal 1", Claim: claim, Form: form, Client: "B", Action: checker.ActionAcquire, WithinNS: 5e9},
			},
		},
	}
	live := &r.Verdict.Liveness
	live.Oracle, live.Status, live.Bug, live.Found = checker.OracleLiveness, checker.Violated, true, 1
	live.Findings = []checker.Finding{finding}
	live.Goals = []checker.GoalResult{{ID: "goal 1", Claim: claim, Status: checker.Violated}}
	return r
}
