package report

import (
	"fmt"
	"slices"
	"strings"

	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
)

// tally sums up runs: of one cell, or of several.
type tally struct {
	cells    int // that show something
	idle     int // that were played and show nothing: a fault never fired
	runs     int
	violated int
	open     int
	against  int           // violated runs that speak against the claim
	missed   int           // runs of measured claims that missed their goals
	measured int           // runs of measured claims
	oracles  []plan.Oracle // violated in any run, and explained
	bugs     []plan.Oracle // violated in any run with nothing that explains it
	broken   []string      // assumptions that explain violations
	causesOf func(*Cell) []Cause
	causes   []Cause // of the violations that nothing explains
	own      int     // violated runs that are the lock's own mistake
	bare     int     // violated runs with something that nothing explains

	firstClean  *place // the first such run in which no assumption was broken
	firstBare   *place // … in which some were, which explain nothing of it
	firstBroken *place // the first run that speaks against the claim, with all of it explained
	first       *place // the first violated run
	firstOpen   *place
}

// place is where to see a run.
type place struct {
	cell    *Cell
	seed    uint64
	outcome *Outcome
}

// command plays the run again.
func (p *place) command() string {
	job := campaign.Job{Scenario: &plan.Scenario{Name: p.cell.Scenario, Path: "suite/"}, Subject: p.cell.Subject}
	return campaign.ReplayCommand(&job, p.seed)
}

// add takes in a cell.
func (t *tally) add(c *Cell) {
	switch {
	case c.NotApplicable != "":
		return
	case c.idle() != "":
		t.idle++
	default:
		t.cells++
	}
	for i := range c.Outcomes {
		o := &c.Outcomes[i]
		seeds, err := o.seeds()
		if err != nil || len(seeds) == 0 {
			continue // Load refused it
		}
		t.runs += len(seeds)
		here := &place{c, seeds[0], o}
		if plan.Measured(c.Claim) {
			t.measured += len(seeds)
			if len(o.Violated) > len(o.losses(c.Claim)) {
				t.missed += len(seeds)
			}
		}
		t.lost(here, o.losses(c.Claim), len(seeds))
		if len(o.Inconclusive) > 0 || o.Failure != "" {
			t.open += len(seeds)
			keep(&t.firstOpen, here)
		}
	}
}

// lost takes in n runs that ended alike, with what they lost.
func (t *tally) lost(here *place, lost []Violation, n int) {
	if len(lost) == 0 {
		return
	}
	t.violated += n
	keep(&t.first, here)
	for _, v := range lost {
		if !v.Bug {
			t.broken = union(t.broken, v.ExplainedBy, plan.Assumptions())
			t.oracles = union(t.oracles, []plan.Oracle{v.Oracle}, plan.Oracles())
		}
	}
	against := len(about(lost, here.cell.Claim)) > 0
	if against {
		t.against += n
	}
	unexplained := bugs(lost)
	switch {
	case len(unexplained) > 0:
		t.bare += n
		t.bugs = union(t.bugs, unexplained, plan.Oracles())
		of := t.causesOf(here.cell)
		t.causes = union(t.causes, of, causes)
		if slices.Contains(of, CauseLock) {
			t.own += n
		}
		if len(here.outcome.Broken) == 0 {
			keep(&t.firstClean, here)
		} else {
			keep(&t.firstBare, here)
		}
	case against:
		keep(&t.firstBroken, here)
	}
}

// bareRun is the run that shows best what nothing explains; nil when there is none.
func (t *tally) bareRun() *place {
	if t.firstClean != nil {
		return t.firstClean
	}
	return t.firstBare
}

// losses are the violations that count, in the runs of a claim.
func (o *Outcome) losses(claim string) []Violation {
	return slices.DeleteFunc(slices.Clone(o.Violated), func(v Violation) bool { return !campaign.Counts(claim, v.Oracle) })
}

// about are the violations that speak against a claim. RP-5 is about a fence at
// every access: what happens without one stands beside it for comparison.
func about(lost []Violation, claim string) []Violation {
	return slices.DeleteFunc(slices.Clone(lost), func(v Violation) bool {
		return claim == "RP-5" && (v.Oracle == plan.OracleResourceUnfenced || v.Oracle == plan.OracleResourceFencedWrites)
	})
}

// bugs names the oracles that are violated with nothing to explain it.
func bugs(lost []Violation) []plan.Oracle {
	var list []plan.Oracle
	for _, v := range lost {
		if v.Bug {
			list = append(list, v.Oracle)
		}
	}
	return list
}

// names are the oracles of violations.
func names(lost []Violation) []plan.Oracle {
	list := make([]plan.Oracle, len(lost))
	for i, v := range lost {
		list[i] = v.Oracle
	}
	return list
}

// idle says why a cell that was played shows nothing: it has no violation, and a
// fault of its story fired in no run. Empty when it shows something.
func (c *Cell) idle() string {
	if slices.ContainsFunc(c.Outcomes, func(o Outcome) bool { return len(o.Violated)+len(o.Inconclusive) > 0 || o.Failure != "" }) {
		return ""
	}
	return campaign.NeverFired(c.Faults)
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
	case t.against > 0:
		behind := slices.Clone(t.broken)
		for _, cause := range t.causes {
			behind = append(behind, string(cause))
		}
		return "violated (" + strings.Join(behind, ", ") + ")"
	case t.open > 0:
		return "inconclusive"
	case t.measured > 0:
		return fmt.Sprintf("measured: %d of %d", t.missed, t.measured)
	case t.violated > 0:
		return "holds; without a fence at every access violated (" + strings.Join(t.broken, ", ") + ")"
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
