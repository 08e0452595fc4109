package campaign

import (
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/sim"
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
	s := &plan.Scenario{
		Name: p.Scenario, Claim: p.Claim, Title: p.Title, Faults: p.Faults, Subjects: []plan.Subject{p.Subject},
	}
	return Job{Scenario: s, Subject: p.Subject.Title(), Seeds: []uint64{p.Seed}, Plan: p}
}

// Expected is what the scenario expects of the job's subject; nil when the
// scenario has no such subject.
func (j *Job) Expected() *plan.Subject { return j.Scenario.Row(j.Subject) }

// Runs counts the runs of jobs.
func Runs(jobs []Job) (n int) {
	for i := range jobs {
		n += len(jobs[i].Seeds)
	}
	return n
}

// patch names the patch of package redlock that a worker needs for the job.
func (j *Job) patch() string {
	if j.Plan != nil {
		return j.Plan.Subject.Patch()
	}
	return j.Expected().Patch()
}

// Settings say how a campaign is played.
type Settings struct {
	Workers int // processes at a time, at least 1
	// Command makes the command of one worker that carries a patch of package
	// redlock; see package overlay, which builds such programs.
	Command func(ctx context.Context, patch string) (*exec.Cmd, error)
	Options play.RunOptions
	Causes  CausesMode
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

// restFactor is large: a busy machine makes runs that work wait for a processor,
// and that says nothing about them.
const restFactor = 20

// WorkerError is the error of a worker process that cannot be started.
type WorkerError struct{ Err error }

func (e *WorkerError) Error() string { return "a worker process cannot be started: " + e.Err.Error() }

func (e *WorkerError) Unwrap() error { return e.Err }

// PanicError is the error of a run in which this program panicked: a bug in it,
// not a result.
type PanicError struct{ Stack string }

func (e *PanicError) Error() string { return e.Stack }

// Play plays all jobs and calls report for every run, one at a time, in any order.
// It reports every seed of every job once, and returns nil, unless
//   - ctx ends: the runs in flight are finished, no other is begun, and the error is ctx.Err();
//   - a worker cannot be started: a [WorkerError];
//   - this program panicked in a run: a [PanicError], when the other runs are done.
func Play(ctx context.Context, settings Settings, jobs []Job, report func(Summary)) error {
	q := &queue{jobs: jobs, killed: make([]int, len(jobs)), report: report}
	for i, job := range jobs {
		for rest := job.Seeds; len(rest) > 0; {
			n := min(batchSize, len(rest))
			q.batches = append(q.batches, batch{job: i, seeds: rest[:n], patch: job.patch()})
			rest = rest[n:]
		}
	}
	q.left = Runs(jobs)
	// A worker carries one patch: as few as possible change it.
	slices.SortStableFunc(q.batches, func(a, b batch) int { return cmp.Compare(a.patch, b.patch) })
	group, playing := errgroup.WithContext(ctx)
	for range min(settings.Workers, max(1, len(q.batches))) {
		group.Go(func() error { return q.work(playing, settings) })
	}
	err := group.Wait()
	switch {
	case q.panicked != "":
		return &PanicError{q.panicked}
	case q.left == 0:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return err
}

// PlayOne plays the one run of a job.
func PlayOne(ctx context.Context, settings Settings, job Job) (Summary, error) {
	player := NewPlayer(settings)
	defer player.Close()
	return player.Play(ctx, job)
}

// batch is some seeds of one job.
type batch struct {
	job   int
	seeds []uint64
	patch string
}

// queue is the work that is left, shared by the goroutines that own one worker
// process each.
type queue struct {
	jobs   []Job
	report func(Summary)

	mu       sync.Mutex
	batches  []batch
	killed   []int  // runs that cost a worker, per job
	left     int    // runs that are not reported yet
	panicked string // the first stack of a panic of this program
}

// tell reports a run. The caller holds mu.
func (q *queue) tell(r Summary) {
	q.left--
	q.panicked = cmp.Or(q.panicked, r.Panic)
	q.report(r)
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
			q.tell(q.jobs[b.job].failed(seed, fmt.Sprintf("not played: %d runs of this row had cost their worker process", giveUp), false))
		}
	}
	return batch{}, false
}

// done hands one report on.
func (q *queue) done(r Summary) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.tell(r)
}

// lost reports the first run of b as failed and puts the others back.
func (q *queue) lost(b batch, why string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.killed[b.job]++
	q.tell(q.jobs[b.job].failed(b.seeds[0], why, true))
	if len(b.seeds) > 1 {
		q.batches = append([]batch{{b.job, b.seeds[1:], b.patch}}, q.batches...)
	}
}

// failed is the report of a run that failed, and may have cost its worker.
func (j *Job) failed(seed uint64, why string, killed bool) Summary {
	return Summary{Scenario: j.Scenario.Name, Subject: j.Subject, Seed: seed, Failure: why, Killed: killed}
}

// work owns one worker process after the other until there is no work left.
func (q *queue) work(ctx context.Context, settings Settings) error {
	var w *worker
	defer func() { w.end() }()
	for ctx.Err() == nil {
		b, more := q.next()
		if !more {
			return nil
		}
		var err error
		if w, err = settings.worker(ctx, w, b.patch); err != nil {
			return err
		}
		job := &q.jobs[b.job]
		n, failure := w.play(job.request(b.seeds, &settings), ctx.Done(), q.done)
		if n == len(b.seeds) {
			continue
		}
		w = nil
		if ctx.Err() != nil {
			return nil // it ended because it was asked to, or its run is not worth waiting for
		}
		q.lost(batch{b.job, b.seeds[n:], b.patch}, failure)
	}
	return nil
}

// request asks a worker for some seeds of a job.
func (j *Job) request(seeds []uint64, settings *Settings) *request {
	r := &request{*j, settings.Options, settings.Limit, settings.Causes}
	r.Seeds = seeds
	return r
}

// worker returns the worker that it is given if it can go on and carries the patch,
// or ends it and starts another.
func (s *Settings) worker(ctx context.Context, w *worker, patch string) (*worker, error) {
	if w != nil && w.patch == patch && w.played < cmp.Or(s.Retire, retireAfter) {
		return w, nil
	}
	w.end()
	command, err := s.Command(ctx, patch)
	if err == nil {
		w, err = startWorker(command, patch)
	}
	if err != nil {
		return nil, &WorkerError{err}
	}
	return w, nil
}

// Laboratory plays one run of a plan. The command line has [play.Run]; tests of
// the machinery around runs have one whose runs are as bad as they need to be.
// An error means that no run came about.
type Laboratory func(plan *plan.Plan, options play.RunOptions) (*play.Result, error)

// CausesMode says whether the causes of violated runs are looked for, and what for. It
// changes no trace.
type CausesMode string

// The modes. A run that is saved gets its causes in any mode.
const (
	CausesUnasked CausesMode = ""       // the footprint says what explains a violation
	CausesBeside  CausesMode = "beside" // the same, and the causes are in the report beside it
	CausesDecide  CausesMode = "decide" // the causes say what explains a violation
)

// Finished is the outcome of a run that ended by itself. Every other outcome is
// the name of the bound that ended it.
const Finished = string(sim.Finished)

// Player plays one run after the other in a worker process that it keeps, for
// searches whose next run depends on the last. It is not safe for concurrent use.
type Player struct {
	settings Settings
	worker   *worker
}

// NewPlayer returns a player; its process is started by the first run.
func NewPlayer(settings Settings) *Player { return &Player{settings: settings} }

// Play plays the one run of a job. A run that is stuck costs the worker process, and
// its report says so; errors are those of [Play].
func (p *Player) Play(ctx context.Context, job Job) (Summary, error) {
	if err := ctx.Err(); err != nil {
		return Summary{}, err
	}
	var err error
	if p.worker, err = p.settings.worker(ctx, p.worker, job.patch()); err != nil {
		return Summary{}, cmp.Or(ctx.Err(), err)
	}
	var report Summary
	played, failure := p.worker.play(job.request(job.Seeds, &p.settings), nil, func(answer Summary) { report = answer })
	switch {
	case played == 0:
		p.worker = nil
		report = job.failed(job.Seeds[0], failure, true)
	case report.Panic != "":
		return report, &PanicError{report.Panic}
	}
	return report, nil
}

// Close ends the worker.
func (p *Player) Close() { p.worker.end() }
