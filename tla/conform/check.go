package conform

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/tla"
)

// Options are the choices of one check.
type Options struct {
	Scenarios   []*plan.Scenario
	First, Last uint64                                 // seeds of every row
	Jar         string                                 // another TLC; see tla.FindToolchain
	Progress    func(done, of int)                     // nil: none
	Run         func(*plan.Plan) (*play.Result, error) // nil: scenarios.Run
}

// Row is what became of the traces of one scenario with one subject.
type Row struct {
	Scenario, Subject string
	// Unmodelled says why the row is not checked; empty when it is.
	Unmodelled string
	Seeds      int // that were played
	Traces     int // one per seed and resource
	Events     int // of the specification, in all traces
	Rejected   []Rejection
}

// Rejection is a trace that the specification does not explain.
type Rejection struct {
	Seed     uint64
	Resource string
	Event    int       // from 1: the first that no action explains
	What     tla.Event // that event
}

// MutationRow is what became of the traces that one mutation changed.
type MutationRow struct {
	Mutation Mutation
	Traces   int
	Rejected int
	Example  string // scenario, subject, seed and the first unexplained event of the first one
	// Accepted, and Elsewhere (rejected, but not for what was changed), name traces that the check failed on.
	Accepted, Elsewhere []string
}

// Report is the result of a check.
type Report struct {
	Rows      []Row
	Mutations []MutationRow
	Actions   map[string]int // explained events of unchanged traces, by action of Redlock.tla
	Unseen    []string       // actions that none was
	Elapsed   time.Duration
}

// Rejected counts the traces that should have been explained.
func (r *Report) Rejected() int {
	n := 0
	for _, row := range r.Rows {
		n += len(row.Rejected)
	}
	return n
}

// MutantsAccepted counts the changed traces that were not rejected for their change.
func (r *Report) MutantsAccepted() int {
	n := 0
	for _, row := range r.Mutations {
		n += len(row.Accepted) + len(row.Elsewhere)
	}
	return n
}

// Missed counts the mutations that fitted no trace, or were not caught in each.
func (r *Report) Missed() int {
	n := 0
	for _, row := range r.Mutations {
		if row.Traces == 0 || row.Rejected < row.Traces {
			n++
		}
	}
	return n
}

// batchEvents is about how many events one run of TLC is given, and mutated how
// many traces each mutation changes.
const (
	batchEvents = 40_000
	mutated     = 20
)

// job is one trace for TLC and where its verdict belongs.
type job struct {
	trace    tla.Trace
	row      int
	seed     uint64
	mutation int // -1: unchanged
	change   changed
}

// batch are traces that share their parameters.
type batch struct {
	parameters tla.TraceParameters
	jobs       []job
	events     int
}

// Check plays the scenarios' rows and asks TLC whether their traces are
// behaviours of the specification, and traces with one change are not. Errors:
// those of tla.CheckTraces, of scenarios.Run, and the context's.
func Check(ctx context.Context, options Options) (*Report, error) {
	if _, err := tla.FindToolchain(options.Jar); err != nil {
		return nil, err
	}
	started := time.Now()
	report := &Report{}
	for _, m := range Mutations {
		report.Mutations = append(report.Mutations, MutationRow{Mutation: m})
	}
	batches, err := playTraces(ctx, options, report)
	if err != nil {
		return nil, err
	}
	if err := judge(ctx, options, batches, report); err != nil {
		return nil, err
	}
	for _, action := range tla.TraceActions {
		if report.Actions[action] == 0 {
			report.Unseen = append(report.Unseen, action)
		}
	}
	report.Elapsed = time.Since(started)
	return report, nil
}

// playTraces makes the traces.
func playTraces(ctx context.Context, options Options, report *Report) ([]*batch, error) {
	run := options.Run
	if run == nil {
		run = func(plan *plan.Plan) (*play.Result, error) {
			return play.Run(plan, play.RunOptions{})
		}
	}
	collector := &collector{report: report, open: map[string]*batch{}}
	for _, s := range options.Scenarios {
		for _, subject := range s.Subjects {
			report.Rows = append(report.Rows, Row{Scenario: s.Name, Subject: subject.Title()})
			row := &report.Rows[len(report.Rows)-1]
			for seed := options.First; seed <= options.Last && row.Unmodelled == ""; seed++ {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				plan, err := s.Plan(subject.Title(), seed)
				if err != nil {
					return nil, err
				}
				var reason *UnmodelledError
				if err := modelled(plan); errors.As(err, &reason) {
					row.Unmodelled = reason.Reason
					break
				}
				result, err := run(plan)
				if err != nil {
					return nil, fmt.Errorf("%s %s seed %d: %w", s.Name, subject.Title(), seed, err)
				}
				parameters, traces, err := Translate(result)
				if errors.As(err, &reason) {
					row.Unmodelled = reason.Reason
					break
				}
				if err != nil {
					return nil, err
				}
				row.Seeds++
				for _, trace := range traces {
					collector.take(parameters, trace, row, len(report.Rows)-1, seed)
				}
			}
		}
	}
	return collector.batches, nil
}

// collector sorts traces into batches.
type collector struct {
	report  *Report
	open    map[string]*batch // by parameters
	batches []*batch
}

func (c *collector) take(p tla.TraceParameters, trace tla.Trace, row *Row, number int, seed uint64) {
	row.Traces++
	row.Events += len(trace.Events)
	c.put(p, job{trace: trace, row: number, seed: seed, mutation: -1})
	for i, m := range Mutations {
		if c.report.Mutations[i].Traces == mutated {
			continue
		}
		if change, ok := m.apply(trace.Events, p); ok {
			c.report.Mutations[i].Traces++
			// What comes after the impossible event need not be asked.
			c.put(p, job{trace: tla.Trace{Name: trace.Name, Events: change.events[:change.latest+1]}, row: number, seed: seed, mutation: i, change: change})
		}
	}
}

// put adds a job to the batch of its parameters; clients are only names, so that
// traces with other clients fit too.
func (c *collector) put(p tla.TraceParameters, j job) {
	clients := p.Clients
	p.Clients = nil
	key := fmt.Sprintf("%+v", p)
	b := c.open[key]
	if b == nil || b.events > batchEvents {
		b = &batch{parameters: p}
		c.open[key] = b
		c.batches = append(c.batches, b)
	}
	for _, name := range clients {
		if !slices.Contains(b.parameters.Clients, name) {
			b.parameters.Clients = append(b.parameters.Clients, name)
		}
	}
	b.jobs = append(b.jobs, j)
	b.events += len(j.trace.Events)
}

// judge asks TLC about every batch, as many at a time as there are processors,
// and enters the verdicts in the order of the batches.
func judge(ctx context.Context, options Options, batches []*batch, report *Report) error {
	verdicts := make([][]tla.TraceVerdict, len(batches))
	failures := make([]error, len(batches))
	free := make(chan struct{}, min(2, runtime.NumCPU()))
	var group sync.WaitGroup
	var mutex sync.Mutex
	finished := 0
	for i, b := range batches {
		group.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			if ctx.Err() != nil {
				failures[i] = ctx.Err()
				return
			}
			traces := make([]tla.Trace, len(b.jobs))
			for j := range b.jobs {
				traces[j] = b.jobs[j].trace
			}
			verdicts[i], failures[i] = tla.CheckTraces(ctx, options.Jar, b.parameters, traces)
			mutex.Lock()
			defer mutex.Unlock()
			finished++
			if options.Progress != nil {
				options.Progress(finished, len(batches))
			}
		})
	}
	group.Wait()
	report.Actions = map[string]int{}
	for i, b := range batches {
		if failures[i] != nil {
			return failures[i]
		}
		for j := range b.jobs {
			enter(report, &b.jobs[j], &verdicts[i][j])
		}
	}
	return nil
}

// enter notes the verdict of one trace.
func enter(report *Report, j *job, verdict *tla.TraceVerdict) {
	row := &report.Rows[j.row]
	if j.mutation < 0 {
		for action, n := range verdict.Actions {
			report.Actions[action] += n
		}
		if !verdict.Accepted {
			row.Rejected = append(row.Rejected, Rejection{
				Seed: j.seed, Resource: j.trace.Name, Event: verdict.Explained + 1, What: *verdict.Unexplained,
			})
		}
		return
	}
	m := &report.Mutations[j.mutation]
	where := fmt.Sprintf("%s %s seed %d", row.Scenario, row.Subject, j.seed)
	switch {
	case verdict.Accepted:
		m.Accepted = append(m.Accepted, where)
	case verdict.Explained < j.change.first || verdict.Explained > j.change.latest:
		m.Elsewhere = append(m.Elsewhere, fmt.Sprintf("%s, event %d: %v", where, verdict.Explained+1, verdict.Unexplained))
	default:
		m.Rejected++
		if m.Example == "" {
			m.Example = fmt.Sprintf("%s, event %d: %v", where, verdict.Explained+1, verdict.Unexplained)
		}
	}
}
