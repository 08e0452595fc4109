package checker

import (
	"cmp"
	"slices"
	"time"
)

// Options bounds the work. The zero value selects the defaults.
type Options struct {
	// TimeLimit bounds the search for linearizations of the whole history, in
	// real time. The default is 10 s. No other bound depends on the machine's speed.
	TimeLimit time.Duration
	// SearchSteps bounds the search in one segment. The default is 2,000,000. It is
	// lowered for large segments, so that one search needs at most about 256 MiB.
	SearchSteps int
	// Evidence bounds how many findings an oracle lists, and how many breaks of an
	// assumption the ledger does. The default is 10. All are counted.
	Evidence int
}

func (options Options) withDefaults() Options {
	return Options{
		TimeLimit:   cmp.Or(options.TimeLimit, 10*time.Second),
		SearchSteps: cmp.Or(options.SearchSteps, 2_000_000),
		Evidence:    cmp.Or(options.Evidence, 10),
	}
}

// Verdict holds what all oracles say of one history, and which assumptions the
// history kept. It depends on the history alone, as long as no time limit is
// reached, and so does its JSON.
type Verdict struct {
	Version int    `json:"version"` // of the history format
	Name    string `json:"name"`
	// Problems are contradictions in the history. When there are any, all oracles
	// are inconclusive and the ledger is empty.
	Problems        []Problem             `json:"problems,omitempty"`
	Ledger          []Assumption          `json:"ledger"`
	Overlap         OverlapResult         `json:"overlap"`
	Linearizability LinearizabilityResult `json:"linearizability"`
	Resource        ResourceResult        `json:"resource"`
	Liveness        LivenessResult        `json:"liveness"`
}

// Judge checks a history for contradictions, fills in the ledger and asks every
// oracle. Call it outside a synctest bubble: its time limit uses real time.
func Judge(record *History, options Options) Verdict {
	options = options.withDefaults()
	record = Numbered(record)
	verdict := Verdict{
		Version: Version, Name: record.Header.Name, Problems: problemsOf(record), Ledger: []Assumption{},
	}
	if len(verdict.Problems) > 0 {
		verdict.giveUp("the history contradicts itself, see problems")
		return verdict
	}
	idx := newIndex(record)
	verdict.Overlap = judgeOverlap(idx)
	ledger := newLedger(idx)
	verdict.Linearizability = judgeLinearizability(ledger, options)
	verdict.Resource = judgeResource(idx)
	verdict.Liveness = judgeLiveness(idx)
	verdict.Ledger = ledger.assumptions(options.Evidence)
	for _, result := range verdict.Results() {
		result.explain(ledger.explaining)
		result.trim(options.Evidence)
	}
	return verdict
}

// giveUp makes every oracle inconclusive.
func (verdict *Verdict) giveUp(reason string) {
	verdict.Overlap.Margins = []Margin{}
	verdict.Linearizability.Partitions = []PartitionResult{}
	verdict.Resource.Registers = []RegisterResult{}
	verdict.Liveness.Goals = []GoalResult{}
	for i, result := range verdict.Results() {
		*result = newResult(Oracles()[i])
		result.giveUp(reason)
	}
}

// Results returns the results of all oracles, in the order of [Oracles].
func (verdict *Verdict) Results() []*Result {
	resource := &verdict.Resource
	return []*Result{
		&verdict.Overlap.Result, &verdict.Linearizability.Result,
		&resource.Unfenced, &resource.FencedWrites, &resource.Fenced, &resource.Tokens,
		&verdict.Liveness.Result,
	}
}

// Answers returns the answers of all oracles, in the order of [Oracles]. All
// answers of the zero Verdict are inconclusive.
func (verdict *Verdict) Answers() Answers {
	var answers Answers
	for i, result := range verdict.Results() {
		answer := result.Answer
		if answer.Status == "" {
			answer = Answer{Oracle: Oracles()[i], Status: Inconclusive, Reason: "nothing was judged"}
		}
		answers = append(answers, answer)
	}
	return answers
}

// Broken lists the ids of the broken assumptions, in the order of [Assumptions].
func (verdict *Verdict) Broken() []string {
	var ids []string
	for _, assumption := range verdict.Ledger {
		if !assumption.Kept {
			ids = append(ids, assumption.ID)
		}
	}
	return ids
}

// Sorts lists the sorts of all findings, sorted.
func (verdict *Verdict) Sorts() []string {
	var sorts []string
	for _, result := range verdict.Results() {
		sorts = append(sorts, result.Sorts...)
	}
	slices.Sort(sorts)
	return slices.Compact(sorts)
}

// SafetyViolated reports whether any oracle but liveness is violated.
func (verdict *Verdict) SafetyViolated() bool {
	return slices.ContainsFunc(verdict.Answers().Violated(), func(oracle Oracle) bool {
		return oracle != OracleLiveness
	})
}
