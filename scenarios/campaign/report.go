package campaign

import (
	"redlocklab/checker"
	"redlocklab/scenarios/coverage"
	"redlocklab/scenarios/play"
)

// Report is what is kept of one run. It is enough to make a row, and small enough
// to keep hundreds of thousands.
type Report struct {
	Scenario string `json:"scenario"`
	Subject  string `json:"subject"`
	Seed     uint64 `json:"seed"`

	PlanHash  string `json:"plan_hash,omitempty"`
	TraceHash string `json:"trace_hash,omitempty"`
	Outcome   string `json:"outcome,omitempty"`

	Answers checker.Answers `json:"oracles,omitempty"` // of all oracles
	Broken  []string        `json:"broken,omitempty"`  // assumptions, in the order of the ledger
	Causes  *Causes         `json:"causes,omitempty"`  // of a violated run, when they were looked for
	Sorts   []string        `json:"sorts,omitempty"`   // of the findings, sorted; checker/HISTORY.md lists them
	// MarginNS is the smallest margin between two beliefs, negative for an overlap.
	// It is absent when there were no two.
	MarginNS *int64 `json:"margin_ns,omitempty"`
	// LapsedMarginNS is the smallest margin after a belief that ended by time.
	LapsedMarginNS *int64     `json:"lapsed_margin_ns,omitempty"`
	Goals          []GoalTime `json:"goals,omitempty"` // one per liveness goal, in the file's order
	Fired          []Count    `json:"fired,omitempty"`
	// Points are the coverage points that the run came to; see package coverage.
	Points []string `json:"moments,omitempty"`

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

// NewReport keeps what matters of a run.
func NewReport(run *play.Result) Report {
	r := Report{Scenario: run.Plan.Scenario, Subject: run.Plan.Subject.Title(), Seed: run.Plan.Seed}
	r.take(run)
	return r
}

// take keeps what matters of a run.
func (r *Report) take(run *play.Result) {
	r.PlanHash, r.TraceHash, r.Outcome = run.PlanHash, run.TraceHash, run.Outcome
	r.Answers, r.Broken, r.Sorts = run.Verdict.Answers(), run.Verdict.Broken(), run.Verdict.Sorts()
	for _, f := range run.Fired {
		r.Fired = append(r.Fired, Count{f.Fault, f.Acted})
	}
	r.Points = coverage.Reached(run.Plan, run.Events)
	worst, _ := run.Verdict.Overlap.WorstMargin()
	r.MarginNS = worst.MarginNS
	r.LapsedMarginNS = run.Verdict.Overlap.WorstLapsedMarginNS()
	for i, goal := range run.Verdict.Liveness.Goals {
		took := GoalTime{Status: goal.Status}
		if goal.SlackNS != nil {
			took.TookNS = checker.At(int64(run.Plan.Liveness[i].Within.Value) - *goal.SlackNS)
		}
		r.Goals = append(r.Goals, took)
	}
}
