package checker

import (
	"cmp"
	"slices"
	"time"
)

// Status is what an oracle answers.
type Status string

// The three answers. Inconclusive is never green.
const (
	Holds        Status = "holds"
	Violated     Status = "violated"
	Inconclusive Status = "inconclusive"
)

// Options bounds the work. The zero value means the defaults.
type Options struct {
	// TimeLimit bounds the search for linearizations of the whole history.
	// Default 10 s. It is the only bound that depends on the machine's speed.
	TimeLimit time.Duration
	// SearchSteps bounds the search in one segment. Default 2,000,000. It is
	// lowered for large segments so that one search keeps below about 256 MiB.
	SearchSteps int
	// Evidence bounds how many findings an oracle lists; all are counted.
	// Default 10.
	Evidence int
}

func (options Options) withDefaults() Options {
	if options.TimeLimit <= 0 {
		options.TimeLimit = 10 * time.Second
	}
	if options.SearchSteps <= 0 {
		options.SearchSteps = 2_000_000
	}
	if options.Evidence <= 0 {
		options.Evidence = 10
	}
	return options
}

// Result is what every oracle answers.
type Result struct {
	Status Status `json:"status"`
	// Checked counts what was looked at; with 0, "holds" says nothing.
	Checked int `json:"checked"`
	// Found counts all findings; Findings lists the first of them by time.
	Found    int       `json:"found"`
	Findings []Finding `json:"findings,omitempty"`
	// Reason says why the status is inconclusive.
	Reason string `json:"reason,omitempty"`
	// ExplainedBy lists the assumptions that matter to this oracle and were
	// broken no later than the first finding. Only for violated.
	ExplainedBy []string `json:"explained_by,omitempty"`
	// Bug is set when the oracle is violated and nothing explains it: a bug in
	// the lock.
	Bug bool `json:"bug,omitempty"`
}

// Finding is one piece of evidence.
type Finding struct {
	// Sort is one of the words listed in HISTORY.md, such as "overlap".
	Sort     string `json:"sort"`
	Resource string `json:"resource,omitempty"`
	Goal     string `json:"goal,omitempty"` // the id of the goal that was missed
	// AtNS is when it showed.
	AtNS   int64    `json:"at_ns"`
	Leases []string `json:"leases,omitempty"`
	// Operations are ids of operations, Events numbers of trace events, Lines
	// the lines of the records that show it.
	Operations []string `json:"operations,omitempty"`
	Events     []int64  `json:"events,omitempty"`
	Lines      []int    `json:"lines,omitempty"`
	Text       string   `json:"text"`
}

// Verdict is the judgement of one history. It is a function of the history
// alone (as long as no time limit is hit), and so is its JSON.
type Verdict struct {
	Version int    `json:"version"`
	Name    string `json:"name"`
	// Problems are breaches of what the checker assumes of every history. With
	// any, all oracles are inconclusive and the ledger is empty.
	Problems        []Problem             `json:"problems,omitempty"`
	Ledger          []Assumption          `json:"ledger"`
	Overlap         OverlapResult         `json:"overlap"`
	Linearizability LinearizabilityResult `json:"linearizability"`
	Resource        ResourceResult        `json:"resource"`
	Liveness        LivenessResult        `json:"liveness"`
}

// Judge checks a history, keeps the ledger and asks every oracle. Run it
// outside a synctest bubble: its time limit uses real timers.
func Judge(history *History, options Options) Verdict {
	options = options.withDefaults()
	history = numbered(history)
	verdict := Verdict{Version: Version, Name: history.Header.Name, Problems: Check(history), Ledger: []Assumption{}}
	if len(verdict.Problems) > 0 {
		unjudged := Result{Status: Inconclusive, Reason: "the history contradicts itself, see problems"}
		verdict.Overlap = OverlapResult{unjudged, []Margin{}}
		verdict.Linearizability = LinearizabilityResult{unjudged, []PartitionResult{}}
		verdict.Resource = ResourceResult{Result: unjudged, Registers: []RegisterResult{}}
		verdict.Liveness = LivenessResult{unjudged, []GoalResult{}}
		return verdict
	}
	idx := newIndex(history)
	verdict.Overlap = judgeOverlap(idx)
	verdict.Linearizability = judgeLinearizability(idx, options)
	verdict.Resource = judgeResource(idx)
	verdict.Liveness = judgeLiveness(idx)
	verdict.Ledger = ledger(idx)
	verdict.explain()
	for _, result := range verdict.results() {
		result.settle(options.Evidence)
	}
	return verdict
}

// Broken lists the ids of the broken assumptions, in the ledger's order.
func (verdict *Verdict) Broken() []string {
	var ids []string
	for _, assumption := range verdict.Ledger {
		if !assumption.Kept {
			ids = append(ids, assumption.ID)
		}
	}
	return ids
}

// SafetyViolated says whether overlap, linearizability or resource is violated.
func (verdict *Verdict) SafetyViolated() bool {
	return verdict.Overlap.Status == Violated || verdict.Linearizability.Status == Violated || verdict.Resource.Status == Violated
}

// LivenessViolated says whether a liveness goal was missed.
func (verdict *Verdict) LivenessViolated() bool { return verdict.Liveness.Status == Violated }

// Inconclusive says whether any oracle could not answer.
func (verdict *Verdict) Inconclusive() bool {
	for _, result := range verdict.results() {
		if result.Status == Inconclusive {
			return true
		}
	}
	return false
}

// Bug says whether any oracle is violated with nothing to explain it.
func (verdict *Verdict) Bug() bool {
	for _, result := range verdict.results() {
		if result.Bug {
			return true
		}
	}
	return false
}

func (verdict *Verdict) results() []*Result {
	return []*Result{&verdict.Overlap.Result, &verdict.Linearizability.Result, &verdict.Resource.Result, &verdict.Liveness.Result}
}

// add takes a finding in. A finding violates.
func (result *Result) add(finding Finding) {
	result.Status = Violated
	result.Found++
	result.Findings = append(result.Findings, finding)
}

// settle orders the findings by time and keeps the first of them.
func (result *Result) settle(limit int) {
	slices.SortStableFunc(result.Findings, func(a, b Finding) int { return cmp.Compare(a.AtNS, b.AtNS) })
	result.Findings = slices.Clip(result.Findings[:min(len(result.Findings), limit)])
}
