package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/coverage"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/search"
)

// exploration is a search with what became of its runs. It is the same for any
// number of workers, and with or without interruptions: the strategy makes a
// batch, all of it is played, and only then the outcomes are taken in, in their order.
type exploration struct {
	strategy search.Strategy
	runs     int
	enough   func(*exploration) bool // ends it early, between two batches; nil: never
	known    map[int]explored        // runs that were played before an interruption, by number
	keep     func(explored)          // is told of every run that is played; may be nil

	played       int
	inconclusive int // of those played
	counts       map[count]int
	findings     map[string]finding // by the folder names of their targets
	moments      map[string]int     // runs that came to a telling moment, by its name
	failures     []string           // of runs without a verdict; the first few
	last         *plan.Plan         // that was played
}

// explored is what became of one run.
type explored struct {
	Run     int            `json:"run"` // its number in the search, from 1
	Outcome search.Outcome `json:"outcome"`
	Failure string         `json:"failure,omitempty"` // why there is no verdict
}

// newExplored reads what became of a run out of the report of its job.
func newExplored(r *campaign.Report) explored {
	number, _ := strconv.Atoi(r.Scenario) // the job was named so
	x := explored{Run: number, Outcome: search.OutcomeOf(r), Failure: r.Failure}
	if !x.Outcome.Finished && x.Failure == "" {
		x.Failure = "ended: " + r.Outcome
	}
	return x
}

// count is one line of the table.
type count struct{ verdict, broken string }

// finding is the first run that shows a target.
type finding struct {
	target search.Target
	run    int
	plan   *plan.Plan
}

// batchSize is how many runs are made at a time. The first batches are smaller: much
// that is found is found soon.
const (
	batchSize      = 100
	firstBatchSize = 20
)

// shownFailures is how many runs without a verdict are told.
const shownFailures = 3

// batch is the runs of an exploration that are played together.
type batch struct {
	plans   []*plan.Plan
	results []explored
	jobs    []campaign.Job // those that are not known already
}

// next makes the next batch; nil when there is nothing more to play.
func (e *exploration) next() (*batch, error) {
	if e.enough != nil && e.enough(e) {
		return nil, nil
	}
	most := min(batchSize, max(firstBatchSize, e.played), e.runs-e.played)
	if most <= 0 {
		return nil, nil
	}
	plans, err := e.strategy.Next(most)
	if err != nil || len(plans) == 0 {
		return nil, err
	}
	b := &batch{plans: plans, results: make([]explored, len(plans))}
	for i, plan := range plans {
		number := e.played + 1 + i
		if known, ok := e.known[number]; ok {
			b.results[i] = known
			continue
		}
		job := campaign.PlanJob(plan)
		job.Scenario.Name = strconv.Itoa(number)
		b.jobs = append(b.jobs, job)
	}
	return b, nil
}

// take takes a whole batch in.
func (e *exploration) take(b *batch) {
	outcomes := make([]search.Outcome, len(b.plans))
	for i, plan := range b.plans {
		outcomes[i] = b.results[i].Outcome
		e.count(b.results[i], plan)
	}
	e.strategy.Learn(outcomes)
}

// count takes one run in.
func (e *exploration) count(x explored, plan *plan.Plan) {
	if e.counts == nil {
		e.counts, e.findings, e.moments = map[count]int{}, map[string]finding{}, map[string]int{}
	}
	e.played++
	e.last = plan
	line := count{"holds", listed(x.Outcome.Broken)}
	switch {
	case len(x.Outcome.Violated) > 0:
		line.verdict = "violated: " + joined(x.Outcome.Violated)
	case !x.Outcome.Finished:
		line.verdict = "inconclusive"
	}
	e.counts[line]++
	if !x.Outcome.Finished {
		e.inconclusive++
	}
	for _, moment := range x.Outcome.Moments {
		e.moments[moment]++
	}
	if !x.Outcome.Finished && len(e.failures) < shownFailures {
		e.failures = append(e.failures, fmt.Sprintf("run %d (seed %d): %s", x.Run, plan.Seed, x.Failure))
	}
	for _, oracle := range x.Outcome.Violated {
		target := search.Target{Oracle: oracle, Broken: x.Outcome.Broken, Unexplained: slices.Contains(x.Outcome.Unexplained, oracle)}
		key := folderName(target)
		if _, found := e.findings[key]; !found {
			e.findings[key] = finding{target, x.Run, plan}
		}
	}
}

// writeCounts prints how many runs had which verdict.
func (e *exploration) writeCounts(out io.Writer) {
	lines := slices.SortedFunc(maps.Keys(e.counts), func(a, b count) int {
		return cmp.Or(cmp.Compare(a.verdict, b.verdict), cmp.Compare(a.broken, b.broken))
	})
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "RUNS\tVERDICT\tBROKEN")
	for _, line := range lines {
		fmt.Fprintf(w, "%d\t%s\t%s\n", e.counts[line], line.verdict, line.broken)
	}
	_ = w.Flush()
	for _, failure := range e.failures {
		fmt.Fprintln(out, "without a verdict:", failure)
	}
}

// writeMoments prints how many runs came to which telling moment.
func (e *exploration) writeMoments(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "RUNS\tMOMENT\tWHAT HAPPENED")
	for _, m := range coverage.Moments() {
		if n := e.moments[m.Name]; n > 0 {
			fmt.Fprintf(w, "%d\t%s\t%s\n", n, m.Name, m.Doc)
		}
	}
	_ = w.Flush()
}

// found lists the findings, those without an excuse first.
func (e *exploration) found() []finding {
	return slices.SortedFunc(maps.Values(e.findings), func(a, b finding) int {
		return cmp.Or(cmp.Compare(len(a.target.Broken), len(b.target.Broken)),
			slices.Compare(a.target.Broken, b.target.Broken), cmp.Compare(slices.Index(plan.Oracles(), a.target.Oracle), slices.Index(plan.Oracles(), b.target.Oracle)))
	})
}

// exitCode says what the exploration means. Where violations are expected and
// assumptions may be broken, one that breaks none is a bug of the lock all the
// same. What was broken and does not explain the finding is only told: that takes
// a look. Where none is found, a search that missed a moment is incomplete.
func (e *exploration) exitCode(expectViolated, mayBreak bool, missing int) int {
	found := e.found()
	unexcused := len(found) > 0 && len(found[0].target.Broken) == 0
	switch {
	case expectViolated && (len(found) == 0 || unexcused && mayBreak):
		return exitSafety
	case !expectViolated && unexcused:
		return exitSafety
	case len(e.failures) > 0, !expectViolated && missing > 0:
		return exitInconclusive
	}
	return exitExpected
}

func joined(oracles []plan.Oracle) string {
	names := make([]string, len(oracles))
	for i, o := range oracles {
		names[i] = string(o)
	}
	return strings.Join(names, ", ")
}
