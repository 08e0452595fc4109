package search

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"redlocklab/checker"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
)

// Exploration is a search with what became of its runs. It is the same for any
// number of workers, and with or without interruptions: the strategy makes a batch, the
// whole batch is played, and only then the strategy learns the outcomes, in order.
type Exploration struct {
	Strategy Strategy
	Runs     int                     // at most
	Enough   func(*Exploration) bool // ends it early, between two batches; nil: never
	Known    map[int]Explored        // runs that were played before an interruption, by number
	Keep     func(Explored)          // is told of every run that is played; nil: nobody is
	// Has tells which runs are played, by number; the others are passed over. It is for
	// strategies that are Independent; nil: all.
	Has func(run int) bool

	Played       int
	Inconclusive int           // of those played
	Counts       map[Count]int // runs
	Causes       campaign.CauseCounts
	Points       map[string]int // runs that came to a coverage point, by its name
	Failures     []string       // of runs without a verdict; the first few
	Last         *plan.Plan     // that was played
	Shown        map[string]int // runs that show a target, by its name

	findings map[string]Finding // by the names of their targets
}

// Explored is what became of one run.
type Explored struct {
	Run     int     `json:"run"` // its number in the search, from 1
	Outcome Outcome `json:"outcome"`
	Failure string  `json:"failure,omitempty"` // why there is no verdict
}

// Count is a kind of outcome: what was violated, which assumptions were broken, and what
// caused the violations.
type Count struct{ Verdict, Broken, Cause string }

// Finding is the first run that shows a target.
type Finding struct {
	Target Target
	Run    int
	Plan   *plan.Plan
}

// An exploration plays a few runs first, then as many as it has played, so that
// what is found soon is found in few runs, up to batchSize.
const (
	batchSize      = 200
	firstBatchSize = 20
	// sparseBatchSize is for a part of the runs: most of a batch are not played.
	sparseBatchSize = 2_000
)

// shownFailures is how many runs without a verdict are told.
const shownFailures = 3

// Play plays runs until there are enough, or no more. step is called for every run.
// Errors are those of [campaign.Play].
func (e *Exploration) Play(ctx context.Context, settings campaign.Settings, step func()) error {
	for e.Enough == nil || !e.Enough(e) {
		most := min(batchSize, max(firstBatchSize, e.Played), e.Runs-e.Played)
		if e.Has != nil {
			most = min(sparseBatchSize, e.Runs-e.Played)
		}
		if most <= 0 {
			return nil
		}
		plans, err := e.Strategy.Next(most)
		if err != nil || len(plans) == 0 {
			return err
		}
		if err := e.playBatch(ctx, settings, plans, step); err != nil {
			return err
		}
	}
	return nil
}

// playBatch plays what is not known of a batch, and takes all of it in.
func (e *Exploration) playBatch(ctx context.Context, settings campaign.Settings, plans []*plan.Plan, step func()) error {
	batch, jobs := make([]Explored, len(plans)), []campaign.Job(nil)
	for i, p := range plans {
		number := e.Played + 1 + i
		if known, ok := e.Known[number]; ok {
			batch[i] = known
			step()
			continue
		}
		if e.Has != nil && !e.Has(number) {
			continue
		}
		job := campaign.PlanJob(p)
		job.Scenario.Name = strconv.Itoa(number)
		jobs = append(jobs, job)
	}
	err := campaign.Play(ctx, settings, jobs, func(r campaign.Report) {
		number, _ := strconv.Atoi(r.Scenario) // the job was named so
		x := Explored{Run: number, Outcome: OutcomeOf(&r), Failure: r.Failure}
		if !x.Outcome.Finished && x.Failure == "" {
			x.Failure = "ended: " + r.Outcome
		}
		batch[number-e.Played-1] = x
		if e.Keep != nil {
			e.Keep(x)
		}
		step()
	})
	if err != nil {
		return err
	}
	outcomes := make([]Outcome, len(plans))
	for i, p := range plans {
		if batch[i].Run == 0 { // passed over
			e.Played++
			continue
		}
		outcomes[i] = batch[i].Outcome
		e.Take(batch[i], p)
	}
	e.Strategy.Learn(outcomes)
	return nil
}

// Take counts the next run.
func (e *Exploration) Take(x Explored, p *plan.Plan) {
	if e.Counts == nil {
		e.Counts, e.findings, e.Points, e.Shown = map[Count]int{}, map[string]Finding{}, map[string]int{}, map[string]int{}
	}
	e.Played++
	e.Last = p
	count := Count{"holds", Listed(x.Outcome.Broken), "-"}
	if c := x.Outcome.Causes; c != nil {
		count.Cause = strings.Join(c.Kinds(), "; ")
		e.Causes.Count(c)
	}
	switch {
	case len(x.Outcome.Violated) > 0:
		count.Verdict = checker.Headline(x.Outcome.Violated, nil)
	case !x.Outcome.Finished:
		count.Verdict = "inconclusive"
	}
	e.Counts[count]++
	for _, point := range x.Outcome.Points {
		e.Points[point]++
	}
	if !x.Outcome.Finished {
		e.Inconclusive++
		if len(e.Failures) < shownFailures {
			e.Failures = append(e.Failures, fmt.Sprintf("run %d (seed %d): %s", x.Run, p.Seed, x.Failure))
		}
	}
	for _, oracle := range x.Outcome.Violated {
		target := Target{Oracle: oracle, Broken: x.Outcome.Broken, Unexplained: slices.Contains(x.Outcome.Unexplained, oracle)}
		e.Shown[target.Name()]++
		if _, found := e.findings[target.Name()]; !found {
			e.findings[target.Name()] = Finding{target, x.Run, p}
		}
	}
}

// Findings lists what was found, violations with no assumption broken first.
func (e *Exploration) Findings() []Finding {
	return slices.SortedFunc(maps.Values(e.findings), func(a, b Finding) int {
		return cmp.Or(cmp.Compare(len(a.Target.Broken), len(b.Target.Broken)), slices.Compare(a.Target.Broken, b.Target.Broken),
			cmp.Compare(slices.Index(checker.Oracles(), a.Target.Oracle), slices.Index(checker.Oracles(), b.Target.Oracle)))
	})
}
