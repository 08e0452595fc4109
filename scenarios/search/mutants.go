package search

import (
	"strings"

	"redlocklab/checker"
	"redlocklab/scenarios/overlay"
	"redlocklab/scenarios/plan"
)

// Mutant is a lock with one bug planted in it, and who must find it; or a healthy
// lock, in which nobody must find anything.
type Mutant struct {
	Name    string
	Intent  string // what its author got wrong, in one line; of a healthy lock "healthy"
	Option  plan.Option
	Subject string
	Oracle  checker.Oracle // that must call it violated; "" for a healthy lock
	Broken  []string       // assumptions that the bug breaks by itself, in the ledger's order; mostly none
	Break   []string       // assumptions that its runs may break, for a repair that must do without them
	Budget  int            // within so many runs
	Story   string         // a scenario of the suite whose seeds decide, in place of drawn runs; "": none
	Sample  bool           // it is found so soon that every check of a change can afford it

	scenario *plan.Scenario // what Story names, once it was told
}

// Target is what a run must show that catches the mutant.
func (m Mutant) Target() Target { return Target{Oracle: m.Oracle, Broken: m.Broken} }

// Options are what the mutant's runs are drawn with.
func (m Mutant) Options() Options {
	o := Options{Subject: m.Subject, Break: m.Break}
	if m.Oracle != "" {
		o.Settings = []plan.Option{m.Option}
	}
	return o
}

// FindMutant returns the planted bug of this name.
func FindMutant(name string) (Mutant, bool) {
	for _, m := range Mutants() {
		if m.Name == name {
			return m, true
		}
	}
	return Mutant{}, false
}

// Mutants lists the planted bugs: switches of the textbook algorithm, then patches
// of package redlock's source, which are not in the sample. What the clocks of two of them do breaks an
// assumption for a lock that reads these clocks, and for no other; tokens that
// are used twice break one for any lock.
func Mutants() []Mutant {
	bug := func(name string, budget int, intent string) Mutant {
		return Mutant{
			Name: name, Intent: intent, Option: plan.Option{Name: "bug", Value: name}, Subject: "SY-0",
			Oracle: checker.OracleOverlap, Budget: budget, Sample: budget <= sampleBudget,
		}
	}
	set := func(name, option, value string, budget int, intent string) Mutant {
		m := bug(name, budget, intent)
		m.Option = plan.Option{Name: option, Value: value}
		return m
	}
	breaking := func(assumption string, m Mutant) Mutant {
		m.Broken = []string{assumption}
		return m
	}
	patch := func(name string, budget int) Mutant {
		p, _ := overlay.Find(name) // TestMutantsAreDeclared: all are there
		m := set("redlock:"+name, "patch", name, budget, p.Intent)
		m.Subject, m.Sample = "SY-10", false
		return m
	}
	told := func(story string, m Mutant) Mutant {
		m.Story, m.Budget = story, storyBudget
		return m
	}
	judged := func(oracle checker.Oracle, m Mutant) Mutant {
		m.Oracle = oracle
		return m
	}
	amnesiac := func(m Mutant) Mutant {
		m.Break = []string{checker.AssumptionVote}
		return breaking(checker.AssumptionVote, m)
	}
	return []Mutant{
		bug("no-allowance", 2000, "clocks agree, so nothing is taken off the validity"),
		bug("half-quorum", 400, "half of an even number is a majority"),
		bug("responders-quorum", 200, "a majority of the nodes that answer is a majority"),
		bug("minority-quorum", 200, "integer division without the one that is added"),
		bug("one-vote", 200, "the first node that agrees decides"),
		bug("overwriting-set", 200, "SET without NX"),
		bug("errors-vote", 200, "whoever does not refuse has agreed"),
		bug("short-keys", 400, "keys live shorter than the lease is believed"),
		bug("late-validity", 1000, "the validity begins when the last answer has come"),
		bug("blind-release", 200, "release deletes whatever key there is"),
		told("MX-5-two-steps", bug("split-release", 0, "whoever reads the own token in the key may delete the key with the next command")),
		bug("blind-clean-up", 200, "the clean-up of a lost attempt deletes whatever key there is"),
		bug("blind-commands", 200, "neither release nor extension compares the token"),
		bug("lone-extension", 2000, "one node that prolongs the key is enough"),
		bug("eager-extension", 2000, "one node is enough, and however late"),
		bug("late-extension-validity", 2000, "after an extension the validity begins when the last answer has come"),
		bug("adding-extension", 400, "an extension adds a TTL to what is left"),
		bug("no-extension-allowance", 4000, "nothing is taken off the validity of an extension"),
		bug("failed-extension-lengthens", 400, "the validity moves before it is known whether the extension counts"),
		breaking(checker.AssumptionToken, bug("token-per-client", 4000, "a client draws one token and keeps it: late commands of an attempt touch the next")),
		breaking(checker.AssumptionToken, set("shared-token", "token", "shared", 200, "all clients write the same value")),
		breaking(checker.AssumptionStep, set("wall-clock", "clock", "wall", 1000, "the validity is measured by the time of day")),
		breaking(checker.AssumptionRate, set("monotonic-clock", "clock", "monotonic", 1000, "the clock stands still while the host sleeps")),

		judged(checker.OracleFencingTokens, set("maximum-fence", "fence", "maximum", 400, "the largest count of a majority is the fencing token, and nobody is told of it")),
		judged(checker.OracleLiveness, set("one-after-another", "order", "sequential", 400, "the nodes are asked one after another, and each has its whole timeout")),
		patch("quorum-off-by-one", 400),
		patch("allowance-forgotten", 4000),
		patch("validity-from-answer", 2000),
		judged(checker.OracleLinearizability, patch("lapsed-lease-revived", 4000)),
		patch("failed-extension-counts", 4000),
		patch("failed-extension-lengthens", 400),
		patch("release-by-plain-delete", 400),
		patch("errors-vote", 400),
		told("MX-8-noscript", judged(checker.OracleLinearizability, patch("extension-resent-late", 0))),
		told("MX-8-noscript-blocks", judged(checker.OracleLiveness, patch("abandoned-extension-stays", 0))),
		told("MX-8-paused", judged(checker.OracleLiveness, patch("no-check-at-the-end", 0))),
		told("MX-8-stale", judged(checker.OracleLiveness, patch("no-deadline-before-a-resending", 0))),
		told("MX-8-deleted", judged(checker.OracleLiveness, breaking(checker.AssumptionOwner, patch("driver-repeats-an-extension", 0)))),
		told("MX-1-down", patch("ring-accepted", 0)),
		told("LV-2-lockers", judged(checker.OracleLiveness, patch("connections-kept", 0))),
		told("LV-2-patient", judged(checker.OracleLiveness, patch("round-outlives-its-validity", 0))),
		told("BA-9-swapped", judged(checker.OracleLiveness, patch("same-server-for-ever", 0))),
		told("LV-11-refused", judged(checker.OracleLiveness, patch("failed-release-forgotten", 0))),
		patch("responders-quorum", 400),
		patch("validity-from-first-reply", 4000),
		judged(checker.OracleLiveness, patch("fence-from-last-vote", 4000)),
		judged(checker.OracleFencingTokens, patch("fence-without-majority", 4000)),
		judged(checker.OracleLinearizability, patch("nil-counted-twice", 4000)),
		judged(checker.OracleLiveness, patch("release-to-voters-only", 4000)),
		judged(checker.OracleLiveness, patch("late-key-stays", 4000)),
		judged(checker.OracleLiveness, patch("extension-without-deadline", 4000)),
		amnesiac(patch("guard-too-short", 1000)),
		amnesiac(patch("unverified-vote", 2000)),
	}
}

// storyBudget is the budget of a mutant that a scenario of the suite catches.
const storyBudget = 100

// sampleBudget is the largest budget of a mutant in the sample.
const sampleBudget = 200

// Healthy lists what must not be caught in the largest budget: the locks that the
// bugs are planted in, where their runs may break no more than a bug's runs may.
func Healthy() []Mutant {
	var list []Mutant
	for _, o := range []Options{{Subject: "SY-0"}, {Subject: "SY-10"}, {Subject: "SY-10", Break: []string{checker.AssumptionVote}}} {
		list = append(list, Mutant{Name: strings.Join(append([]string{o.Subject}, o.Break...), ":"), Intent: "healthy", Subject: o.Subject, Break: o.Break})
	}
	return list
}
