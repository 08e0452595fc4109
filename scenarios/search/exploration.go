package search

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"redlocklab/checker"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
)

// Exploration is a search with the results of its runs. It is the same for any number of
// workers, and with or without interruptions: runs are played in batches, and only whole
// batches count, in the order of the runs.
type Exploration struct {
	Draw   Draw
	First  uint64                  // the seed of run 1; the seeds of the others follow
	Runs   int                     // at most
	Enough func(*Exploration) bool // ends it early, between two batches; nil: never
	Known  map[int]Explored        // runs that were played before an interruption, by number
	Keep   func(Explored)          // is called with every run that is played; nil: nothing is
	Select func(run int) bool      // says which runs are played, by number; nil: all

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

// Explored is what became of one run. In a journal it has a form of its own.
type Explored struct {
	Run     int // its number in the search, from 1
	Summary campaign.Summary
	Failure string // why there is no verdict
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
	// sparseBatchSize is for a selection of the runs: most of a batch are not played.
	sparseBatchSize = 2_000
)

// shownFailures is how many runs without a verdict are listed.
const shownFailures = 3

// Play plays runs until there are enough, or no more. step is called for every run.
// Errors are those of [campaign.Play].
func (e *Exploration) Play(ctx context.Context, settings campaign.Settings, step func()) error {
	for e.Enough == nil || !e.Enough(e) {
		most := min(batchSize, max(firstBatchSize, e.Played), e.Runs-e.Played)
		if e.Select != nil {
			most = min(sparseBatchSize, e.Runs-e.Played)
		}
		if most <= 0 {
			return nil
		}
		if err := e.playBatch(ctx, settings, most, step); err != nil {
			return err
		}
	}
	return nil
}

// playBatch plays what is not known of the next runs, and takes all of them in.
func (e *Exploration) playBatch(ctx context.Context, settings campaign.Settings, size int, step func()) error {
	batch, plans, jobs := make([]Explored, size), make([]*plan.Plan, size), []campaign.Job(nil)
	for i := range batch {
		number := e.Played + 1 + i
		known, isKnown := e.Known[number]
		if !isKnown && e.Select != nil && !e.Select(number) {
			continue
		}
		var err error
		if plans[i], err = e.Draw(e.First + uint64(number) - 1); err != nil {
			return err
		}
		if isKnown {
			batch[i] = known
			step()
			continue
		}
		job := campaign.PlanJob(plans[i])
		job.Scenario.Name = strconv.Itoa(number)
		jobs = append(jobs, job)
	}
	err := campaign.Play(ctx, settings, jobs, func(run campaign.Summary) {
		number, _ := strconv.Atoi(run.Scenario) // the job was named so
		x := Explored{Run: number, Summary: run}
		if !run.Decided() {
			x.Failure = cmp.Or(run.Stopped(), run.Answers.String())
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
	for i, x := range batch {
		if x.Run == 0 { // not selected
			e.Played++
			continue
		}
		e.Take(x, plans[i])
	}
	return nil
}

// Take counts the next run.
func (e *Exploration) Take(x Explored, p *plan.Plan) {
	if e.Counts == nil {
		e.Counts, e.findings = map[Count]int{}, map[string]Finding{}
		e.Points, e.Shown = map[string]int{}, map[string]int{}
	}
	e.Played++
	e.Last = p
	run := &x.Summary
	count := Count{"holds", Listed(run.Broken), "-"}
	if run.Causes != nil {
		count.Cause = strings.Join(run.Kinds(), "; ")
		e.Causes.Count("", run.Causes)
	}
	violated := run.Answers.Violated()
	switch {
	case len(violated) > 0:
		count.Verdict = checker.Headline(violated, nil)
	case !run.Decided():
		count.Verdict = "inconclusive"
	}
	e.Counts[count]++
	for _, point := range run.Points {
		e.Points[point]++
	}
	if !run.Decided() {
		e.Inconclusive++
		if len(e.Failures) < shownFailures {
			e.Failures = append(e.Failures, fmt.Sprintf("run %d (seed %d): %s", x.Run, p.Seed, x.Failure))
		}
	}
	for _, oracle := range violated {
		own := slices.Contains(run.Answers.Bugs(), oracle)
		target := Target{Oracle: oracle, Broken: run.Broken, Unexplained: own}
		e.Shown[target.Name()]++
		if _, found := e.findings[target.Name()]; !found {
			e.findings[target.Name()] = Finding{target, x.Run, p}
		}
	}
}

// Findings lists what was found, violations with no assumption broken first.
func (e *Exploration) Findings() []Finding {
	return slices.SortedFunc(maps.Values(e.findings), func(a, b Finding) int {
		return cmp.Or(cmp.Compare(len(a.Target.Broken), len(b.Target.Broken)),
			slices.Compare(a.Target.Broken, b.Target.Broken),
			cmp.Compare(slices.Index(checker.Oracles(), a.Target.Oracle),
				slices.Index(checker.Oracles(), b.Target.Oracle)))
	})
}

// exploredLine is a run in the journal of explore, which FORMATS.md describes: what a search
// has to know of it to go on.
type exploredLine struct {
	Run     int `json:"run"`
	Outcome struct {
		Violated       []checker.Oracle `json:"violated,omitempty"`
		Unexplained    []checker.Oracle `json:"unexplained,omitempty"` // found a bug of the lock
		Broken         []string         `json:"broken,omitempty"`
		Finished       bool             `json:"finished"` // and every oracle has an answer
		LapsedMarginNS *int64           `json:"lapsed_margin_ns,omitempty"`
		Points         []string         `json:"moments,omitempty"`
		Causes         *campaign.Causes `json:"causes,omitempty"`
	} `json:"outcome"`
	Failure string `json:"failure,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (x Explored) MarshalJSON() ([]byte, error) {
	run, line := &x.Summary, exploredLine{Run: x.Run, Failure: x.Failure}
	o := &line.Outcome
	o.Violated, o.Unexplained = run.Answers.Violated(), run.Answers.Bugs()
	o.Broken, o.Finished = run.Broken, run.Decided()
	o.LapsedMarginNS, o.Points, o.Causes = run.LapsedMarginNS, run.Points, run.Causes
	return json.Marshal(line)
}

// UnmarshalJSON implements json.Unmarshaler.
func (x *Explored) UnmarshalJSON(text []byte) error {
	var line exploredLine
	if err := plan.DecodeStrict(text, &line); err != nil {
		return err
	}
	o := &line.Outcome
	run := campaign.Summary{
		Broken: o.Broken, LapsedMarginNS: o.LapsedMarginNS, Points: o.Points, Causes: o.Causes, Failure: line.Failure,
	}
	if o.Finished {
		run.Outcome = campaign.Finished
	}
	for _, oracle := range checker.Oracles() {
		answer := checker.Answer{Oracle: oracle, Status: checker.Holds, Bug: slices.Contains(o.Unexplained, oracle)}
		if slices.Contains(o.Violated, oracle) {
			answer.Status = checker.Violated
		}
		run.Answers = append(run.Answers, answer)
	}
	*x = Explored{Run: line.Run, Summary: run, Failure: line.Failure}
	return nil
}
