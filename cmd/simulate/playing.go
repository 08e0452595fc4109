package main

import (
	"cmp"
	"context"
	"errors"
	"runtime/debug"

	"redlocklab/scenarios/campaign"
)

// errInterrupted ends the program after Ctrl-C where nothing is kept.
var errInterrupted = &exitError{exitInterrupted, errors.New("interrupted")}

// playing plays jobs in worker processes and calls report for each run, one at a
// time. Jobs that need a patch of package redlock get workers that were built with it. It returns
// how the program ends when that was not all: errInterrupted, or a bug, which has been told.
func (p *program) playing(ctx context.Context, settings campaign.Settings, jobs []campaign.Job, report func(campaign.Report)) error {
	byPatch, patches := map[string][]campaign.Job{}, []string{}
	for _, job := range jobs {
		patch := job.Expected().Patch()
		if byPatch[patch] == nil {
			patches = append(patches, patch)
		}
		byPatch[patch] = append(byPatch[patch], job)
	}
	for _, patch := range patches {
		carrying, err := p.carrying(ctx, settings, patch)
		if err != nil {
			return err
		}
		if err := p.playingAlike(ctx, carrying, byPatch[patch], report); err != nil {
			return err
		}
	}
	return nil
}

// playersGarbage is GOGC while workers play: a small heap that stays as large as
// it is, however long the campaign, for a hundredth of the work.
const playersGarbage = 25

// playingAlike plays jobs that all workers can play.
func (p *program) playingAlike(ctx context.Context, settings campaign.Settings, jobs []campaign.Job, report func(campaign.Report)) error {
	defer debug.SetGCPercent(debug.SetGCPercent(playersGarbage))
	debug.FreeOSMemory() // what the making of the jobs has left
	bug, left := "", runsOf(jobs)
	err := campaign.Play(ctx, settings, jobs, func(r campaign.Report) {
		report(r)
		left--
		bug = cmp.Or(bug, r.Panic)
	})
	switch {
	case err != nil:
		return &exitError{exitBug, err}
	case bug != "":
		p.bug(bug)
		return exit(exitBug)
	case left > 0:
		return errInterrupted
	}
	return nil
}

// runsOf counts the runs of jobs.
func runsOf(jobs []campaign.Job) int {
	total := 0
	for i := range jobs {
		total += len(jobs[i].Seeds)
	}
	return total
}
