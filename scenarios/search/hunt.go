package search

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"redlocklab/scenarios/campaign"
)

// Hunt is how far the search for a mutant has come with one strategy.
type Hunt struct {
	Name         string   `json:"name"` // of the mutant
	Strategy     string   `json:"strategy"`
	Played       int      `json:"played"`
	CaughtAfter  int      `json:"caught_after"` // runs; 0: not yet
	Inconclusive int      `json:"inconclusive"`
	Failures     []string `json:"failures,omitempty"` // of runs without a verdict; the first few
	Milliseconds int64    `json:"milliseconds"`       // that it took
}

// healthyPart is after how many runs a hunt in a healthy lock is kept.
const healthyPart = 500

// Play plays runs of a mutant until one shows what it must show, or as many as the
// budget are played. What is done already is not played again: a whole hunt or, where what is
// drawn does not depend on what was found, its beginning. kept is called after each
// part, step for every run.
func (h *Hunt) Play(ctx context.Context, settings campaign.Settings, m *Mutant, budget int, kept, step func()) error {
	for h.CaughtAfter == 0 && h.Played < budget {
		runs := budget - h.Played
		if m.Oracle == "" && Independent(h.Strategy) {
			runs = min(healthyPart, runs)
		}
		began := time.Now()
		e, err := m.explore(ctx, settings, h.Strategy, uint64(h.Played)+1, runs, step)
		if err != nil {
			return err
		}
		if e.Inconclusive == e.Played {
			return fmt.Errorf("%s: %w: %s", m.Name, ErrNoVerdict, strings.Join(e.Failures, "; "))
		}
		h.Inconclusive += e.Inconclusive
		h.Failures = append(h.Failures, e.Failures...)
		h.Failures = h.Failures[:min(shownFailures, len(h.Failures))]
		if f, found := m.Caught(e); found {
			h.CaughtAfter = h.Played + f.Run
		}
		h.Played += e.Played
		h.Milliseconds += time.Since(began).Milliseconds()
		kept()
		if e.Played < runs {
			break // caught, or the strategy has no more
		}
	}
	return nil
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

// Hunts are what the search for mutants has done so far, by mutant and strategy.
type Hunts map[[2]string]*Hunt

// Of is a hunt, a new one if it has not begun.
func (s Hunts) Of(name, strategy string) *Hunt {
	key := [2]string{name, strategy}
	if s[key] == nil {
		s[key] = &Hunt{Name: name, Strategy: strategy}
	}
	return s[key]
}

// Runs counts the runs that are done.
func (s Hunts) Runs() (n int) {
	for _, h := range s {
		n += h.Played
	}
	return n
}
