package report

import (
	"fmt"
	"slices"
	"strings"

	"redlocklab/checker"
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
	against  int              // violated runs that speak against the claim
	missed   int              // runs of measured claims that missed their goals
	measured int              // runs of measured claims
	oracles  []checker.Oracle // violated in any run, and explained
	bugs     []checker.Oracle // violated in any run with nothing that explains it
	broken   []string         // assumptions that explain violations
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
			if len(o.Answers.Violated()) > len(o.violated(c.Claim)) {
				t.missed += len(seeds)
			}
		}
		t.lost(here, o.violated(c.Claim), len(seeds))
		if len(o.Answers.Inconclusive()) > 0 || o.Failure != "" {
			t.open += len(seeds)
			keep(&t.firstOpen, here)
		}
	}
}

// lost takes in n runs that ended alike, with what they violated.
func (t *tally) lost(here *place, lost checker.Answers, n int) {
	if len(lost) == 0 {
		return
	}
	t.violated += n
	keep(&t.first, here)
	for _, answer := range lost {
		if !answer.Bug {
			t.broken = union(t.broken, answer.ExplainedBy, checker.Assumptions())
			t.oracles = union(t.oracles, []checker.Oracle{answer.Oracle}, checker.Oracles())
		}
	}
	against := len(about(lost, here.cell.Claim)) > 0
	if against {
		t.against += n
	}
	unexplained := lost.Bugs()
	switch {
	case len(unexplained) > 0:
		t.bare += n
		t.bugs = union(t.bugs, unexplained, checker.Oracles())
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

// violated are the violations that count in the runs of a claim.
func (o *Outcome) violated(claim string) checker.Answers {
	return slices.DeleteFunc(slices.Clone(o.Answers), func(answer checker.Answer) bool {
		return answer.Status != checker.Violated || !campaign.Counts(claim, answer.Oracle)
	})
}

// about are the violations that speak against a claim. RP-5 is about a fence at
// every access: what happens without one stands beside it for comparison.
func about(lost checker.Answers, claim string) checker.Answers {
	return slices.DeleteFunc(slices.Clone(lost), func(answer checker.Answer) bool {
		return claim == "RP-5" && (answer.Oracle == checker.OracleResourceUnfenced || answer.Oracle == checker.OracleResourceFencedWrites)
	})
}

// idle says why a cell that was played shows nothing: it has no violation, and a
// fault of its story fired in no run. Empty when it shows something.
func (c *Cell) idle() string {
	if slices.ContainsFunc(c.Outcomes, func(o Outcome) bool { return len(o.Answers) > 0 || o.Failure != "" }) {
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
