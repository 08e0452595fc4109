package live

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/scenarios/saved"
)

// Comparison is a plan that was played in the simulator and on real servers.
type Comparison struct {
	Job    *campaign.Job
	Plan   *plan.Plan
	Reason string // why it is not played on real servers; empty when it is

	Simulated, Real campaign.Summary
	Failure         error // of the laboratory, on real servers
	Took, Stall     time.Duration
	Attempts        int
}

// CompareOptions say how plans are compared.
type CompareOptions struct {
	Options
	Simulate campaign.Laboratory // plays a plan in the simulator
	Seed     uint64              // that all plans are made of
	Parallel int                 // plans on real servers at a time
	Longest  time.Duration       // of a run in the simulator; plans that take longer are left out
	Attempts int                 // at most, of a plan that disagrees while the machine stalls
}

// Compare plays the plan of each job in the simulator and on real servers, and saves
// the real run where its job says so. Errors are ctx's, and those of the simulator.
func Compare(ctx context.Context, jobs []campaign.Job, o CompareOptions, step func()) ([]*Comparison, error) {
	list := make([]*Comparison, len(jobs))
	for i := range jobs {
		var err error
		if list[i], err = simulated(&jobs[i], &o); err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	var playing errgroup.Group
	playing.SetLimit(o.Parallel)
	for _, c := range list {
		playing.Go(func() error {
			if c.Reason == "" && ctx.Err() == nil {
				c.play(ctx, &o)
			}
			step()
			return nil
		})
	}
	_ = playing.Wait()       // failures are in the comparisons
	for _, c := range list { // one at a time, while the machine has nothing else to do
		for c.doubtful() && c.Attempts < o.Attempts && ctx.Err() == nil {
			c.play(ctx, &o)
		}
	}
	return list, ctx.Err()
}

// simulated plays a job's plan in the simulator, and says whether it can be played here.
func simulated(job *campaign.Job, o *CompareOptions) (*Comparison, error) {
	p, err := job.Scenario.Plan(job.Subject, o.Seed)
	if err != nil {
		return nil, err
	}
	c := &Comparison{Job: job, Plan: p, Reason: strings.Join(Unplayable(p), "; ")}
	if c.Reason != "" {
		return c, nil
	}
	run, err := o.Simulate(p, play.RunOptions{Scripts: "native", Processor: time.Minute})
	if err != nil {
		return nil, err
	}
	if end := time.Duration(run.History.Header.EndNS); end > o.Longest {
		c.Reason = fmt.Sprintf("it takes %v of time; allowed: %v", end.Round(time.Second), o.Longest)
	}
	c.Simulated = campaign.Summarize(run)
	return c, nil
}

// play plays the plan on real servers once.
func (c *Comparison) play(ctx context.Context, o *CompareOptions) {
	c.Attempts++
	begin := time.Now()
	result, err := Play(ctx, c.Plan, o.Options)
	if c.Took, c.Failure = time.Since(begin), err; err != nil {
		return
	}
	run := &play.Result{
		// Without the plan's hash: this trace is not the one that a replay must make.
		Plan: c.Plan, Outcome: result.Outcome, Events: result.Events,
		History: result.History, Verdict: result.Verdict, Fired: result.Fired,
	}
	c.Real, c.Stall = campaign.Summarize(run), result.Stall
	if c.Job.Save != "" {
		c.Failure = saved.Write(run, nil, filepath.Clean(c.Job.Save))
	}
}

// doubtful reports whether the runs disagree, perhaps because the machine stalled: for so
// long that timeouts, or the order of messages, may be its own.
func (c *Comparison) doubtful() bool {
	if c.Reason != "" || c.Failure != nil || len(c.Differences()) == 0 {
		return false
	}
	longest := c.Plan.World.Network.Latency.Max
	for _, link := range c.Plan.World.Network.Links {
		longest = max(longest, link.Latency.Max)
	}
	return c.Stall > min(c.Plan.Lock.NodeTimeout/2, longest)
}

// Differences are the ways in which the real run is not what the simulated one
// is, measured by what is expected of both.
func (c *Comparison) Differences() []campaign.Difference {
	if c.Failure != nil {
		return []campaign.Difference{{Class: campaign.Incomplete, Text: c.Failure.Error()}}
	}
	expected := c.Job.Expected()
	here, there := campaign.Compare(expected, &c.Real), campaign.Compare(expected, &c.Simulated)
	both := func(d campaign.Difference) bool { return slices.Contains(there, d) }
	found := slices.DeleteFunc(slices.Clone(here), both)
	for _, d := range there {
		if !slices.Contains(here, d) {
			d.Text = "only in the simulator: " + d.Text
			found = append(found, d)
		}
	}
	for i, fired := range c.Real.Fired {
		if fired.Times == 0 && c.Simulated.Fired[i].Times > 0 {
			found = append(found, campaign.Difference{Class: campaign.Incomplete, Text: fmt.Sprintf("the fault %q fired in the simulator only", fired.Name)})
		}
	}
	return found
}
