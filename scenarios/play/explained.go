package play

import (
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
