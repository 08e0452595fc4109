package play

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"redlocklab/checker"
	"redlocklab/faults"
	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
	"redlocklab/sim/explain"
)

// subjectWords are a subject's title and its options: "SY-0 (bug=half-quorum)".
func subjectWords(s plan.Subject) string {
	if len(s.Options) == 0 {
		return s.Title()
	}
	settings := plan.Texts(s.Options, func(o plan.Option) string { return o.Name + "=" + o.Value })
	return s.Title() + " (" + strings.Join(settings, ", ") + ")"
}

// Explained is a run as package explain tells and draws it.
func (r *Result) Explained() *explain.Run {
	p, history, verdict := r.Plan, r.History, &r.Verdict
	run := &explain.Run{
		Title: p.Title, Claim: p.Claim, Subject: subjectWords(p.Subject), Seed: p.Seed,
		Processes: plan.Texts(p.World.Processes, func(c sim.ProcessConfig) string { return c.Name }),
		Nodes:     plan.Texts(p.World.Nodes, func(n sim.NodeConfig) string { return n.Name }),
		Asks:      map[string][]string{}, Values: map[int]string{}, TTL: p.Lock.TTL, Events: r.Events,
		Violations: explainedFindings(verdict, history, r.Events),
	}
	if lock.Guards(p.Subject) {
		run.Guard = p.Lock.TTL
	}
	for _, client := range p.Clients {
		if run.Asks[client.Name] = client.Nodes; len(history.Header.Nodes) < len(p.World.Nodes) {
			run.Asks[client.Name] = history.Header.Nodes
		}
	}
	for _, fault := range p.Faults {
		run.Faults = append(run.Faults, explainedFault(fault, run))
	}
	for _, fact := range history.Facts {
		if fact.Fact == checker.FactSlowLink {
			run.Notes = append(run.Notes, fact.Name)
		}
	}
	for _, lease := range history.Leases {
		run.Leases = append(run.Leases, explainedLease(&lease))
	}
	for i := range history.Accesses { // writes that are not of a counter only tell themselves apart
		if a := &history.Accesses[i]; p.Stock != 0 && a.Value != nil {
			run.Values[int(a.Event)] = "value " + strconv.FormatInt(*a.Value, 10)
		}
	}
	for _, assumption := range verdict.Ledger {
		words := assumptionWords(assumption.ID)
		run.Assumptions = append(run.Assumptions, explain.Assumption{ID: assumption.ID, Words: words})
		if !assumption.Kept && len(assumption.Breaks) > 0 {
			first := int(assumption.Breaks[0].Event)
			run.Broken = append(run.Broken, explain.Broken{Assumption: assumption.ID, Event: first, Words: words})
		}
	}
	return run
}

// assumptionWords is the first sentence of what an assumption says.
func assumptionWords(id string) string {
	for _, term := range plan.AssumptionTerms() {
		if term.Name == id {
			first, _, _ := strings.Cut(term.Meaning, ". ")
			return first
		}
	}
	return ""
}

// explainedFault describes a fault by its fields, and a partition also by its two sides.
func explainedFault(fault faults.Fault, run *explain.Run) explain.Fault {
	f := explain.Fault{Name: fault.Name}
	var words []string
	for _, field := range fault.Fields() {
		if field.Key != "name" {
			words = append(words, strings.ReplaceAll(field.Key, "_", " ")+" "+field.Value)
		}
	}
	f.Words = strings.Join(words, ", ")
	if partition, ok := fault.Effect.(*faults.Partition); ok {
		f.Processes, f.Nodes = everybody(partition.Clients, run.Processes), everybody(partition.Nodes, run.Nodes)
	}
	return f
}

// everybody replaces the word "all" by all names.
func everybody(names, all []string) []string {
	if len(names) == 1 && names[0] == faults.All {
		return all
	}
	return names
}

func explainedLease(lease *checker.Lease) explain.Lease {
	l := explain.Lease{ID: lease.ID, Client: lease.Client, Resource: lease.Resource}
	for _, v := range lease.Validity {
		l.Terms = append(l.Terms, explain.Term{From: time.Duration(v.AtNS), Until: time.Duration(v.UntilNS)})
	}
	l.From, l.Until = l.Terms[0].From, l.Terms[len(l.Terms)-1].Until
	if at := lease.ReleasedNS; at != nil && time.Duration(*at) <= l.Until {
		l.Until, l.Released = time.Duration(*at), true
	}
	l.Until = max(l.From, l.Until)
	return l
}

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
