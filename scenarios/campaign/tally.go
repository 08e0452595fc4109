package campaign

import (
	"cmp"
	"fmt"
	"slices"

	"redlocklab/scenarios/coverage"
	"redlocklab/scenarios/plan"
)

// Tally is a row in the making. It takes in one report at a time and keeps none
// of them, so that a million runs need no more memory than a hundred. What it
// becomes does not depend on the order of the reports.
type Tally struct {
	job      *Job
	expected *plan.Subject
	row      Row
	reports  int
	broken   map[string]int
	moments  map[string]int
	complete bool // some run shows all that is expected
}

// NewTally returns the tally of a job without runs.
func NewTally(job *Job) *Tally {
	expected := job.Expected()
	t := &Tally{job: job, expected: expected, broken: map[string]int{}, moments: map[string]int{}}
	t.row = Row{
		Scenario: job.Scenario.Name, Claim: job.Scenario.Claim, Subject: job.Subject, Planned: len(job.Seeds),
		Mode: expected.Runs, Unstated: expected.Unstated, planted: expected.Planted(), Broken: []AssumptionCount{}, Faults: []FaultCount{}, Moments: []MomentCount{},
	}
	for _, oracle := range plan.Oracles() {
		t.row.Oracles = append(t.row.Oracles, OracleCount{Oracle: oracle, Expected: expected.Expect[oracle]})
	}
	for _, fault := range job.Scenario.Faults {
		t.row.Faults = append(t.row.Faults, FaultCount{Fault: fault.Name})
	}
	return t
}

// Add takes in one run.
func (t *Tally) Add(r *Report) {
	t.reports++
	for _, d := range Judge(t.expected, r) {
		t.problem(d, r.Seed)
	}
	t.complete = t.complete || complete(t.expected, r)
	if r.Failure == "" {
		t.count(r)
	}
}

// count adds up what happened in a run that has a verdict.
func (t *Tally) count(r *Report) {
	row := &t.row
	row.Runs++
	lost := r.losses(row.Claim)
	row.Violated += lost.Violated
	row.Bug += lost.Bug
	for _, o := range r.Oracles {
		for j := range row.Oracles {
			if row.Oracles[j].Oracle == o.Oracle {
				row.Oracles[j].add(o.Status)
			}
		}
	}
	for _, assumption := range r.Broken {
		t.broken[assumption]++
	}
	for _, moment := range r.Moments {
		t.moments[moment]++
	}
	if m := r.MarginNS; m != nil && (row.WorstMarginNS == nil || *m < *row.WorstMarginNS || *m == *row.WorstMarginNS && r.Seed < row.WorstSeed) {
		row.WorstMarginNS, row.WorstSeed = m, r.Seed
	}
	for _, fired := range r.Fired {
		for j := range row.Faults {
			if row.Faults[j].Fault == fired.Name && fired.Times > 0 {
				row.Faults[j].Runs++
				row.Faults[j].Times += fired.Times
			}
		}
	}
}

// problem counts a difference under its kind, with the words of its first seed.
func (t *Tally) problem(d Difference, seed uint64) {
	for i := range t.row.Problems {
		p := &t.row.Problems[i]
		if p.Class != d.Class || p.kind != d.Kind {
			continue
		}
		p.Runs++
		p.Differing = p.Differing || p.Text != d.Text
		if seed < p.Seed {
			p.Seed, p.Text = seed, d.Text
		}
		return
	}
	t.row.Problems = append(t.row.Problems, Problem{Class: d.Class, Text: d.Text, Runs: 1, Seed: seed, kind: d.Kind})
}

// Row is the row of the runs so far, compared with its expectation.
func (t *Tally) Row() Row {
	row := t.row
	for _, assumption := range plan.Assumptions() {
		if n := t.broken[assumption]; n > 0 {
			row.Broken = append(row.Broken, AssumptionCount{assumption, n})
		}
	}
	for _, m := range coverage.Moments() {
		if n := t.moments[m.Name]; n > 0 {
			row.Moments = append(row.Moments, MomentCount{m.Name, n})
		}
	}
	row.Oracles, row.Faults = slices.Clone(row.Oracles), slices.Clone(row.Faults)
	row.Problems = slices.Clone(row.Problems)
	slices.SortFunc(row.Problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Seed, b.Seed), cmp.Compare(a.Text, b.Text))
	})
	for i := range row.Problems {
		row.Problems[i].Replay = ReplayCommand(t.job, row.Problems[i].Seed)
	}
	if missing := len(t.job.Seeds) - t.reports; missing > 0 {
		row.Problems = append(row.Problems, Problem{Class: Incomplete, Text: fmt.Sprintf("%d of %d runs were not played", missing, len(t.job.Seeds))})
	}
	if row.Runs > 0 && t.expected.Unstated && row.held() {
		row.NotApplicable = NeverFired(row.Faults)
	}
	if row.Runs > 0 && !t.expected.Unstated {
		for _, f := range row.Faults {
			if f.Runs == 0 {
				row.Problems = append(row.Problems, Problem{Class: Incomplete, Text: fmt.Sprintf("the fault %q fired in none of %d runs", f.Fault, row.Runs)})
			}
		}
		if t.expected.Runs == plan.RunsSome && !t.complete {
			row.Problems = append(row.Problems, row.nothingShown(t.expected))
		}
	}
	slices.SortStableFunc(row.Problems, func(a, b Problem) int {
		return slices.Index(classes, a.Class) - slices.Index(classes, b.Class)
	})
	row.AsExpected = len(row.Problems) == 0
	return row
}
