package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/saved"
	"redlocklab/scenarios/search"
)

// fewFaults is how many faults a smallest run may have and still be called small.
const fewFaults = 3

// minimalLine is a line of the table, which is printed as it grows.
const minimalLine = "%-33s %6v  %-8s %-8s %-9s %6v  %6v  %s\n"

// minimal makes the first violation of each planted bug as small as it goes, saves
// it with its story, and replays it.
func (p *program) minimal(ctx context.Context, settings campaign.Settings, hunts []hunt, out string) error {
	if err := startsFresh(out); err != nil {
		return err
	}
	fmt.Fprintf(p.out, minimalLine, "MUTANT", "RUN", "FAULTS", "CLIENTS", "STEPS", "RUNS", "LINES", "REPLAYED")
	bugs, small, failed := 0, 0, 0
	for _, h := range hunts {
		if h.healthy {
			continue
		}
		bugs++
		line := newProgress(p.err, h.name+": played", h.budget)
		e, err := p.explored(ctx, settings, &h, search.StrategyNames()[0], 1, h.budget, line)
		line.end()
		if err != nil {
			return err
		}
		f, caught := h.caught(e)
		if !caught {
			fmt.Fprintf(p.out, minimalLine, h.name, "-", "-", "-", "-", e.played, "-", notCaught)
			failed++
			continue
		}
		m, replayed, err := p.minimalOf(ctx, settings, f, filepath.Join(out, strings.ReplaceAll(h.name, ":", "-")))
		if err != nil {
			return err
		}
		faultsBefore, clientsBefore, stepsBefore := search.Size(f.plan)
		faults, clients, steps := search.Size(m.small)
		change := func(before, after int) string { return fmt.Sprintf("%d → %d", before, after) }
		fmt.Fprintf(p.out, minimalLine, h.name, f.run, change(faultsBefore, faults), change(clientsBefore, clients), change(stepsBefore, steps),
			m.certificate.Runs, len(m.story.Lines), replayed)
		if faults <= fewFaults {
			small++
		}
		if replayed != "yes" {
			failed++
		}
	}
	fmt.Fprintf(p.out, "%d of %d bugs have a counterexample of at most %d faults; the runs and their stories are in %s\n", small, bugs, fewFaults, out)
	if failed > 0 {
		return exit(exitSafety)
	}
	return nil
}

// minimalOf minimizes what one bug's run shows and says whether it can be replayed.
func (p *program) minimalOf(ctx context.Context, settings campaign.Settings, f finding, dir string) (m *minimized, replayed string, err error) {
	if m, err = p.minimize(ctx, settings, f.plan, f.target, dir); err != nil {
		return nil, "", fmt.Errorf("run %d: %w", f.run, err)
	}
	saved, err := saved.OpenSaved(dir)
	if err != nil {
		return nil, "", err
	}
	again, err := campaign.PlayOne(ctx, settings, campaign.PlanJob(saved.Plan))
	switch {
	case err != nil:
		return nil, "", err
	case again.TraceHash != saved.TraceHash:
		return m, "ANOTHER TRACE", nil
	}
	return m, "yes", nil
}
