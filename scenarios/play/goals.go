package play

import (
	"fmt"
	"strconv"
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios/plan"
)

// goalRecords are the goals of a plan, as the checker reads them. starts says when the
// time of each began to run.
func goalRecords(goals []plan.Goal, starts []goalStart, end int64) []checker.Goal {
	var records []checker.Goal
	for i, g := range goals {
		from, bound := int64(starts[i].at), fmt.Sprintf("%s = %v", g.Within.Text, g.Within.Value)
		if from < 0 { // a goal whose time never began to run is inconclusive, not met
			from = end
			bound += ", from what never happened"
		}
		goal := checker.Goal{
			ID: "goal " + strconv.Itoa(i+1), Claim: g.Claim, Bound: bound,
			Form: checker.GoalSome, Client: g.Client, Except: g.Except, Resource: g.Resource, Action: checker.Action(g.Does),
			FromNS: from, WithinNS: int64(g.Within.Value), Needs: g.Needs,
		}
		switch g.Each {
		case plan.EachReturns:
			goal.Form = checker.GoalEachReturns
		case plan.EachSucceeds:
			goal.Form = checker.GoalEachSucceeds
		case plan.EachFails:
			goal.Form = checker.GoalEachFails
		case plan.EachNever:
			goal.Form = checker.GoalNeverSent
		}
		if goal.Client == plan.AnyClient {
			goal.Client = ""
		}
		if g.Heal != nil {
			goal.HealNS = int64(g.Heal.Value)
		}
		records = append(records, goal)
	}
	return records
}

// goalStart is when a goal's time began to run; -1: it never did.
type goalStart struct{ at time.Duration }

// watchGoals notes when the time of each goal begins to run.
func (r *run) watchGoals() {
	for i, g := range r.plan.Liveness {
		r.goals[i].at = -1
		r.installed.Watch(g.From, func() {
			if r.goals[i].at < 0 {
				r.goals[i].at = r.world.Now()
				if g.From.When.IsZero() { // the world acts a little later; what is called at the very instant counts
					r.goals[i].at = g.From.At
				}
			}
		})
	}
}
