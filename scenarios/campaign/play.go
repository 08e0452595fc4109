package campaign

import (
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"sync"
	"time"

	"redlocklab/scenarios/plan"
)

// Job is one row's work: seeds of a scenario with one of its subjects.
type Job struct {
	Scenario *plan.Scenario `json:"scenario"`
	Subject  string         `json:"subject"` // the title
	Seeds    []uint64       `json:"seeds"`
	// Plan, when there is one, is played instead of what the scenario makes of the one seed.
	Plan *plan.Plan `json:"plan,omitempty"`
	// Save is the folder that the run is saved to; empty is none. It is for jobs of
	// one seed: of several, the last one stays.
	Save string `json:"save,omitempty"`
}

// PlanJob is the job of playing a saved plan.
func PlanJob(p *plan.Plan) Job {
	s := &plan.Scenario{Name: p.Scenario, Claim: p.Claim, Title: p.Title, Faults: p.Faults, Subjects: []plan.Subject{p.Subject}}
	return Job{Scenario: s, Subject: p.Subject.Title(), Seeds: []uint64{p.Seed}, Plan: p}
}

// Expected is what the scenario expects of the job's subject; nil when the
// scenario has no such subject.
func (j *Job) Expected() *plan.Subject {
	for i := range j.Scenario.Subjects {
		if j.Scenario.Subjects[i].Title() == j.Subject {
			return &j.Scenario.Subjects[i]
		}
	}
	return nil
}

// Settings say how a campaign is played.
type Settings struct {
	Workers int              // processes at a time, at least 1
	Command func() *exec.Cmd // makes the command of one worker
	Options Options
	// Limit is the processor time that a worker may take for one run before it
	// ends itself. It must be larger than Options.Processor, which a run that is not
	// stuck keeps by itself. A worker that says nothing for restFactor times as much
	// real time is killed: it neither works nor ends.
	Limit time.Duration
	// Retire is after how many runs a worker is replaced; 0 is retireAfter.
	Retire int
}

// batchSize is how many runs a worker is given at a time: few enough to share
// the work evenly, enough to make the hand-over cheap.
const batchSize = 20

// giveUp is how many runs of one row may cost a worker before the rest of the
// row is not played: a subject that spins does so in every seed.
const giveUp = 3

// retireAfter keeps workers small. Go's runtime loses the record of each
// sync.WaitGroup that comes to rest in a bubble (it takes it off the group and does
// not free it), and every engine has one: a worker would grow with each run.
const retireAfter = 10_000

func (s *Settings) retire() int { return cmp.Or(s.Retire, retireAfter) }

// restFactor is large: a busy machine makes runs that work wait for a processor,
// and that says nothing about them.
const restFactor = 20

// Play plays all jobs and calls report for every run, one at a time, in any
// order. When ctx ends, the runs in flight are finished and no other is begun;
// that is no error. Every seed of every job is reported once, unless ctx ended.
func Play(ctx context.Context, settings Settings, jobs []Job, report func(Report)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	q := &queue{jobs: jobs, killed: make([]int, len(jobs)), report: report}
	for i, job := range jobs {
		for rest := job.Seeds; len(rest) > 0; {
			n := min(batchSize, len(rest))
			q.batches = append(q.batches, batch{job: i, seeds: rest[:n]})
			rest = rest[n:]
		}
	}
	var group sync.WaitGroup
	errs := make(chan error, settings.Workers)
	for range min(settings.Workers, max(1, len(q.batches))) {
		group.Go(func() {
			if err := q.work(ctx, settings); err != nil {
				errs <- err
				cancel()
			}
		})
	}
	group.Wait()
	select {
	case err := <-errs:
		return err
	default:
		return nil
	}
}

// batch is some seeds of one job.
type batch struct {
	job   int
	seeds []uint64
}

// queue is the work that is left, shared by the goroutines that own one worker
// process each.
type queue struct {
	jobs   []Job
	report func(Report)

	mu      sync.Mutex
	batches []batch
	killed  []int // runs that cost a worker, per job
}

// next takes a batch. Rows that were given up are reported and passed over.
func (q *queue) next() (batch, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.batches) > 0 {
		b := q.batches[0]
		q.batches = q.batches[1:]
		if q.killed[b.job] < giveUp {
			return b, true
		}
		for _, seed := range b.seeds {
			q.report(q.failure(b.job, seed, fmt.Sprintf("not played: %d runs of this row had cost their worker process", giveUp), false))
		}
	}
	return batch{}, false
}

// done hands one report on.
func (q *queue) done(r Report) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.report(r)
}

// lost reports the first run of b as failed and puts the others back.
func (q *queue) lost(b batch, why string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.killed[b.job]++
	q.report(q.failure(b.job, b.seeds[0], why, true))
	if len(b.seeds) > 1 {
		q.batches = append([]batch{{b.job, b.seeds[1:]}}, q.batches...)
	}
}

func (q *queue) failure(job int, seed uint64, why string, killed bool) Report {
	return Report{Scenario: q.jobs[job].Scenario.Name, Subject: q.jobs[job].Subject, Seed: seed, Failure: why, Killed: killed}
}

// work owns one worker process after the other until there is no work left.
func (q *queue) work(ctx context.Context, settings Settings) error {
	var w *worker
	end := func() {
		if w != nil {
			w.finish()
			w.wait()
			w = nil
		}
	}
	defer end()
	for ctx.Err() == nil {
		b, more := q.next()
		if !more {
			return nil
		}
		if w == nil {
			var err error
			if w, err = startWorker(settings.Command()); err != nil {
				return err
			}
		}
		job := &q.jobs[b.job]
		r := &request{Scenario: job.Scenario, Subject: job.Subject, Seeds: b.seeds, Plan: job.Plan, Options: settings.Options, Limit: settings.Limit, Save: job.Save}
		n, failure := w.play(r, ctx.Done(), q.done)
		if n == len(b.seeds) {
			if w.played >= settings.retire() {
				end()
			}
			continue
		}
		w = nil
		if ctx.Err() != nil {
			return nil // it ended because it was asked to, or its run is not worth waiting for
		}
		q.lost(batch{b.job, b.seeds[n:]}, failure)
	}
	return nil
}
