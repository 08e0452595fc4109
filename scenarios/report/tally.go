package report

import (
	"fmt"
	"slices"
	"strings"

	"redlocklab/scenarios"
	"redlocklab/scenarios/campaign"
)

// tally sums up runs: of one cell, or of several.
type tally struct {
	cells, runs, violated, open int
	oracles                     []scenarios.Oracle // violated in any run
	broken                      []string           // in any run that was violated
	causesOf                    func(*Cell) []Cause
	causes                      []Cause // of the violations in which nothing was broken
	own                         int     // violated runs that are the lock's own mistake
	bare                        int     // violated runs in which nothing was broken
	reason                      string  // why nothing was played, when nothing was
	first                       *place  // the first violated run
	firstBare                   *place  // … in which nothing was broken
	firstBroken                 *place  // … in which something was
	firstOpen                   *place
}

// place is where to see a run.
type place struct {
	cell    *Cell
	seed    uint64
	outcome *Outcome
}

// command plays the run again.
func (p *place) command() string {
	job := campaign.Job{Scenario: &scenarios.Scenario{Name: p.cell.Scenario, Path: "suite/"}, Subject: p.cell.Subject}
	return campaign.ReplayCommand(&job, p.seed)
}

// add takes in a cell.
func (t *tally) add(c *Cell) {
	if c.NotApplicable != "" {
		if t.reason == "" {
			t.reason = c.NotApplicable
		}
		return
	}
	t.cells++
	for i := range c.Outcomes {
		o := &c.Outcomes[i]
		seeds, err := o.seeds()
		if err != nil || len(seeds) == 0 {
			continue // Load refused it
		}
		t.runs += len(seeds)
		here := &place{c, seeds[0], o}
		if violated := o.about(c.Claim); len(violated) > 0 {
			t.violated += len(seeds)
			t.oracles = union(t.oracles, violated, scenarios.Oracles())
			t.broken = union(t.broken, o.Broken, scenarios.Assumptions())
			keep(&t.first, here)
			if len(o.Broken) == 0 {
				t.bare += len(seeds)
				of := t.causesOf(c)
				t.causes = union(t.causes, of, causes)
				if slices.Contains(of, CauseLock) {
					t.own += len(seeds)
				}
				keep(&t.firstBare, here)
			} else {
				keep(&t.firstBroken, here)
			}
		}
		if len(o.Inconclusive) > 0 || o.Failure != "" {
			t.open += len(seeds)
			keep(&t.firstOpen, here)
		}
	}
}

// about are the violated oracles that speak of a claim. RP-5 is about a fence at
// every access: what happens without one stands beside it for comparison.
func (o *Outcome) about(claim string) []scenarios.Oracle {
	if claim != "RP-5" {
		return o.Violated
	}
	return slices.DeleteFunc(slices.Clone(o.Violated), func(oracle scenarios.Oracle) bool {
		return oracle == scenarios.OracleResourceUnfenced || oracle == scenarios.OracleResourceFencedWrites
	})
}

func keep(into **place, p *place) {
	if *into == nil {
		*into = p
	}
}

// union adds what is missing, in the order of all.
func union[T comparable](have, more, all []T) []T {
	var list []T
	for _, x := range all {
		if slices.Contains(have, x) || slices.Contains(more, x) {
			list = append(list, x)
		}
	}
	return list
}

// word is the tally in one word, with the assumptions behind a violation.
func (t *tally) word() string {
	switch {
	case t.cells == 0:
		return "n/a"
	case t.own > 0:
		return "**violated**"
	case t.violated > 0:
		behind := slices.Clone(t.broken)
		for _, cause := range t.causes {
			behind = append(behind, string(cause))
		}
		return "violated (" + strings.Join(behind, ", ") + ")"
	case t.open > 0:
		return "inconclusive"
	default:
		return "holds"
	}
}

// share is "k of n".
func share(k, n int) string {
	if k == n {
		return fmt.Sprintf("all %d", n)
	}
	return fmt.Sprintf("%d of %d", k, n)
}
