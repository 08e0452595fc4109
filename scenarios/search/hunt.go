package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"redlocklab/scenarios/campaign"
)

// Hunt is the search for a mutant: one item of work. A healthy lock is hunted in parts, where
// what is drawn does not depend on what was found.
type Hunt struct {
	Name string `json:"name"` // of the mutant
	From int    `json:"from"` // runs of the parts before this one
	// By has what each strategy found, the first that decides, then the others. Those that
	// break no assumption are left out where the mutant needs one broken.
	By []HuntBy `json:"by"`
}

// HuntBy is what one strategy found.
type HuntBy struct {
	Strategy     string   `json:"strategy"`
	Played       int      `json:"played"`
	CaughtAfter  int      `json:"caught_after"` // runs from the first part's beginning; 0: not
	Inconclusive int      `json:"inconclusive"`
	Failures     []string `json:"failures,omitempty"` // of runs without a verdict; the first few
}

// healthyPart is how many runs a part has of a hunt in a healthy lock.
const healthyPart = 500

// Hunts are the parts in which a mutant is searched for, none of them played.
func (m *Mutant) Hunts(strategies []string) []Hunt {
	if m.Oracle != "" || !Independent(strategies[0]) {
		return []Hunt{{Name: m.Name}}
	}
	var parts []Hunt
	for from := 0; from < m.Budget; from += healthyPart {
		parts = append(parts, Hunt{Name: m.Name, From: from})
	}
	return parts
}

// Play plays runs of a mutant with each strategy, until one shows what it must show, or
// as many as its budget are played. The first strategy decides, and says how many runs the
// others have. A healthy lock is played with the first one alone. step is called for every run.
func (h *Hunt) Play(ctx context.Context, settings campaign.Settings, m *Mutant, strategies []string, step func()) error {
	budget := m.Budget - h.From
	if m.Oracle == "" {
		strategies = strategies[:1]
		if Independent(strategies[0]) {
			budget = min(budget, healthyPart)
		}
	}
	var by []HuntBy
	for i, strategy := range strategies {
		e, err := m.explore(ctx, settings, strategy, uint64(h.From)+1, budget, step)
		if errors.Is(err, ErrBreaksNothing) && i > 0 {
			continue
		}
		if err == nil && e.Inconclusive == e.Played {
			err = fmt.Errorf("%s: %w: %s", m.Name, ErrNoVerdict, strings.Join(e.Failures, "; "))
		}
		if err != nil {
			return err
		}
		one := HuntBy{Strategy: strategy, Played: e.Played, Inconclusive: e.Inconclusive, Failures: e.Failures}
		if f, found := m.Caught(e); found {
			one.CaughtAfter = h.From + f.Run
		}
		by = append(by, one)
		if i == 0 && one.CaughtAfter > 0 {
			budget = min(m.Budget, max(60, 2*one.CaughtAfter))
		}
	}
	h.By = by
	return nil
}

// Found is what a strategy found in all parts of a hunt; false when it has no part in it.
func Found(parts []Hunt, strategy string) (all HuntBy, has bool) {
	for _, h := range parts {
		for _, by := range h.By {
			if by.Strategy != strategy {
				continue
			}
			has = true
			all.Strategy = strategy
			all.Played += by.Played
			all.Inconclusive += by.Inconclusive
			all.Failures = append(all.Failures, by.Failures...)
			all.Failures = all.Failures[:min(shownFailures, len(all.Failures))]
			if all.CaughtAfter == 0 {
				all.CaughtAfter = by.CaughtAfter
			}
		}
	}
	return all, has
}

// explore plays a mutant's runs from a number on, until one shows what it must show.
func (m *Mutant) explore(ctx context.Context, settings campaign.Settings, strategy string, first uint64, runs int, step func()) (*Exploration, error) {
	started, err := Start(strategy, first, m.Options())
	if err != nil {
		return nil, err
	}
	if m.scenario != nil && strategy == StrategyNames()[0] {
		started = &seeds{m.scenario, m.Options(), first}
	}
	e := &Exploration{Strategy: started, Runs: runs, Enough: func(e *Exploration) bool { _, found := m.Caught(e); return found }}
	return e, e.Play(ctx, settings, step)
}

// Find returns the first run that shows the bug, with the first strategy; false
// when the budget has none.
func (m *Mutant) Find(ctx context.Context, settings campaign.Settings, step func()) (Finding, bool, error) {
	e, err := m.explore(ctx, settings, StrategyNames()[0], 1, m.Budget, step)
	if err != nil {
		return Finding{}, false, err
	}
	f, found := m.Caught(e)
	return f, found, nil
}

// Caught is the first run that shows what the mutant must show; of a healthy lock,
// anything.
func (m *Mutant) Caught(e *Exploration) (first Finding, found bool) {
	for _, f := range e.Findings() {
		catches := m.Oracle == "" || f.Target.Oracle == m.Oracle && slices.Equal(f.Target.Broken, m.Broken)
		if catches && (!found || f.Run < first.Run) {
			first, found = f, true
		}
	}
	return first, found
}
