package main

import (
	"context"
	"errors"
	"slices"

	"redlocklab/scenarios/ask"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
)

// players play the runs of questions, each in a worker process of its own.
type players chan *campaign.Player

// newPlayers returns as many players as there are workers.
func newPlayers(settings campaign.Settings) players {
	list := make(players, settings.Workers)
	for range settings.Workers {
		list <- campaign.NewPlayer(settings)
	}
	return list
}

// laboratory has the next free player play a plan.
func (list players) laboratory(ctx context.Context) ask.Laboratory {
	return func(p *plan.Plan) (ask.Played, error) {
		player := <-list
		defer func() { list <- player }()
		r, err := player.Play(ctx, campaign.PlanJob(p))
		switch {
		case err != nil:
			return ask.Played{}, err
		case r.Failure != "" && !r.Killed:
			return ask.Played{}, errors.New(r.Failure)
		}
		idle := slices.ContainsFunc(r.Fired, func(c campaign.Count) bool { return c.Times == 0 })
		return ask.Played{Answers: r.Answers, Idle: idle || r.Killed}, nil
	}
}

// close ends the processes.
func (list players) close() {
	for range cap(list) {
		(<-list).Close()
	}
}
