package campaign

import (
	"context"

	"redlocklab/scenarios/plan"
)

// Player plays one plan after the other in a worker process that it keeps, for
// searches whose next run depends on the last. It is not safe for concurrent use.
type Player struct {
	settings Settings
	worker   *worker
}

// NewPlayer returns a player; its process is started by the first run.
func NewPlayer(settings Settings) *Player { return &Player{settings: settings} }

// Play plays a plan. A run that is stuck costs the worker process and is reported
// as failed, as it is by [Play]; an error means that there is no worker, or that
// ctx has ended.
func (p *Player) Play(ctx context.Context, plan *plan.Plan) (Report, error) {
	if err := ctx.Err(); err != nil {
		return Report{}, err
	}
	if p.worker == nil {
		var err error
		if p.worker, err = startWorker(p.settings.Command()); err != nil {
			return Report{}, err
		}
	}
	job := PlanJob(plan)
	r := &request{Scenario: job.Scenario, Subject: job.Subject, Seeds: job.Seeds, Plan: plan, Options: p.settings.Options, Limit: p.settings.Limit}
	var report Report
	played, failure := p.worker.play(r, nil, func(answer Report) { report = answer })
	switch {
	case played > 0 && p.worker.played >= p.settings.retire():
		p.Close()
	case played == 0:
		p.worker = nil
		report = Report{Scenario: job.Scenario.Name, Subject: job.Subject, Seed: plan.Seed, Failure: failure, Killed: true}
	}
	return report, nil
}

// Close ends the worker.
func (p *Player) Close() {
	if p.worker != nil {
		p.worker.finish()
		p.worker.wait()
		p.worker = nil
	}
}
