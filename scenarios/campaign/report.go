package campaign

import (
	"slices"
	"strings"

	"redlocklab/checker"
	"redlocklab/scenarios/coverage"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
)

// Report is what is kept of one run: enough to judge its row, small enough to
// keep hundreds of thousands.
type Report struct {
	Scenario string `json:"scenario"`
	Subject  string `json:"subject"`
	Seed     uint64 `json:"seed"`

	PlanHash  string `json:"plan_hash,omitempty"`
	TraceHash string `json:"trace_hash,omitempty"`
	Outcome   string `json:"outcome,omitempty"`

	Oracles []OracleStatus `json:"oracles,omitempty"` // all of them, in the order of reports
	Broken  []string       `json:"broken,omitempty"`  // assumptions, in the ledger's order
	Sorts   []string       `json:"sorts,omitempty"`   // of what was found, sorted; checker/HISTORY.md lists them
	// MarginNS is the worst margin between two beliefs, negative for an overlap;
	// absent when there were no two.
	MarginNS *int64 `json:"margin_ns,omitempty"`
	// LapsedMarginNS is the smallest margin behind a belief that time ended.
	LapsedMarginNS *int64     `json:"lapsed_margin_ns,omitempty"`
	Goals          []GoalTime `json:"goals,omitempty"` // one per liveness goal, in the file's order
	Fired          []Count    `json:"fired,omitempty"`
	// Moments are the telling moments that the run came to; see package coverage.
	Moments []string `json:"moments,omitempty"`

	// Failure says why there is no verdict: the run was killed, its worker died,
	// or no run came about.
	Failure string `json:"failure,omitempty"`
	// Killed says that the failure cost a worker process.
	Killed bool `json:"killed,omitempty"`
	// Panic is the stack of a panic of this program: a bug in it, not a result.
	Panic string `json:"panic,omitempty"`
}

// GoalTime is how long a liveness goal took.
type GoalTime struct {
	Status checker.Status `json:"status"`
	// TookNS is the true time from the goal's beginning to the success that met it,
	// in time or late; of a goal about each operation, that of the one which came
	// closest to the bound. Absent when there was none.
	TookNS *int64 `json:"took_ns,omitempty"`
}

// OracleStatus is the answer of one oracle.
type OracleStatus struct {
	Oracle plan.Oracle    `json:"oracle"`
	Status checker.Status `json:"status"`
	Reason string         `json:"reason,omitempty"` // of inconclusive
	// ExplainedBy lists the broken assumptions that explain findings of a violated
	// oracle; Bug says that nothing explains some of them. The oracles of the
	// resource share both.
	ExplainedBy []string `json:"explained_by,omitempty"`
	Bug         bool     `json:"bug,omitempty"`
}

// NewReport keeps what matters of a run.
func NewReport(run *play.Result) Report {
	r := Report{Scenario: run.Plan.Scenario, Subject: run.Plan.Subject.Title(), Seed: run.Plan.Seed}
	r.take(run)
	return r
}

// take keeps what matters of a run.
func (r *Report) take(run *play.Result) {
	r.PlanHash, r.TraceHash, r.Outcome = run.PlanHash, run.TraceHash, run.Outcome
	r.Oracles, r.Broken, r.Sorts = Statuses(&run.Verdict), run.Verdict.Broken(), sorts(&run.Verdict)
	for _, f := range run.Fired {
		r.Fired = append(r.Fired, Count{f.Fault, f.Acted})
	}
	r.Moments = coverage.Reached(run.Plan, run.Events)
	if worst, ok := run.Verdict.Overlap.WorstMargin(); ok {
		r.MarginNS = worst.MarginNS
	}
	for _, margin := range run.Verdict.Overlap.Margins {
		if m := margin.LapsedMarginNS; m != nil && (r.LapsedMarginNS == nil || *m < *r.LapsedMarginNS) {
			r.LapsedMarginNS = m
		}
	}
	for i, goal := range run.Verdict.Liveness.Goals {
		took := GoalTime{Status: goal.Status}
		if goal.SlackNS != nil {
			took.TookNS = checker.At(int64(run.Plan.Liveness[i].Within.Value) - *goal.SlackNS)
		}
		r.Goals = append(r.Goals, took)
	}
}

// sorts lists of which sorts the findings of the oracles are. A verdict lists only
// the first findings, but every partition of the linearizability oracle answers.
func sorts(v *checker.Verdict) []string {
	var list []string
	for _, part := range v.Linearizability.Partitions {
		if part.Status == checker.Violated {
			name, _, _ := strings.Cut(part.Name, " ")
			list = append(list, name)
		}
	}
	for _, result := range []*checker.Result{&v.Overlap.Result, &v.Resource.Result, &v.Liveness.Result} {
		for i := range result.Findings {
			list = append(list, result.Findings[i].Sort)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Statuses reads the oracles out of a verdict.
func Statuses(v *checker.Verdict) []OracleStatus {
	register := func(which checker.Register) (checker.Status, string) {
		if v.Resource.Status == checker.Inconclusive {
			return checker.Inconclusive, v.Resource.Reason
		}
		status := checker.Holds
		for _, r := range v.Resource.Registers {
			if r.Register == which && r.Status != checker.Holds {
				status = r.Status
			}
		}
		return status, ""
	}
	var list []OracleStatus
	for _, oracle := range plan.Oracles() {
		var status checker.Status
		var reason string
		result := &v.Resource.Result
		switch oracle {
		case plan.OracleOverlap:
			result = &v.Overlap.Result
		case plan.OracleLinearizability:
			result = &v.Linearizability.Result
		case plan.OracleResourceUnfenced:
			status, reason = register(checker.RegisterUnfenced)
		case plan.OracleResourceFencedWrites:
			status, reason = register(checker.RegisterFencedWrites)
		case plan.OracleResourceFenced:
			status, reason = register(checker.RegisterFenced)
		case plan.OracleFencingTokens:
			status, reason = checker.Holds, ""
			switch {
			case v.Resource.Status == checker.Inconclusive:
				status, reason = checker.Inconclusive, v.Resource.Reason
			case v.Resource.TokensBackwards > 0:
				status = checker.Violated
			}
		case plan.OracleLiveness:
			result = &v.Liveness.Result
		}
		if result != &v.Resource.Result {
			status, reason = result.Status, result.Reason
		}
		if status == "" {
			status, reason = checker.Inconclusive, "the oracle "+string(oracle)+" gave no answer"
		}
		answer := OracleStatus{Oracle: oracle, Status: status, Reason: reason}
		if status == checker.Violated {
			answer.ExplainedBy, answer.Bug = result.ExplainedBy, result.Bug
		}
		list = append(list, answer)
	}
	return list
}
