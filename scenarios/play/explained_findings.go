package play

import (
	"time"

	"redlocklab/checker"
	"redlocklab/sim"
	"redlocklab/sim/explain"
)

// explainedFindings are what a story tells of a verdict: the first finding of each
// sort that an oracle has, and every goal that was missed. If the lock's model
// fails at the instant at which an overlap begins, both are told as one.
func explainedFindings(verdict *checker.Verdict, history *checker.History, events []sim.Event) []explain.Violation {
	var told []explain.Violation
	for _, result := range verdict.Results() {
		if result.Oracle == checker.OracleLiveness {
			continue // its goals are told below
		}
		place := map[string]int{} // of a sort, in told
		for i := range result.Findings {
			finding := &result.Findings[i]
			if overlap := overlapAt(told, verdict, finding); overlap != nil {
				overlap.Oracle = string(checker.OracleOverlap + " and " + checker.OracleLinearizability)
				continue
			}
			if at, known := place[finding.Sort]; known {
				told[at].More++
				continue
			}
			place[finding.Sort] = len(told)
			told = append(told, explainedFinding(result.Oracle, finding, events))
		}
		if n := len(result.Findings); len(place) == 1 && n < result.Found {
			told[len(told)-1].More += result.Found - n
		}
	}
	for i := range verdict.Liveness.Goals {
		if verdict.Liveness.Goals[i].Status == checker.Violated {
			told = append(told, explainedGoal(i, verdict, history))
		}
	}
	return told
}

// explainedGoal is what a story tells of a goal that was missed, by its number: the
// clients that should have succeeded, and since when.
func explainedGoal(i int, verdict *checker.Verdict, history *checker.History) explain.Violation {
	result, goal := &verdict.Liveness.Goals[i], &history.Goals[i]
	at := min(result.DeadlineNS, history.Header.EndNS)
	only := goal.Client
	told := explain.Violation{Oracle: string(checker.OracleLiveness), Words: result.Text}
	for j := range verdict.Liveness.Findings {
		if finding := &verdict.Liveness.Findings[j]; finding.Goal == result.ID {
			at = min(finding.AtNS, at)
			told.Words, told.ExplainedBy = finding.Text, finding.ExplainedBy
		}
	}
	for j := range history.Operations {
		if operation := &history.Operations[j]; goal.Form != checker.GoalSome && operation.ID == result.Operation {
			only = operation.Client
		}
	}
	told.From, told.Until = time.Duration(at), time.Duration(at)
	told.Goal = &explain.Goal{Resource: goal.Resource, From: time.Duration(min(result.DeadlineNS-goal.WithinNS, at))}
	for _, client := range history.Header.Clients {
		if (only == "" || client.Name == only) && client.Name != goal.Except {
			told.Goal.Clients = append(told.Goal.Clients, client.Name)
		}
	}
	return told
}

// overlapAt is the overlap, the first of all that is told, if the lock's model
// fails at the instant at which it begins.
func overlapAt(told []explain.Violation, verdict *checker.Verdict, finding *checker.Finding) *explain.Violation {
	if finding.Sort != checker.SortLock || len(verdict.Overlap.Findings) == 0 {
		return nil
	}
	if first := &verdict.Overlap.Findings[0]; first.AtNS != finding.AtNS || first.Resource != finding.Resource {
		return nil
	}
	return &told[0]
}

// explainedFinding words a finding; an overlap is worded by the leases themselves. It
// shows at the last of its events that had happened by then.
func explainedFinding(oracle checker.Oracle, finding *checker.Finding, events []sim.Event) explain.Violation {
	told := explain.Violation{Oracle: string(oracle), Leases: finding.Leases, ExplainedBy: finding.ExplainedBy}
	for _, seq := range finding.Events {
		if seq > int64(told.Event) && seq <= int64(len(events)) && int64(events[seq-1].At) <= finding.AtNS {
			told.Event = int(seq)
		}
	}
	if oracle != checker.OracleOverlap {
		told.From, told.Until, told.Words = time.Duration(finding.AtNS), time.Duration(finding.AtNS), finding.Text
	}
	return told
}
