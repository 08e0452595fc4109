package play

import (
	"strconv"
	"strings"
	"time"

	"redlocklab/checker"
	"redlocklab/faults"
	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
	"redlocklab/sim/explain"
)

// subjectWords are a subject's title and its options: "SY-0 (bug=half-quorum)".
func subjectWords(s plan.Subject) string {
	if len(s.Options) == 0 {
		return s.Title()
	}
	var settings []string
	for _, option := range s.Options {
		settings = append(settings, option.Name+"="+option.Value)
	}
	return s.Title() + " (" + strings.Join(settings, ", ") + ")"
}

// Explained is a run as package explain tells and draws it.
func (r *Result) Explained() *explain.Run {
	plan, history, verdict, events := r.Plan, r.History, &r.Verdict, r.Events
	run := &explain.Run{
		Title: plan.Title, Claim: plan.Claim, Subject: subjectWords(plan.Subject), Seed: plan.Seed,
		Asks: map[string][]string{}, TTL: plan.Lock.TTL, Events: events,
	}
	if lock.Guards(plan.Subject) {
		run.Guard = plan.Lock.TTL
	}
	for _, client := range plan.Clients {
		if run.Asks[client.Name] = client.Nodes; len(history.Header.Nodes) < len(plan.World.Nodes) {
			run.Asks[client.Name] = history.Header.Nodes
		}
	}
	for _, process := range plan.World.Processes {
		run.Processes = append(run.Processes, process.Name)
	}
	for _, node := range plan.World.Nodes {
		run.Nodes = append(run.Nodes, node.Name)
	}
	for _, fault := range plan.Faults {
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
	run.Values = explainedValues(plan, history)
	for _, assumption := range verdict.Ledger {
		words := assumptionWords(assumption.ID)
		run.Assumptions = append(run.Assumptions, explain.Assumption{ID: assumption.ID, Words: words})
		if !assumption.Kept && len(assumption.Breaks) > 0 {
			first := int(assumption.Breaks[0].Event)
			run.Broken = append(run.Broken, explain.Broken{Assumption: assumption.ID, Event: first, Words: words})
		}
	}
	run.Violations = explainedFindings(verdict, history, events)
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

// explainedValues says what each write of a counter wrote. Other writes write values
// that only tell them apart.
func explainedValues(plan *plan.Plan, history *checker.History) map[int]string {
	values := map[int]string{}
	for i := range history.Accesses {
		if a := &history.Accesses[i]; plan.Stock != 0 && a.Value != nil {
			values[int(a.Event)] = "value " + strconv.FormatInt(*a.Value, 10)
		}
	}
	return values
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
	from := time.Duration(lease.Validity[0].AtNS)
	until := time.Duration(lease.Validity[len(lease.Validity)-1].UntilNS)
	released := lease.ReleasedNS != nil && time.Duration(*lease.ReleasedNS) <= until
	if released {
		until = time.Duration(*lease.ReleasedNS)
	}
	explained := explain.Lease{
		ID: lease.ID, Client: lease.Client, Resource: lease.Resource,
		From: from, Until: max(from, until), Released: released,
	}
	for _, v := range lease.Validity {
		term := explain.Term{From: time.Duration(v.AtNS), Until: time.Duration(v.UntilNS)}
		explained.Terms = append(explained.Terms, term)
	}
	return explained
}
