package main

import (
	"context"
	"fmt"
	"strings"

	"redlocklab/cmd/simulate/tables"
	"redlocklab/scenarios/campaign"
)

// play plays jobs and shows how many of the runs are done.
func (p *program) play(ctx context.Context, settings campaign.Settings, jobs []campaign.Job, report func(campaign.Report)) error {
	line := tables.NewProgress(p.err, "played", campaign.Runs(jobs))
	defer line.End()
	return campaign.Play(ctx, settings, jobs, func(r campaign.Report) {
		report(r)
		line.Step()
	})
}

// table begins an aligned table on standard output.
func (p *program) table(heads ...string) *tables.Writer {
	w := tables.New(p.out)
	fmt.Fprintln(w, strings.Join(heads, "\t"))
	return w
}
