package campaign

import (
	"slices"

	"redlocklab/checker"
	"redlocklab/scenarios/coverage"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
)

// Summary is what is kept of one run. It is enough to make a row, a cell of a map or a
// step of a search, and small enough to keep hundreds of thousands. Its methods are views:
// each answers one question about the run.
type Summary struct {
	Scenario string `json:"scenario"`
	Subject  string `json:"subject"`
	Seed     uint64 `json:"seed"`

	PlanHash  string `json:"plan_hash,omitempty"`
	TraceHash string `json:"trace_hash,omitempty"`
	Outcome   string `json:"outcome,omitempty"` // [Finished], or the bound that ended the run

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

// Count is how often something happened.
type Count struct {
	Name  string `json:"name"`
	Times int    `json:"times"`
}

// Summarize keeps what matters of a run.
func Summarize(run *play.Result) Summary {
	worst, _ := run.Verdict.Overlap.WorstMargin()
	s := Summary{
		Scenario: run.Plan.Scenario, Subject: run.Plan.Subject.Title(), Seed: run.Plan.Seed,
		PlanHash: run.PlanHash, TraceHash: run.TraceHash, Outcome: run.Outcome,
		Answers: run.Verdict.Answers(), Broken: run.Verdict.Broken(), Sorts: run.Verdict.Sorts(),
		MarginNS: worst.MarginNS, LapsedMarginNS: run.Verdict.Overlap.WorstLapsedMarginNS(),
		Points: coverage.Reached(run.Plan, run.Events),
	}
	for _, f := range run.Fired {
		s.Fired = append(s.Fired, Count{f.Fault, f.Acted})
	}
	for i, goal := range run.Verdict.Liveness.Goals {
		took := GoalTime{Status: goal.Status}
		if goal.SlackNS != nil {
			took.TookNS = checker.At(int64(run.Plan.Liveness[i].Within.Value) - *goal.SlackNS)
		}
		s.Goals = append(s.Goals, took)
	}
	return s
}

// Decided reports whether the run ended by itself and every oracle has an answer.
func (s *Summary) Decided() bool {
	return s.Stopped() == "" && len(s.Answers) > 0 && len(s.Answers.Inconclusive()) == 0
}

// Stopped says why the run did not end by itself: its failure, or the bound that ended it.
// It is empty for a run that did.
func (s *Summary) Stopped() string {
	if s.Failure == "" && s.Outcome != Finished {
		return "ended at its bound: " + s.Outcome
	}
	return s.Failure
}

// Kinds lists the kinds of causes of what some oracles found, each once, sorted. Without
// oracles it lists those of all findings. It is empty when no causes were looked for.
func (s *Summary) Kinds(oracles ...checker.Oracle) []string {
	if s.Causes == nil {
		return nil
	}
	var kinds []string
	for _, f := range s.Causes.Findings {
		if len(oracles) == 0 || slices.Contains(oracles, f.Oracle) {
			kinds = append(kinds, f.Kind)
		}
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// Grade says what a run shows of some oracles. A larger grade is worse.
type Grade int

// The grades.
const (
	Undecided  Grade = iota // the run was stopped, an oracle has no answer, or a fault had no effect
	Held                    // nothing was violated
	NoProgress              // a liveness goal was missed, and nothing else was violated
	Violated                // one of the oracles was violated
)

// Grade grades the run by some oracles. Liveness always counts.
func (s *Summary) Grade(oracles ...checker.Oracle) Grade {
	if s.Stopped() != "" {
		return Undecided
	}
	asked := func(o checker.Oracle) bool { return slices.Contains(oracles, o) }
	violated, open := s.Answers.Violated(), s.Answers.Inconclusive()
	switch {
	case slices.ContainsFunc(violated, asked):
		return Violated
	case slices.Contains(violated, checker.OracleLiveness):
		return NoProgress
	case slices.ContainsFunc(open, asked), slices.Contains(open, checker.OracleLiveness):
		return Undecided
	case slices.ContainsFunc(s.Fired, func(c Count) bool { return c.Times == 0 }):
		return Undecided
	}
	return Held
}

// Counts reports whether the violation of an oracle counts in the runs of a claim, or in
// a goal of it. A missed goal of a measured claim does not count: how often it is missed is
// the measurement. Whatever counts violations asks here.
func Counts(claim string, oracle checker.Oracle) bool {
	return oracle != checker.OracleLiveness || !plan.Measured(claim)
}

// Counted returns the violations among answers that count in the runs of a claim.
func Counted(answers checker.Answers, claim string) checker.Answers {
	return slices.DeleteFunc(slices.Clone(answers), func(answer checker.Answer) bool {
		return answer.Status != checker.Violated || !Counts(claim, answer.Oracle)
	})
}
