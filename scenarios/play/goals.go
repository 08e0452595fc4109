package play

import (
	"fmt"
	"strconv"
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios/plan"
)

// watchGoals notes when the time of each goal begins to run.
func (r *Referee) watchGoals() {
	for i, g := range r.plan.Liveness {
		r.starts = append(r.starts, -1)
		r.installed.Watch(g.From, func() {
			if r.starts[i] >= 0 {
				return
			}
			r.starts[i] = r.world.Now()
			if g.From.When.IsZero() { // the world acts a little later, and calls at this very instant count
				r.starts[i] = g.From.At
			}
		})
	}
}

// goalForms are the checker's words.
var goalForms = map[plan.Each]checker.GoalForm{
	plan.EachNone: checker.GoalSome, plan.EachReturns: checker.GoalEachReturns, plan.EachSucceeds: checker.GoalEachSucceeds,
	plan.EachFails: checker.GoalEachFails, plan.EachNever: checker.GoalNeverSent, plan.EachClears: checker.GoalEachClears, plan.EachInTime: checker.GoalSentInTime,
}

// goalRecords are the goals as the checker reads them. starts says when the time of each
// began to run; -1: never. end is the end of the run.
func goalRecords(goals []plan.Goal, starts []time.Duration, end time.Duration) []checker.Goal {
	var records []checker.Goal
	for i, g := range goals {
		from, bound := starts[i], fmt.Sprintf("%s = %v", g.Within.Text, g.Within.Value)
		if from < 0 { // such a goal is inconclusive, not met
			from = end
			bound += ", from what never happened"
		}
		goal := checker.Goal{
			ID: "goal " + strconv.Itoa(i+1), Claim: g.Claim, Bound: bound,
			Form: goalForms[g.Each], Client: g.Client, Except: g.Except, Resource: g.Resource, Action: checker.Action(g.Does),
			FromNS: int64(from), WithinNS: int64(g.Within.Value), Needs: g.Needs,
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
