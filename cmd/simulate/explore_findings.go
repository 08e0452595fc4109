package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/search"
)

// showFindings makes what was found small, saves it and tells it. Without a
// folder it makes one, when there is something to put into it.
func (p *program) showFindings(ctx context.Context, settings campaign.Settings, e *exploration, out string) error {
	var shown []shownFinding
	for _, f := range e.found() {
		if i := slices.IndexFunc(shown, func(earlier shownFinding) bool { return earlier.run == f.run && f.target.Met(earlier.outcome) }); i >= 0 {
			fmt.Fprintf(p.out, "\n%s is violated too, broken: %s; in the same run as %s\n", f.target.Oracle, brokenIn(f.target), shown[i].target.Oracle)
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

// brokenIn says what was broken in a run that shows a target.
func brokenIn(t search.Target) string {
	if t.Unexplained && len(t.Broken) > 0 {
		return listed(t.Broken) + ", which does not explain it"
	}
	return listed(t.Broken)
}

// folderName names a target: "overlap-A-VOTE", "overlap-nothing-broken".
func folderName(t search.Target) string {
	if len(t.Broken) == 0 {
		return string(t.Oracle) + "-nothing-broken"
	}
	name := string(t.Oracle) + "-" + strings.Join(t.Broken, "-")
	if t.Unexplained {
		name += "-unexplained"
	}
	return name
}

func (p *program) showFinding(ctx context.Context, settings campaign.Settings, f finding, dir string) (search.Outcome, error) {
	m, err := p.minimize(ctx, settings, f.plan, f.target, dir)
	if err != nil {
		return search.Outcome{}, fmt.Errorf("run %d: %w", f.run, err)
	}
	fmt.Fprintf(p.out, "\n%s is violated, broken: %s; first in run %d, seed %d\n%s\n\n%s\n\n", f.target.Oracle, brokenIn(f.target), f.run, f.plan.Seed,
		m.sizes(f.plan), search.Knobs(m.small))
	if _, err := m.story.WriteTo(p.out); err != nil {
		return search.Outcome{}, err
	}
	fmt.Fprintf(p.out, "saved in %s; again: ./simulate replay %s\n", dir, dir)
	return m.outcome, nil
}
