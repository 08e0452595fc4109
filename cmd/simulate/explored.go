package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"redlocklab/scenarios"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/search"
)

// exploration is a campaign of drawn runs and what became of it. It is the same
// for any number of workers: what is kept does not depend on who was first.
type exploration struct {
	options search.Options
	first   uint64
	runs    int
	enough  func(*exploration) bool // ends it early, between two parts; nil: never

	begun, played int
	counts        map[count]int
	findings      map[string]finding // by oracle and broken set
	failures      []string           // of runs without a verdict; the first few
}

// count is one line of the table.
type count struct{ verdict, broken string }

// finding is the run with the smallest seed that shows a target.
type finding struct {
	target search.Target
	seed   uint64
}

// part is how many runs are drawn at a time.
const part = 100

// shownFailures is how many runs without a verdict are told.
const shownFailures = 3

// next draws the next runs.
func (e *exploration) next() ([]campaign.Job, error) {
	var jobs []campaign.Job
	for ; len(jobs) < part && e.begun < e.runs; e.begun++ {
		plan, err := search.Swarm(e.first+uint64(e.begun), e.options)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, campaign.PlanJob(plan))
	}
	return jobs, nil
}

// take counts one run.
func (e *exploration) take(r campaign.Report) {
	if e.counts == nil {
		e.counts, e.findings = map[count]int{}, map[string]finding{}
	}
	e.played++
	outcome := search.NewOutcome(r.Oracles, r.Broken, r.Outcome)
	line := count{"holds", listed(r.Broken)}
	switch {
	case len(outcome.Violated) > 0:
		line.verdict = "violated: " + joined(outcome.Violated)
	case !outcome.Finished:
		line.verdict = "inconclusive"
	}
	e.counts[line]++
	if !outcome.Finished && len(e.failures) < shownFailures {
		why := cmp.Or(r.Failure, "ended: "+r.Outcome)
		e.failures = append(e.failures, fmt.Sprintf("seed %d: %s", r.Seed, why))
	}
	for _, oracle := range outcome.Violated {
		key := string(oracle) + " " + line.broken
		if known, found := e.findings[key]; !found || r.Seed < known.seed {
			e.findings[key] = finding{search.Target{Oracle: oracle, Broken: r.Broken}, r.Seed}
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

// found lists the findings, those without an excuse first.
func (e *exploration) found() []finding {
	return slices.SortedFunc(maps.Values(e.findings), func(a, b finding) int {
		return cmp.Or(cmp.Compare(len(a.target.Broken), len(b.target.Broken)),
			slices.Compare(a.target.Broken, b.target.Broken), cmp.Compare(a.target.Oracle, b.target.Oracle))
	})
}

// exitCode says what the exploration means.
func (e *exploration) exitCode(expectViolated bool) int {
	found := e.found()
	switch {
	case expectViolated && len(found) == 0:
		return exitSafety
	case !expectViolated && len(found) > 0 && len(found[0].target.Broken) == 0:
		return exitSafety
	case len(e.failures) > 0:
		return exitInconclusive
	}
	return exitExpected
}

func joined(oracles []scenarios.Oracle) string {
	names := make([]string, len(oracles))
	for i, o := range oracles {
		names[i] = string(o)
	}
	return strings.Join(names, ", ")
}
