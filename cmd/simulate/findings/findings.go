// Package findings groups the findings of a campaign by cause and minimal plan. It marks each group
// as new, known or gone since the previous campaign, which a state file records.
//
//	violated runs ─Groups─▶ by scenario, lock and what is violated
//	              ─Shrink─▶ by cause and minimal plan ─Compare─▶ new, known, gone
//
// Of each group the first run is shrunk. Minimal plans are the same here when they have the
// same faults, by kind, and as many clients: drawn runs never have the same times.
package findings

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"redlocklab/faults"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/journal"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/search"
	"redlocklab/sim/words"
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
	return groups, journal.Read(kept, func(r campaign.Summary) error {
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
			at[key], groups = i, append(groups, Group{
				Target: target, First: first, Replay: campaign.ReplayCommand(job, r.Seed),
			})
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
		groups = append(groups, Group{
			Target: f.Target, Runs: e.Shown[f.Target.Name()], First: f.Plan, Replay: replay(f.Run),
		})
	}
	return groups
}

// Shrink makes the minimal plan of each group's first run, and groups by it and its cause. step is
// called for each group, by several goroutines at a time. The findings are in the order of subject,
// oracle, cause and plan.
func Shrink(ctx context.Context, settings campaign.Settings, groups []Group, step func()) ([]Finding, error) {
	settings.Causes = campaign.CausesDecide
	each := make([]Finding, len(groups))
	pool, playing := errgroup.WithContext(ctx)
	pool.SetLimit(settings.Workers)
	for i := range groups {
		pool.Go(func() (err error) {
			each[i], err = groups[i].shrink(playing, settings)
			step()
			return err
		})
	}
	if err := pool.Wait(); err != nil {
		return nil, cmp.Or(ctx.Err(), err)
	}
	return merge(each), nil
}

// merge adds up the runs of equal findings, and sorts them by subject, oracle, cause and plan.
func merge(each []Finding) []Finding {
	var all []Finding
	for _, f := range each {
		if i := slices.IndexFunc(all, func(x Finding) bool { return x.key() == f.key() }); i >= 0 {
			all[i].Runs += f.Runs
			continue
		}
		all = append(all, f)
	}
	slices.SortStableFunc(all, func(a, b Finding) int { return cmp.Compare(a.key(), b.key()) })
	return all
}

// shrink makes the finding of a group.
func (g *Group) shrink(ctx context.Context, settings campaign.Settings) (Finding, error) {
	small, err := search.ShrinkInWorker(ctx, settings, g.First, g.Target)
	if err != nil {
		return Finding{}, fmt.Errorf("%s: %w", g.Replay, err)
	}
	run, err := campaign.PlayOne(ctx, settings, campaign.PlanJob(small.Plan))
	if err != nil {
		return Finding{}, err
	}
	return Finding{
		Subject: g.First.Subject.Title(), Oracle: string(g.Target.Oracle),
		Cause: cmp.Or(strings.Join(run.Kinds(g.Target.Oracle), "; "), "undecided"),
		Plan:  inWords(small.Plan), Runs: g.Runs, Replay: g.Replay,
	}, nil
}

// inWords says what a minimal plan consists of: its faults by kind, and how many clients.
func inWords(p *plan.Plan) string {
	kinds := plan.Texts(p.Faults, func(f faults.Fault) string { return faults.KindOf(f.Effect) })
	slices.Sort(kinds)
	return cmp.Or(strings.Join(kinds, ", "), "no fault") + ", " + words.Counted(len(p.Clients), "client")
}

// Version is the version of the state file, which FORMATS.md describes.
const Version = 1

// State is what a state file keeps of a campaign.
type State struct {
	Version  int       `json:"version"`
	Commit   string    `json:"commit"`
	Findings []Finding `json:"findings"`
}

// Load reads a state file; nil when there is none yet.
func Load(path string) (*State, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("--state: %s: found no file; allowed: the file of an earlier campaign, or none", path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("--state: %w", err)
	}
	s := &State{}
	if err := plan.DecodeStrict(text, s); err != nil {
		return nil, fmt.Errorf("--state: %s: %w; allowed: the file of an earlier campaign, or none", path, err)
	}
	if s.Version != Version {
		return nil, fmt.Errorf("--state: %s: found version %d; allowed: %d", path, s.Version, Version)
	}
	return s, nil
}

// Compare prints what is new, known and gone since an earlier campaign; nil is none.
func (s *State) Compare(w io.Writer, before *State) {
	known := func(s *State, f *Finding) bool {
		return s != nil && slices.ContainsFunc(s.Findings, func(x Finding) bool { return x.key() == f.key() })
	}
	counts := map[string]int{}
	line := func(word string, f *Finding) {
		counts[word]++
		fmt.Fprintf(w, "%-5s  %s\n", word, f)
	}
	for i := range s.Findings {
		word := "new"
		if known(before, &s.Findings[i]) {
			word = "known"
		}
		line(word, &s.Findings[i])
	}
	since := "; there is no campaign before"
	if before != nil {
		for i := range before.Findings {
			if f := &before.Findings[i]; !known(s, f) {
				line("gone", f)
			}
		}
		since = " since " + before.Commit
	}
	fmt.Fprintf(w, "findings: %d new, %d known, %d gone%s\n", counts["new"], counts["known"], counts["gone"], since)
}

// Write replaces the state file.
func (s *State) Write(path string) error {
	return journal.WriteJSON(path, s)
}
