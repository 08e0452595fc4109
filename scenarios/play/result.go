package play

import (
	"bytes"
	"time"

	"redlocklab/checker"
	"redlocklab/faults"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// Result is one run with its verdict.
type Result struct {
	Plan      *plan.Plan
	PlanHash  string
	TraceHash string // SHA-256 of the trace as NDJSON
	Outcome   string // "finished", or the bound that ended the run
	End       time.Duration
	Events    []sim.Event
	History   *checker.History
	Verdict   checker.Verdict
	Fired     []faults.Count
	Failures  []string // the last error of each client's attempts, as text
}

// Judge judges a run that is over.
func (r *Referee) Judge(outcome string, end time.Duration, events []sim.Event) *Result {
	result := &Result{
		Plan: r.plan, PlanHash: r.plan.Hash(), Outcome: outcome, End: end, Events: events, Fired: r.installed.Fired(),
	}
	result.History = r.history(end, events)
	result.Verdict = checker.Judge(result.History, checker.Options{})
	return result
}

// Trace returns the run's trace as NDJSON, whose SHA-256 is TraceHash.
func (r *Result) Trace() []byte {
	var b bytes.Buffer
	var line []byte
	for i := range r.Events {
		line = append(r.Events[i].AppendJSON(line[:0]), '\n')
		b.Write(line)
	}
	return b.Bytes()
}

// Violated reports whether any oracle says so.
func (r *Result) Violated() bool {
	return len(r.Verdict.Answers().Violated()) > 0
}
