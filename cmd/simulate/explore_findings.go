package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"redlocklab/scenarios"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/explain"
	"redlocklab/scenarios/search"
)

// certificateFile says what each fault of a found run is needed for.
const certificateFile = "certificate.json"

// showFindings makes what was found small, saves it and tells it. Without a
// folder it makes one, when there is something to put into it.
func (p *program) showFindings(ctx context.Context, settings campaign.Settings, e *exploration, out string) error {
	var shown []shownFinding
	for _, f := range e.found() {
		if i := slices.IndexFunc(shown, func(earlier shownFinding) bool { return earlier.run == f.run && f.target.Met(earlier.outcome) }); i >= 0 {
			fmt.Fprintf(p.out, "\n%s is violated too, broken: %s; in the same run as %s\n", f.target.Oracle, listed(f.target.Broken), shown[i].target.Oracle)
			continue
		}
		if out == "" {
			var err error
			if out, err = newFolder("out", "explore-"); err != nil {
				return err
			}
		}
		dir := filepath.Join(out, folderName(f.target))
		outcome, err := p.showFinding(ctx, settings, f, dir)
		if err != nil {
			return err
		}
		shown = append(shown, shownFinding{f, outcome})
	}
	return nil
}

// shownFinding is a finding that was told, and all that its smallest run shows.
type shownFinding struct {
	finding
	outcome search.Outcome
}

// folderName names a target: "overlap-A-VOTE", "overlap-nothing-broken".
func folderName(t search.Target) string {
	if len(t.Broken) == 0 {
		return string(t.Oracle) + "-nothing-broken"
	}
	return string(t.Oracle) + "-" + strings.Join(t.Broken, "-")
}

func (p *program) showFinding(ctx context.Context, settings campaign.Settings, f finding, dir string) (search.Outcome, error) {
	m, err := p.minimize(ctx, settings, f, dir)
	if err != nil {
		return search.Outcome{}, err
	}
	faultsBefore, clientsBefore, stepsBefore := search.Size(f.plan)
	faults, clients, steps := search.Size(m.small)
	fmt.Fprintf(p.out, "\n%s is violated, broken: %s; first in run %d, seed %d\n", f.target.Oracle, listed(f.target.Broken), f.run, f.plan.Seed)
	fmt.Fprintf(p.out, "made smaller in %d runs: faults %d → %d, clients %d → %d, steps %d → %d\n\n%s\n\n",
		m.certificate.Runs, faultsBefore, faults, clientsBefore, clients, stepsBefore, steps, search.Knobs(m.small))
	if _, err := m.story.WriteTo(p.out); err != nil {
		return search.Outcome{}, err
	}
	fmt.Fprintf(p.out, "saved in %s; again: ./simulate replay %s\n", dir, dir)
	return m.outcome, nil
}

// minimized is a finding that was made as small as it goes, saved and told.
type minimized struct {
	small       *scenarios.Plan
	certificate *search.Certificate
	story       *explain.Story
	outcome     search.Outcome
}

func (p *program) minimize(ctx context.Context, settings campaign.Settings, f finding, dir string) (*minimized, error) {
	small, certificate, err := p.shrink(ctx, settings, f)
	if err != nil {
		return nil, fmt.Errorf("run %d: %w", f.run, err)
	}
	expectWhatItShows(small, f.target)
	job := campaign.PlanJob(small)
	job.Save = dir
	report, err := p.playOne(ctx, settings, job)
	if err != nil {
		return nil, err
	}
	if report.Failure != "" {
		return nil, &exitError{exitInconclusive, fmt.Errorf("run %d: the smallest could not be saved: %s", f.run, report.Failure)}
	}
	text, err := json.MarshalIndent(certificate, "", "  ")
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, certificateFile), append(text, '\n'), 0o644); err != nil {
		return nil, err
	}
	run, err := openExplained(dir)
	if err != nil {
		return nil, err
	}
	story, err := explain.NewStory(run, explain.StoryOptions{CausalOnly: true})
	return &minimized{small, certificate, story, search.OutcomeOf(&report)}, err
}

// shrink makes a plan small. Its runs are played in a worker: one that is stuck
// shows nothing, and the worker may be a program that carries a patch.
func (p *program) shrink(ctx context.Context, settings campaign.Settings, f finding) (*scenarios.Plan, *search.Certificate, error) {
	player := campaign.NewPlayer(settings)
	defer player.Close()
	return search.Shrink(f.plan, f.target, func(plan *scenarios.Plan) (search.Outcome, error) {
		report, err := player.Play(ctx, plan)
		if err != nil && ctx.Err() != nil {
			err = &exitError{exitInterrupted, fmt.Errorf("interrupted while run %d was made smaller", f.run)}
		}
		return search.OutcomeOf(&report), err
	})
}

// expectWhatItShows makes the plan one of a violation that is there in every run.
func expectWhatItShows(plan *scenarios.Plan, target search.Target) {
	plan.Subject.Runs, plan.Subject.Broken = scenarios.RunsSome, target.Broken
	for _, oracle := range scenarios.Oracles() {
		plan.Subject.Expect[oracle] = scenarios.Violated
	}
}
