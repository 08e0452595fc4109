package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/search"
	"redlocklab/sim/explain"
)

// What stands beside the files of a saved run that was made small.
const (
	certificateFile = "certificate.json" // what each fault is needed for
	storyFile       = "story.txt"        // what explain tells of it
)

// minimized is a violation that was made as small as it goes, saved and told.
type minimized struct {
	small       *plan.Plan
	certificate *search.Certificate
	story       *explain.Story
	outcome     search.Outcome
}

// minimize makes what a plan violates small, and saves and tells it.
func (p *program) minimize(ctx context.Context, settings campaign.Settings, plan *plan.Plan, target search.Target, dir string) (*minimized, error) {
	small, certificate, err := p.shrink(ctx, settings, plan, target)
	if err != nil {
		return nil, err
	}
	job := campaign.PlanJob(small)
	job.Save = dir
	report, err := campaign.PlayOne(ctx, settings, job)
	if err != nil {
		return nil, err
	}
	if report.Failure != "" {
		return nil, &exitError{exitInconclusive, fmt.Errorf("the smallest could not be saved: %s", report.Failure)}
	}
	run, err := openExplained(dir)
	if err != nil {
		return nil, err
	}
	story, err := explain.NewStory(run, explain.StoryOptions{CausalOnly: true})
	if err != nil {
		return nil, err
	}
	var told bytes.Buffer
	if _, err := story.WriteTo(&told); err != nil {
		return nil, err
	}
	proof, err := json.MarshalIndent(certificate, "", "  ")
	if err != nil {
		return nil, err
	}
	err = errors.Join(os.WriteFile(filepath.Join(dir, storyFile), told.Bytes(), 0o644),
		os.WriteFile(filepath.Join(dir, certificateFile), append(proof, '\n'), 0o644))
	return &minimized{small, certificate, story, search.OutcomeOf(&report)}, err
}

// sizes says what went from the plan that was made small.
func (m *minimized) sizes(before *plan.Plan) string {
	faultsBefore, clientsBefore, stepsBefore := search.Size(before)
	faults, clients, steps := search.Size(m.small)
	return fmt.Sprintf("made smaller in %d runs: faults %d → %d, clients %d → %d, steps %d → %d",
		m.certificate.Runs, faultsBefore, faults, clientsBefore, clients, stepsBefore, steps)
}

// shrink makes a plan small. Its runs are played in a worker: one that is stuck
// shows nothing, and the worker may be a program that carries a patch.
func (p *program) shrink(ctx context.Context, settings campaign.Settings, large *plan.Plan, target search.Target) (*plan.Plan, *search.Certificate, error) {
	player := campaign.NewPlayer(settings)
	defer player.Close()
	return search.Shrink(large, target, func(smaller *plan.Plan) (search.Outcome, error) {
		report, err := player.Play(ctx, campaign.PlanJob(smaller))
		return search.OutcomeOf(&report), err
	})
}
