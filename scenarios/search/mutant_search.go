package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"redlocklab/scenarios/campaign"
)

// MutantSearch is the search for a mutant, and its results: one item of work. A healthy lock
// is searched in independent batches.
type MutantSearch struct {
	Name string `json:"name"` // of the mutant
	From int    `json:"from"` // runs of the batches before this one
	// By holds the results of each strategy, the first that decides, then the others. Strategies
	// that break no assumption are left out where the mutant needs one broken.
	By []StrategyResult `json:"by"`
}

// StrategyResult is what one strategy found.
type StrategyResult struct {
	Strategy     string   `json:"strategy"`
	Played       int      `json:"played"`
	CaughtAfter  int      `json:"caught_after"` // runs from the first batch's beginning; 0: not
	Inconclusive int      `json:"inconclusive"`
	Failures     []string `json:"failures,omitempty"` // of runs without a verdict; the first few
}

// healthyBatch is how many runs of a healthy lock are one item of work.
const healthyBatch = 500

// Searches lists the items of the search for a mutant, none of them played.
func (m *Mutant) Searches() []MutantSearch {
	if m.Oracle != "" {
		return []MutantSearch{{Name: m.Name}}
	}
	var batches []MutantSearch
	for from := 0; from < m.Budget; from += healthyBatch {
		batches = append(batches, MutantSearch{Name: m.Name, From: from})
	}
	return batches
}

// Play plays runs of a mutant with each strategy, until one shows what it must show, or
// as many as its budget are played. The first strategy decides, and says how many runs the
// others have. A healthy lock is played with the first one alone. step is called for every run.
func (s *MutantSearch) Play(
	ctx context.Context, settings campaign.Settings, m *Mutant, strategies []string, step func(),
) error {
	budget := m.Budget - s.From
	if m.Oracle == "" {
		strategies = strategies[:1]
		budget = min(budget, healthyBatch)
	}
	var by []StrategyResult
	for i, strategy := range strategies {
		e, err := m.explore(ctx, settings, strategy, uint64(s.From)+1, budget, step)
		if errors.Is(err, ErrBreaksNothing) && i > 0 {
			continue
		}
		if err == nil && e.Inconclusive == e.Played {
			err = fmt.Errorf("%s: %w: %s", m.Name, ErrNoVerdict, strings.Join(e.Failures, "; "))
		}
		if err != nil {
			return err
		}
		one := StrategyResult{Strategy: strategy, Played: e.Played, Inconclusive: e.Inconclusive, Failures: e.Failures}
		if f, found := m.Caught(e); found {
			one.CaughtAfter = s.From + f.Run
		}
		by = append(by, one)
		if i == 0 && one.CaughtAfter > 0 {
			budget = min(m.Budget, max(60, 2*one.CaughtAfter))
		}
	}
	s.By = by
	return nil
}

// Sum adds up the results of a strategy in all batches; false when it has none.
func Sum(batches []MutantSearch, strategy string) (all StrategyResult, found bool) {
	for _, s := range batches {
		for _, by := range s.By {
			if by.Strategy != strategy {
				continue
			}
			found = true
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
	return all, found
}

// explore plays a mutant's runs from a seed on, until one shows what it must show.
func (m *Mutant) explore(
	ctx context.Context, settings campaign.Settings, strategy string, first uint64, runs int, step func(),
) (*Exploration, error) {
	draw, err := Start(strategy, m.Trial())
	if err == nil && m.scenario != nil && strategy == StrategyNames()[0] {
		draw, err = seedsOf(m.scenario, m.Trial())
	}
	if err != nil {
		return nil, err
	}
	caught := func(e *Exploration) bool { _, found := m.Caught(e); return found }
	e := &Exploration{Draw: draw, First: first, Runs: runs, Enough: caught}
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
