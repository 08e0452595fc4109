package conform

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/tla"
)

// Options are the choices of one check.
type Options struct {
	Scenarios   []*plan.Scenario
	First, Last uint64 // seeds of every row
	Jar         string // another TLC; see tla.FindToolchain
	// Progress, unless nil, is called before the runs are played, and before TLC is asked
	// about their events. Any goroutine may call step; end is called once.
	Progress func(verb, unit string, total int) (step, end func())
	// Kept are the answers of an interrupted check with the same options, by their number.
	Kept map[int][]tla.TraceVerdict
	// Keep, unless nil, is given each new answer, one at a time.
	Keep func(Answer)
}

func (o *Options) progress(verb, unit string, total int) (step, end func()) {
	if o.Progress == nil {
		return func() {}, func() {}
	}
	return o.Progress(verb, unit, total)
}

// Answer holds TLC's verdicts on one batch of traces.
type Answer struct {
	Batch    int                `json:"batch"` // from 0
	Verdicts []tla.TraceVerdict `json:"verdicts"`
}

// Row counts the traces of one scenario with one subject, and lists the rejected ones.
type Row struct {
	Scenario, Subject string
	// Unmodelled says why the row is not checked; empty when it is.
	Unmodelled string
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

// MutationRow counts the traces that one mutation changed, and those that TLC rejected.
type MutationRow struct {
	Mutation Mutation
	Traces   int
	Rejected int
	Example  string   // scenario, subject, seed and the first unexplained event of the first one
	Failed   []string // traces that were accepted, or rejected for something else than the change
}

// Report is the result of a check.
type Report struct {
	Rows      []*Row
	Mutations []*MutationRow
	Actions   map[string]int // explained events of unchanged traces, by action of Redlock.tla
}

// Rejected counts the traces that should have been explained.
func (r *Report) Rejected() int {
	n := 0
	for _, row := range r.Rows {
		n += len(row.Rejected)
	}
	return n
}

// Failed counts the changed traces that were not rejected for their change.
func (r *Report) Failed() int {
	n := 0
	for _, row := range r.Mutations {
		n += len(row.Failed)
	}
	return n
}

// Missed names the mutations that fitted no trace, or were not caught in each.
func (r *Report) Missed() []string {
	var names []string
	for _, row := range r.Mutations {
		if row.Traces == 0 || row.Rejected < row.Traces {
			names = append(names, fmt.Sprintf("%s (%d of %d traces rejected)", row.Mutation.Name, row.Rejected, row.Traces))
		}
	}
	return names
}

// Problems says which traces were not explained, at most three of a row, with the
// command that plays each, and which changed traces were not rejected for their change.
func (r *Report) Problems() []string {
	var problems []string
	for _, row := range r.Rows {
		for _, j := range row.Rejected[:min(3, len(row.Rejected))] {
			problems = append(problems, fmt.Sprintf("%s %s seed %d, resource %s: event %d is not explained: %v\n  ./simulate run %s --subject '%s' --seed %d --out D",
				row.Scenario, row.Subject, j.Seed, j.Resource, j.Event, j.What, row.Scenario, row.Subject, j.Seed))
		}
	}
	for _, m := range r.Mutations {
		for _, failure := range m.Failed {
			problems = append(problems, fmt.Sprintf("%s (%s)", failure, m.Mutation.Change))
		}
	}
	return problems
}

// Unseen lists the actions of the specification that explained no event.
func (r *Report) Unseen() []string {
	return slices.DeleteFunc(slices.Clone(tla.TraceActions), func(action string) bool { return r.Actions[action] > 0 })
}

// Check plays the scenarios' rows and asks TLC whether their traces are
// behaviours of the specification, and traces with one change are not. Errors:
// those of tla.CheckTraces, of play.Run, and the context's.
func Check(ctx context.Context, options Options) (*Report, error) {
	if _, err := tla.FindToolchain(options.Jar); err != nil {
		return nil, err
	}
	c := newCollection()
	if err := c.playAll(ctx, options); err != nil {
		return nil, err
	}
	return c.report, c.ask(ctx, options)
}

// playAll plays every seed of every row that is modelled.
func (c *collection) playAll(ctx context.Context, options Options) error {
	runs := 0
	for _, s := range options.Scenarios {
		runs += len(s.Subjects) * int(options.Last-options.First+1)
	}
	step, end := options.progress("played", "runs", runs)
	defer end()
	for _, s := range options.Scenarios {
		for _, subject := range s.Subjects {
			row := c.newRow(s.Name, subject.Title())
			for seed := options.First; seed <= options.Last; seed++ {
				step()
				if err := ctx.Err(); err != nil {
					return err
				}
				if row.Unmodelled != "" {
					continue
				}
				var reason *UnmodelledError
				if err := c.play(s, row, seed); errors.As(err, &reason) {
					row.Unmodelled = reason.Reason
				} else if err != nil {
					return fmt.Errorf("%s %s seed %d: %w", row.Scenario, row.Subject, seed, err)
				}
			}
		}
	}
	return nil
}

// batchEvents is about how many events one run of TLC is given, and mutated how
// many traces each mutation changes.
const (
	batchEvents = 20_000
	mutated     = 20
)

// batch are traces that share their parameters.
type batch struct {
	parameters tla.TraceParameters
	traces     []tla.Trace
	origins    []origin // of each trace
	events     int
}

// origin is where a trace is from, and where its verdict belongs.
type origin struct {
	row      *Row
	seed     uint64
	mutation *MutationRow // nil: unchanged
	change   changed
}

// collection is the traces of a check, in batches, and its report.
type collection struct {
	report  *Report
	batches []*batch
	open    map[string]*batch // by parameters: the last batch that has them
}

func newCollection() *collection {
	c := &collection{report: &Report{Actions: map[string]int{}}, open: map[string]*batch{}}
	for _, m := range Mutations {
		c.report.Mutations = append(c.report.Mutations, &MutationRow{Mutation: m})
	}
	return c
}

func (c *collection) newRow(scenario, subject string) *Row {
	row := &Row{Scenario: scenario, Subject: subject}
	c.report.Rows = append(c.report.Rows, row)
	return row
}

// play plays one seed of a row. Error: *UnmodelledError, or of the plan or the run.
func (c *collection) play(s *plan.Scenario, row *Row, seed uint64) error {
	plan, err := s.Plan(row.Subject, seed)
	if err != nil {
		return err
	}
	if err := modelled(plan); err != nil {
		return err
	}
	result, err := play.Run(plan, play.RunOptions{})
	if err != nil {
		return err
	}
	return c.add(row, result)
}

// add adds the traces of a run, and those that the mutations make of them.
func (c *collection) add(row *Row, result *play.Result) error {
	parameters, traces, err := Translate(result)
	if err != nil {
		return err
	}
	from := origin{row: row, seed: result.Plan.Seed}
	for _, trace := range traces {
		row.Traces++
		row.Events += len(trace.Events)
		c.put(parameters, trace, from)
		for _, m := range c.report.Mutations {
			change := m.Mutation.apply(trace.Events, parameters)
			if change.events == nil || m.Traces == mutated {
				continue
			}
			m.Traces++
			// What comes after the impossible event need not be asked.
			changedTrace := tla.Trace{Name: trace.Name, Events: change.events[:change.latest+1]}
			c.put(parameters, changedTrace, origin{row: row, seed: from.seed, mutation: m, change: change})
		}
	}
	return nil
}

// put adds a trace to the batch of its parameters; clients are only names, so that
// traces with other clients fit too.
func (c *collection) put(p tla.TraceParameters, trace tla.Trace, from origin) {
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
	b.traces, b.origins = append(b.traces, trace), append(b.origins, from)
	b.events += len(trace.Events)
}

// ask asks TLC about every batch that has no answer yet, as many at a time as there are
// processors, and notes the verdicts in the order of the batches.
func (c *collection) ask(ctx context.Context, options Options) error {
	events := 0
	for i, b := range c.batches {
		if options.Kept[i] == nil {
			events += b.events
		}
	}
	step, end := options.progress("checked", "events", events)
	defer end()
	verdicts := make([][]tla.TraceVerdict, len(c.batches))
	var keeping sync.Mutex
	var group errgroup.Group // without a context: a batch that fails stops no other one
	group.SetLimit(min(2, runtime.NumCPU()))
	for i, b := range c.batches {
		if verdicts[i] = options.Kept[i]; verdicts[i] != nil {
			continue
		}
		group.Go(func() error {
			err := ctx.Err()
			if err == nil {
				verdicts[i], err = tla.CheckTraces(ctx, options.Jar, b.parameters, b.traces, step)
			}
			if err == nil && options.Keep != nil {
				keeping.Lock()
				defer keeping.Unlock()
				options.Keep(Answer{i, verdicts[i]})
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for i, b := range c.batches {
		if len(verdicts[i]) != len(b.origins) {
			return fmt.Errorf("answer %d is about %d traces, and there are %d", i, len(verdicts[i]), len(b.origins))
		}
		for j, verdict := range verdicts[i] {
			c.report.note(b.origins[j], verdict)
		}
	}
	return nil
}

// note adds the verdict of one trace to the report.
func (r *Report) note(from origin, verdict tla.TraceVerdict) {
	row, m := from.row, from.mutation
	if m == nil {
		for action, n := range verdict.Actions {
			r.Actions[action] += n
		}
		if !verdict.Accepted {
			row.Rejected = append(row.Rejected, Rejection{
				Seed: from.seed, Resource: verdict.Name, Event: verdict.Explained + 1, What: *verdict.Unexplained,
			})
		}
		return
	}
	where := fmt.Sprintf("%s %s seed %d", row.Scenario, row.Subject, from.seed)
	if verdict.Accepted {
		m.Failed = append(m.Failed, "accepted although changed: "+where)
		return
	}
	where = fmt.Sprintf("%s, event %d: %v", where, verdict.Explained+1, verdict.Unexplained)
	if verdict.Explained < from.change.first || verdict.Explained > from.change.latest {
		m.Failed = append(m.Failed, "rejected for something else than its change: "+where)
		return
	}
	m.Rejected++
	if m.Example == "" {
		m.Example = where
	}
}

// Write writes the rows, the actions and the changes of a report, with tabs between cells.
// Errors of w are left to it.
func (r *Report) Write(w io.Writer) {
	for _, row := range r.Rows {
		result := "explained"
		switch {
		case row.Unmodelled != "":
			result = "not modelled: " + row.Unmodelled
		case len(row.Rejected) > 0:
			result = fmt.Sprintf("%d NOT EXPLAINED", len(row.Rejected))
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\n", row.Scenario, row.Subject, row.Traces, row.Events, result)
	}
	fmt.Fprintln(w, "\nACTION\tEVENTS\t\t\t")
	for _, action := range tla.TraceActions {
		seen := "NEVER SEEN"
		if n := r.Actions[action]; n > 0 {
			seen = fmt.Sprint(n)
		}
		fmt.Fprintf(w, "%s\t%s\t\t\t\n", action, seen)
	}
	fmt.Fprintln(w, "\nCHANGE\tTRACES\tREJECTED\tFIRST UNEXPLAINED EVENT OF ONE\t")
	for _, m := range r.Mutations {
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\t\n", m.Mutation.Name, m.Traces, m.Rejected, m.Example)
	}
}

// Summary is the report in one line. Only for the complete suite (whole) does it name unseen
// actions and changes that were not rejected.
func (r *Report) Summary(elapsed time.Duration, whole bool) string {
	traces, events := 0, 0
	for _, row := range r.Rows {
		traces, events = traces+row.Traces, events+row.Events
	}
	unseen, missed := r.Unseen(), r.Missed()
	missing, unrejected := "", ""
	if len(unseen) > 0 && whole {
		missing = ", never seen: " + strings.Join(unseen, ", ")
	}
	if len(missed) > 0 && whole {
		unrejected = ", not: " + strings.Join(missed, ", ")
	}
	actions, mutations := len(tla.TraceActions), len(r.Mutations)
	return fmt.Sprintf("%d of %d traces (%d events) explained in %.0f s; "+
		"%d of %d actions seen%s; %d of %d changes rejected wherever they fitted%s",
		traces-r.Rejected(), traces, events, elapsed.Seconds(),
		actions-len(unseen), actions, missing, mutations-len(missed), mutations, unrejected)
}
