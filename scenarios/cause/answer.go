package cause

import (
	"slices"

	"redlocklab/checker"
	"redlocklab/scenarios/play"
)

// Version is the version of an answer as JSON, which FORMATS.md describes.
const Version = 1

// Answer says what caused each finding of one run.
type Answer struct {
	Version   int       `json:"version"`
	PlanHash  string    `json:"plan_hash"`
	TraceHash string    `json:"trace_hash"`
	Replays   int       `json:"replays"` // that the answer took
	Findings  []Finding `json:"findings"`
}

// Finding is what an oracle found about one resource or goal.
type Finding struct {
	Oracle   checker.Oracle `json:"oracle"`
	Sort     string         `json:"sort"` // of the first of them
	Resource string         `json:"resource,omitempty"`
	Goal     string         `json:"goal,omitempty"`
	AtNS     int64          `json:"at_ns"` // of the first of them
	Text     string         `json:"text"`  // of the first of them
	// Causes are the smallest sets of heals without which the finding vanishes.
	Causes []Cause `json:"causes,omitempty"`
	// Needed holds faults and settings that broke nothing that this finding is about, and
	// without which it vanishes, too.
	Needed []Cause `json:"needed,omitempty"`
	// Stays is the finding that remains although every break is healed, when there is no cause.
	Stays string `json:"stays,omitempty"`
	// Undecided says why replays could not tell; the footprint then counts.
	Undecided string `json:"undecided,omitempty"`
	// Ledger is the footprint that all of these findings share; see package checker.
	Ledger []string `json:"ledger,omitempty"`
}

// Cause is a set of heals that makes a finding vanish.
type Cause struct {
	Heals []Heal `json:"heals"`
	// Without says what happens without them: "B gets 2 of 5 votes and waits".
	Without string `json:"without"`
}

// OwnBug reports whether the finding is the lock's own bug.
func (f *Finding) OwnBug() bool {
	if f.Undecided != "" {
		return len(f.Ledger) == 0
	}
	return len(f.Causes) == 0
}

// Assumptions lists the assumptions whose breaks are in a cause, in the order of the ledger.
func (f *Finding) Assumptions() []string {
	if f.Undecided != "" {
		return f.Ledger
	}
	var ids []string
	for _, b := range f.breaks() {
		ids = union(ids, []string{b.Assumption})
	}
	return ids
}

// breaks lists what the causes take away.
func (f *Finding) breaks() (list []Break) {
	for _, c := range f.Causes {
		for _, h := range c.Heals {
			list = append(list, h.Breaks...)
		}
	}
	return list
}

// Names lists the names of the heals.
func (c *Cause) Names() []string {
	var names []string
	for _, h := range c.Heals {
		names = append(names, h.Name)
	}
	return names
}

// Events lists the events that broke what the causes of all findings take away, ascending.
func (a *Answer) Events() []int {
	var events []int
	for _, f := range a.Findings {
		for _, b := range f.breaks() {
			if b.Event > 0 {
				events = append(events, int(b.Event))
			}
		}
	}
	slices.Sort(events)
	return slices.Compact(events)
}

// Of reports whether the answer is about this run.
func (a *Answer) Of(run *play.Result) bool {
	return a.PlanHash == run.PlanHash && a.TraceHash == run.TraceHash
}

// Answers returns the answers of all oracles with what explains them by the causes.
func (a *Answer) Answers(by checker.Answers) checker.Answers {
	decided := slices.Clone(by)
	for i := range decided {
		answer := &decided[i]
		if answer.Status != checker.Violated {
			continue
		}
		answer.ExplainedBy, answer.Bug = nil, false
		for _, f := range a.Findings {
			if f.Oracle == answer.Oracle {
				answer.ExplainedBy = union(answer.ExplainedBy, f.Assumptions())
				answer.Bug = answer.Bug || f.OwnBug()
			}
		}
	}
	return decided
}

// Explain replaces ExplainedBy by the causes. A break that happens only where others are healed
// explains nothing in the run itself.
func (a *Answer) Explain(verdict checker.Verdict) checker.Verdict {
	kept := func(id string) bool {
		return slices.ContainsFunc(verdict.Ledger, func(a checker.Assumption) bool { return a.ID == id && a.Kept })
	}
	answers := a.Answers(verdict.Answers())
	for i, result := range verdict.Results() {
		result.ExplainedBy, result.Bug = slices.DeleteFunc(answers[i].ExplainedBy, kept), answers[i].Bug
		result.Findings = slices.Clone(result.Findings)
		for j := range result.Findings {
			finding := &result.Findings[j]
			for _, f := range a.Findings {
				if f.is(result.Oracle, finding) {
					finding.ExplainedBy = slices.DeleteFunc(slices.Clone(f.Assumptions()), kept)
				}
			}
		}
	}
	return verdict
}

// is reports whether a finding of an oracle is one of those that f stands for.
func (f *Finding) is(oracle checker.Oracle, finding *checker.Finding) bool {
	return f.Oracle == oracle && f.Resource == finding.Resource && f.Goal == finding.Goal
}

// union lists the assumptions of both, in the order of the ledger.
func union(a, b []string) []string {
	return slices.DeleteFunc(checker.Assumptions(), func(id string) bool {
		return !slices.Contains(a, id) && !slices.Contains(b, id)
	})
}
