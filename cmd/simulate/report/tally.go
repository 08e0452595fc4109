package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"redlocklab/checker"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
)

// tally sums up the runs of cells.
type tally struct {
	cells    int // that show something
	idle     int // that were played and show nothing: a fault never fired
	runs     int
	violated int
	open     int              // inconclusive runs
	against  int              // violated runs that speak against the claim
	missed   int              // runs of measured claims that missed their goals
	measured int              // runs of measured claims
	oracles  []checker.Oracle // violated in any run, and explained
	bugs     []checker.Oracle // violated in any run, and not explained
	broken   []string         // assumptions that explain violations
	causes   []Cause          // of the violations that nothing explains
	own      int              // violated runs that are the lock's own mistake
	bare     int              // violated runs that nothing explains completely

	firstClean  *witness // the first of these in which no assumption was broken
	firstBare   *witness // … in which some were broken
	firstBroken *witness // the first run that speaks against the claim and is explained
	first       *witness // the first violated run
	firstOpen   *witness
}

// witness is a run that shows something: the first of those with one ending.
type witness struct {
	cell   *Cell
	seed   uint64
	ending *Ending
}

func (p *witness) command() string {
	job := campaign.Job{Scenario: &plan.Scenario{Name: p.cell.Scenario, Path: "suite/"}, Subject: p.cell.Subject}
	return campaign.ReplayCommand(&job, p.seed)
}

func (in *Input) tally(cells ...*Cell) *tally {
	t := &tally{}
	for _, c := range cells {
		switch {
		case c.NotApplicable != "":
			continue
		case c.idle() != "":
			t.idle++
		default:
			t.cells++
		}
		for i := range c.Endings {
			if o := &c.Endings[i]; len(o.Seeds) > 0 {
				t.add(&witness{c, o.Seeds[0], o}, in.causesOf(c))
			}
		}
	}
	return t
}

// add adds the runs of an outcome. whose are the causes of what nothing explains.
func (t *tally) add(here *witness, whose []Cause) {
	o, claim, n := here.ending, here.cell.Claim, len(here.ending.Seeds)
	lost := campaign.Counted(o.Answers, claim)
	t.runs += n
	if plan.Measured(claim) {
		t.measured += n
		if len(o.Answers.Violated()) > len(lost) {
			t.missed += n
		}
	}
	if len(o.Answers.Inconclusive()) > 0 || o.Failure != "" {
		t.open += n
		t.firstOpen = cmp.Or(t.firstOpen, here)
	}
	if len(lost) == 0 {
		return
	}
	t.violated += n
	t.first = cmp.Or(t.first, here)
	for _, answer := range lost {
		if !answer.Bug {
			t.broken = union(t.broken, answer.ExplainedBy, checker.Assumptions())
			t.oracles = union(t.oracles, []checker.Oracle{answer.Oracle}, checker.Oracles())
		}
	}
	against := len(about(lost, claim)) > 0
	if against {
		t.against += n
	}
	switch bugs := lost.Bugs(); {
	case len(bugs) > 0:
		t.bare += n
		t.bugs = union(t.bugs, bugs, checker.Oracles())
		t.causes = union(t.causes, whose, causes)
		if slices.Contains(whose, CauseLock) {
			t.own += n
		}
		if len(o.Broken) == 0 {
			t.firstClean = cmp.Or(t.firstClean, here)
		} else {
			t.firstBare = cmp.Or(t.firstBare, here)
		}
	case against:
		t.firstBroken = cmp.Or(t.firstBroken, here)
	}
}

// bareRun is the run that shows best what nothing explains; nil when there is none.
func (t *tally) bareRun() *witness { return cmp.Or(t.firstClean, t.firstBare) }

// about are the violations that speak against a claim. RP-5 is about a fence at
// every access; the registers without one are there for comparison.
func about(lost checker.Answers, claim string) checker.Answers {
	return slices.DeleteFunc(slices.Clone(lost), func(answer checker.Answer) bool {
		unfenced := answer.Oracle == checker.OracleResourceUnfenced
		return claim == "RP-5" && (unfenced || answer.Oracle == checker.OracleResourceFencedWrites)
	})
}

// idle says why a cell that was played shows nothing: it has no violation, and a
// fault of its story fired in no run. Empty when it shows something.
func (c *Cell) idle() string {
	if slices.ContainsFunc(c.Endings, func(o Ending) bool { return len(o.Answers) > 0 || o.Failure != "" }) {
		return ""
	}
	return campaign.NeverFired(c.Faults)
}

// union lists what is in one of two sets, in the order of all.
func union[T comparable](have, more, all []T) []T {
	var list []T
	for _, x := range all {
		if slices.Contains(have, x) || slices.Contains(more, x) {
			list = append(list, x)
		}
	}
	return list
}

// word is the tally in one word, with what explains a violation.
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
