package campaign

import "context"

// Player plays one run after the other in a worker process that it keeps, for
// searches whose next run depends on the last. It is not safe for concurrent use.
type Player struct {
	settings Settings
	worker   *worker
}

// NewPlayer returns a player; its process is started by the first run.
func NewPlayer(settings Settings) *Player { return &Player{settings: settings} }

// Play plays the one run of a job. A run that is stuck costs the worker process, and
// its report says so; errors are those of [Play].
func (p *Player) Play(ctx context.Context, job Job) (Report, error) {
	if err := ctx.Err(); err != nil {
		return Report{}, err
	}
	worker, err := p.settings.worker(ctx, p.worker, job.patch())
	p.worker = worker
	if err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return Report{}, err
	}
	var report Report
	played, failure := worker.play(job.request(job.Seeds, &p.settings), nil, func(answer Report) { report = answer })
	switch {
	case played == 0:
		p.worker = nil
		report = Report{Scenario: job.Scenario.Name, Subject: job.Subject, Seed: job.Seeds[0], Failure: failure, Killed: true}
	case report.Panic != "":
		return report, &PanicError{report.Panic}
	}
	return report, nil
}

// Close ends the worker.
func (p *Player) Close() { p.worker.end() }
