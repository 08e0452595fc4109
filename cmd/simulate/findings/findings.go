// Package findings groups what a campaign has found by its cause and its minimal plan, and says what
// is new, known or gone since the campaign before, which a state file keeps.
//
//	violated runs ─Groups─▶ by scenario, lock and what is violated ─Shrink─▶ by cause and minimal plan ─Compare─▶ new, known, gone
//
// Of each group the first run is shrunk. Minimal plans are the same here when they have the
// same faults, by kind, and as many clients: drawn runs never have the same times.
package findings

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"redlocklab/faults"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/journal"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/search"
)

// Group is all violated runs that look alike before they are shrunk.
type Group struct {
	Target search.Target
	Runs   int
	First  *plan.Plan // of the first run
	Replay string     // the command that plays it
}

// Finding is what is kept of a finding.
type Finding struct {
	Subject string `json:"subject"`
	Oracle  string `json:"oracle"`
	Cause   string `json:"cause"` // assumptions, own bug or undecided
	Plan    string `json:"plan"`  // the minimal one, in words
	Runs    int    `json:"runs"`
	Replay  string `json:"replay"` // plays the first run again
}

// key is what makes findings of two campaigns the same.
func (f *Finding) key() string {
	return strings.Join([]string{f.Subject, f.Oracle, f.Cause, f.Plan}, "\n")
}

// String says a finding in a line.
func (f *Finding) String() string {
	return fmt.Sprintf("%s: %s is violated, cause: %s, minimal plan: %s; in %d runs, first: %s", f.Subject, f.Oracle, f.Cause, f.Plan, f.Runs, f.Replay)
}

// OfRun groups the violated runs that the journal of run has, by the worst that each shows. It
// keeps one run of each group.
func OfRun(jobs []campaign.Job, kept *journal.Journal) ([]Group, error) {
	index := map[[2]string]*campaign.Job{}
	for i := range jobs {
		index[[2]string{jobs[i].Scenario.Name, jobs[i].Subject}] = &jobs[i]
	}
	groups, at := []Group(nil), map[string]int{}
	return groups, journal.Read(kept, func(r campaign.Report) error {
		target, violated := search.Worst(r.Answers.Violated(), r.Broken)
		job := index[[2]string{r.Scenario, r.Subject}]
		if !violated || job == nil {
			return nil
		}
		key := strings.Join([]string{r.Scenario, r.Subject, target.Name()}, "\n")
		i, known := at[key]
		if !known {
			first, err := job.Scenario.Plan(job.Subject, r.Seed)
			if err != nil {
				return err
			}
			i = len(groups)
			at[key], groups = i, append(groups, Group{Target: target, First: first, Replay: campaign.ReplayCommand(job, r.Seed)})
		}
		groups[i].Runs++
		return nil
	})
}

// OfExploration groups what an exploration has found. replay is the command that plays a run
// by its number.
func OfExploration(e *search.Exploration, replay func(run int) string) []Group {
	var groups []Group
	for _, f := range e.Findings() {
		groups = append(groups, Group{Target: f.Target, Runs: e.Shown[f.Target.Name()], First: f.Plan, Replay: replay(f.Run)})
	}
	return groups
}

// Shrink makes the minimal plan of each group's first run, and groups by it and its cause. step is
// called for each group. The findings are in the order of subject, oracle, cause and plan.
func Shrink(ctx context.Context, settings campaign.Settings, groups []Group, step func()) ([]Finding, error) {
	settings.Causes = campaign.CausesDecide
	each, errs := make([]Finding, len(groups)), make([]error, len(groups))
	var group sync.WaitGroup
	var mu sync.Mutex
	slots := make(chan struct{}, settings.Workers)
	for i := range groups {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			each[i], errs[i] = groups[i].shrink(ctx, settings)
			mu.Lock()
			defer mu.Unlock()
			step()
		})
	}
	group.Wait()
	if err := cmp.Or(ctx.Err(), errors.Join(errs...)); err != nil {
		return nil, err
	}
	var all []Finding
	for _, f := range each {
		if i := slices.IndexFunc(all, func(x Finding) bool { return x.key() == f.key() }); i >= 0 {
			all[i].Runs += f.Runs
			continue
		}
		all = append(all, f)
	}
	slices.SortStableFunc(all, func(a, b Finding) int { return cmp.Compare(a.key(), b.key()) })
	return all, nil
}

// shrink makes the finding of a group.
func (g *Group) shrink(ctx context.Context, settings campaign.Settings) (Finding, error) {
	small, err := search.ShrinkInWorker(ctx, settings, g.First, g.Target)
	if err != nil {
		return Finding{}, fmt.Errorf("%s: %w", g.Replay, err)
	}
	report, err := campaign.PlayOne(ctx, settings, campaign.PlanJob(small.Plan))
	if err != nil {
		return Finding{}, err
	}
	var kinds []string
	if report.Causes != nil {
		for _, f := range report.Causes.Findings {
			if f.Oracle == g.Target.Oracle && !slices.Contains(kinds, f.Kind) {
				kinds = append(kinds, f.Kind)
			}
		}
	}
	slices.Sort(kinds)
	return Finding{g.First.Subject.Title(), string(g.Target.Oracle), cmp.Or(strings.Join(kinds, "; "), "undecided"), words(small.Plan), g.Runs, g.Replay}, nil
}

// words says what a minimal plan consists of: its faults by kind, and how many clients.
func words(p *plan.Plan) string {
	var kinds []string
	for _, f := range p.Faults {
		kinds = append(kinds, faults.KindOf(f.Effect))
	}
	slices.Sort(kinds)
	plural := "s"
	if len(p.Clients) == 1 {
		plural = ""
	}
	return fmt.Sprintf("%s, %d client%s", cmp.Or(strings.Join(kinds, ", "), "no fault"), len(p.Clients), plural)
}
