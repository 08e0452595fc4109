package campaign

import (
	"cmp"
	"fmt"
	"slices"

	"redlocklab/checker"
	"redlocklab/scenarios/coverage"
	"redlocklab/scenarios/plan"
)

// rowBuilder makes a row. It takes one report at a time and keeps none of them, so
// that a million runs need no more memory than a hundred. The row does not depend
// on the order of the reports.
type rowBuilder struct {
	job      *Job
	expected *plan.Subject
	sums     Row // what is counted so far
	reports  int
	broken   map[string]int
	points   map[string]int
	complete bool // some run shows all that is expected
	violated []violatedRun
}

// violatedRun is a run whose causes can be looked for.
type violatedRun struct {
	seed    uint64
	decided bool
}

// newRowBuilder returns the builder of a job without runs.
func newRowBuilder(job *Job) *rowBuilder {
	expected := job.Expected()
	b := &rowBuilder{job: job, expected: expected, broken: map[string]int{}, points: map[string]int{}}
	b.sums = Row{
		Scenario: job.Scenario.Name, Claim: job.Scenario.Claim, Subject: job.Subject, Planned: len(job.Seeds),
		Mode: expected.Runs, Unstated: expected.Unstated, planted: expected.Planted(), Broken: []AssumptionCount{},
		Faults: []FaultCount{}, Points: []PointCount{},
	}
	b.sums.Oracles = NewOracleCounts(expected)
	for _, fault := range job.Scenario.Faults {
		b.sums.Faults = append(b.sums.Faults, FaultCount{Fault: fault.Name})
	}
	return b
}

// add takes in one run.
func (b *rowBuilder) add(r *Summary) {
	b.reports++
	for _, d := range Compare(b.expected, r) {
		b.problem(d, r.Seed)
	}
	b.complete = b.complete || complete(b.expected, r)
	if r.Failure == "" {
		b.count(r)
	}
}

// count adds up what happened in a run that has a verdict.
func (b *rowBuilder) count(r *Summary) {
	row := &b.sums
	tally := r.tally(row.Claim)
	row.Runs += tally.Runs
	row.Violated += tally.Violated
	row.Bug += tally.Bug
	row.Oracles.Add(r.Answers)
	if len(r.Answers.Violated()) > 0 {
		b.violated = append(b.violated, violatedRun{r.Seed, r.Causes != nil})
	}
	if r.Causes != nil {
		b.decide(r.Causes)
	}
	for _, assumption := range r.Broken {
		b.broken[assumption]++
	}
	for _, point := range r.Points {
		b.points[point]++
	}
	if m := r.MarginNS; m != nil &&
		(row.WorstMarginNS == nil || *m < *row.WorstMarginNS || *m == *row.WorstMarginNS && r.Seed < row.WorstSeed) {
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

// decide counts the causes of a run.
func (b *rowBuilder) decide(c *Causes) {
	if b.sums.Causes == nil {
		b.sums.Causes = &CauseCounts{}
	}
	b.sums.Causes.Count(b.sums.Claim, c)
}

// problem counts a difference under its kind, with the text of its first seed.
func (b *rowBuilder) problem(d Difference, seed uint64) {
	for i := range b.sums.Problems {
		p := &b.sums.Problems[i]
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
	b.sums.Problems = append(b.sums.Problems, Problem{Class: d.Class, Text: d.Text, Runs: 1, Seed: seed, kind: d.Kind})
}

// row returns the row of the runs so far, compared with what is expected of it.
func (b *rowBuilder) row() Row {
	row := b.sums
	for _, assumption := range checker.Assumptions() {
		if n := b.broken[assumption]; n > 0 {
			row.Broken = append(row.Broken, AssumptionCount{assumption, n})
		}
	}
	for _, m := range coverage.Points() {
		if n := b.points[m.Name]; n > 0 {
			row.Points = append(row.Points, PointCount{m.Name, n})
		}
	}
	row.Oracles, row.Faults = slices.Clone(row.Oracles), slices.Clone(row.Faults)
	row.Problems = slices.Clone(row.Problems)
	slices.SortFunc(row.Problems, func(x, y Problem) int {
		return cmp.Or(cmp.Compare(x.Seed, y.Seed), cmp.Compare(x.Text, y.Text))
	})
	for i := range row.Problems {
		row.Problems[i].Replay = ReplayCommand(b.job, row.Problems[i].Seed)
	}
	short := func(class Class, format string, args ...any) {
		row.Problems = append(row.Problems, Problem{Class: class, Text: fmt.Sprintf(format, args...)})
	}
	if missing := len(b.job.Seeds) - b.reports; missing > 0 {
		short(Incomplete, "%d of %d runs were not played", missing, len(b.job.Seeds))
	}
	if row.Runs > 0 && b.expected.Unstated && row.held() {
		row.NotApplicable = NeverFired(row.Faults)
	}
	if row.Runs > 0 && !b.expected.Unstated {
		for _, f := range row.Faults {
			if f.Runs == 0 {
				short(Incomplete, "the fault %q fired in none of %d runs", f.Fault, row.Runs)
			}
		}
		if b.expected.Runs == plan.RunsSome && !b.complete {
			row.Problems = append(row.Problems, row.nothingShown(b.expected, b.job.Scenario.Seeds.Count()))
		}
	}
	slices.SortStableFunc(row.Problems, func(x, y Problem) int {
		return slices.Index(classes, x.Class) - slices.Index(classes, y.Class)
	})
	row.AsExpected = len(row.Problems) == 0
	return row
}
