package play

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"redlocklab/checker"
	"redlocklab/sim"
	"redlocklab/sim/explain"
)

// explainedFindings are what a story tells of a verdict: the first finding of each
// sort that an oracle has, and every goal that was missed. If the lock's model
// fails at the instant at which an overlap begins, both are told as one.
func explainedFindings(verdict *checker.Verdict, history *checker.History, events []sim.Event) []explain.Violation {
	var list []explain.Violation
	for _, result := range verdict.Results() {
		if result.Oracle == checker.OracleLiveness {
			continue // its goals come below
		}
		indexes := map[string]int{} // in list, by sort
		for i := range result.Findings {
			finding := &result.Findings[i]
			if overlap := sameOverlap(list, verdict, finding); overlap != nil {
				overlap.Oracle = string(checker.OracleOverlap + " and " + checker.OracleLinearizability)
				continue
			}
			if i, known := indexes[finding.Sort]; known {
				list[i].More++
				continue
			}
			indexes[finding.Sort] = len(list)
			list = append(list, explainedFinding(result.Oracle, finding, history, events))
		}
		if n := len(result.Findings); len(indexes) == 1 && n < result.Found {
			list[len(list)-1].More += result.Found - n
		}
	}
	for i := range verdict.Liveness.Goals {
		if verdict.Liveness.Goals[i].Status == checker.Violated {
			list = append(list, explainedGoal(i, verdict, history))
		}
	}
	return list
}

// operationName matches an operation as the checker names it: "op B.1 of B", "op B.1 (acquire by B)".
var operationName = regexp.MustCompile(`\bop \S+ (?:of (\S+)|\(\S+ by (\S+)\))`)

// explainedGoal describes the i-th goal, which was missed: which clients should have
// succeeded, and since when.
func explainedGoal(i int, verdict *checker.Verdict, history *checker.History) explain.Violation {
	result, goal := &verdict.Liveness.Goals[i], &history.Goals[i]
	at := min(result.DeadlineNS, history.Header.EndNS)
	only := goal.Client
	v := explain.Violation{Oracle: string(checker.OracleLiveness), Words: result.Text}
	for j := range verdict.Liveness.Findings {
		if finding := &verdict.Liveness.Findings[j]; finding.Goal == result.ID {
			at = min(finding.AtNS, at)
			v.Words, v.ExplainedBy = finding.Text, finding.ExplainedBy
		}
	}
	for j := range history.Operations {
		if operation := &history.Operations[j]; goal.Form != checker.GoalSome && operation.ID == result.Operation {
			only = operation.Client
		}
	}
	v.Words = operationName.ReplaceAllString(v.Words, "$1$2")
	v.From, v.Until = time.Duration(at), time.Duration(at)
	v.Goal = &explain.Goal{Resource: goal.Resource, From: time.Duration(min(result.DeadlineNS-goal.WithinNS, at))}
	for _, client := range history.Header.Clients {
		if (only == "" || client.Name == only) && client.Name != goal.Except {
			v.Goal.Clients = append(v.Goal.Clients, client.Name)
		}
	}
	return v
}

// sameOverlap is the first violation, an overlap, if the finding is that of the lock's
// model at the instant at which the overlap begins.
func sameOverlap(list []explain.Violation, verdict *checker.Verdict, finding *checker.Finding) *explain.Violation {
	if finding.Sort != checker.SortLock || len(verdict.Overlap.Findings) == 0 {
		return nil
	}
	if first := &verdict.Overlap.Findings[0]; first.AtNS != finding.AtNS || first.Resource != finding.Resource {
		return nil
	}
	return &list[0]
}

// explainedFinding describes a finding; of an overlap the leases say enough. Its event is
// the last of the finding's events that had happened by then.
func explainedFinding(
	oracle checker.Oracle, finding *checker.Finding, history *checker.History, events []sim.Event,
) explain.Violation {
	v := explain.Violation{Oracle: string(oracle), Leases: finding.Leases, ExplainedBy: finding.ExplainedBy}
	for _, seq := range finding.Events {
		if seq > int64(v.Event) && seq <= int64(len(events)) && int64(events[seq-1].At) <= finding.AtNS {
			v.Event = int(seq)
		}
	}
	if oracle != checker.OracleOverlap {
		v.From, v.Words = time.Duration(finding.AtNS), accessWords(finding, history)
		v.Until = v.From
	}
	return v
}

// accessWords says what a register accepted that it should not have: who accessed it
// after whom. Other findings speak for themselves.
func accessWords(finding *checker.Finding, history *checker.History) string {
	at := func(seq int64) *checker.Access {
		i := slices.IndexFunc(history.Accesses, func(a checker.Access) bool { return a.Event == seq })
		if i < 0 {
			return nil
		}
		return &history.Accesses[i]
	}
	if (finding.Sort != checker.SortStale && finding.Sort != checker.SortLostUpdate) || len(finding.Events) != 2 {
		return finding.Text
	}
	earlier, late := at(finding.Events[0]), at(finding.Events[1])
	if earlier == nil || late == nil || earlier.Lease == "" || late.Lease == "" {
		return finding.Text
	}
	register := fmt.Sprintf("the %s register of %s", strings.ReplaceAll(string(late.Register), "_", " "), late.Resource)
	if finding.Sort == checker.SortLostUpdate {
		return fmt.Sprintf("%s's %s (lease %s) in %s is lost: %s overwrites it (lease %s), and had read the value before it",
			earlier.Client, earlier.Action, earlier.Lease, register, late.Client, late.Lease)
	}
	return fmt.Sprintf("%s accepts a stale %s of %s (lease %s) after the %s of %s, whose lease %s is newer",
		register, late.Action, late.Client, late.Lease, earlier.Action, earlier.Client, earlier.Lease)
}
