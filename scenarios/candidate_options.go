package scenarios

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"redlocklab/scenarios/ci"
	"redlocklab/scenarios/plan"
)

// TestOption changes how [Test] plays the suite.
type TestOption func(*suiteTest)

// WithSeeds plays the seeds first to last of each scenario. Default 1 to 20, with -short
// 1 to 2.
func WithSeeds(first, last uint64) TestOption {
	return func(s *suiteTest) { s.first, s.last = first, last }
}

// WithBudget bounds the real time of the whole suite, by leaving out seeds. Each scenario is
// played with at least one seed, and says how many it has played. Default: no bound.
func WithBudget(d time.Duration) TestOption { return func(s *suiteTest) { s.budget = d } }

// WithScenarios plays these scenarios (see [Load]) instead of the built-in suite.
func WithScenarios(list ...*plan.Scenario) TestOption {
	return func(s *suiteTest) { s.suite = list }
}

// WithUndecided names scenarios that wait for something that never happens with this
// lock. With CI=true every other scenario must be decided.
func WithUndecided(names ...string) TestOption {
	return func(s *suiteTest) { s.undecided = append(s.undecided, names...) }
}

// WithKnown records a bug that is known: the scenario is skipped with the reason while it
// fails, and fails once it passes, so that the record is deleted when the bug is mended.
func WithKnown(name, reason string) TestOption {
	return func(s *suiteTest) { s.known[name] = reason }
}

// The environment variables that override the options. The last line of a failure uses
// them.
const (
	// SeedsVariable is "7" or "1-200"; all of them are played, whatever the budget.
	SeedsVariable = "REDLOCKLAB_SEEDS"
	// OutVariable is the folder that keeps the failing runs, relative to the test's. Without
	// it they go to the test's artifacts: go test -artifacts -outputdir out.
	OutVariable = "REDLOCKLAB_OUT"
	// PlanVariable is the folder of a saved run, or a plan.json, perhaps changed: the test plays
	// it alone. It says whether the trace is the same as when the run was saved (simulate
	// replay), what caused what was found (simulate why), and the smallest plan with its story
	// (simulate shrink). Together with OutVariable it saves both runs.
	PlanVariable = "REDLOCKLAB_PLAN"
	// SummaryVariable is a format, "md", "junit" or "github", and where to write it:
	// "junit:report.xml". Default files are GITHUB_STEP_SUMMARY or redlocklab.md, and
	// redlocklab.xml; annotations for GitHub go to standard output.
	SummaryVariable = ci.Variable
)

// suiteTest is one call of Test.
type suiteTest struct {
	candidate   Candidate
	suite       []*plan.Scenario
	first, last uint64
	budget      time.Duration // 0: none
	out         string
	undecided   []string // scenarios that need not be decided
	known       map[string]string
	summary     ci.Target
	ticks       int      // after which a run that does not rest is given up
	package_    string   // import path of the tested package
	hints       []string // what the candidate may have forgotten to state
	file        string   // that calls Test
	line        int

	outcomes []outcome // by scenario
	workers  *workers  // nil: this program plays
}

func newSuiteTest(candidate Candidate, options []TestOption) (*suiteTest, error) {
	s := &suiteTest{
		candidate: candidate, first: 1, last: 20, out: os.Getenv(OutVariable), known: map[string]string{},
		ticks: defaultTicks,
	}
	if testing.Short() {
		s.last = 2
	}
	for _, option := range options {
		option(s)
	}
	if text := os.Getenv(SeedsVariable); text != "" {
		seeds, err := plan.ParseSeeds(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", SeedsVariable, err)
		}
		s.first, s.last, s.budget = seeds.First, seeds.Last, 0
	}
	s.candidate.Name = cmp.Or(s.candidate.Name, "lock")
	var err error
	if s.summary, err = ci.ParseTarget(os.Getenv(SummaryVariable)); err != nil {
		return nil, fmt.Errorf("%s: %w", SummaryVariable, err)
	}
	switch {
	case s.candidate.New == nil:
		return nil, fmt.Errorf("scenarios: the candidate %s has no New", s.candidate.Name)
	case plan.CheckResource(s.candidate.Name) != nil:
		return nil, fmt.Errorf("scenarios: the candidate's name: %w", plan.CheckResource(s.candidate.Name))
	case s.last < s.first:
		return nil, fmt.Errorf("scenarios: found the seeds %d to %d; allowed: the larger one last", s.first, s.last)
	case s.budget < 0:
		return nil, fmt.Errorf("scenarios: found a budget of %v; allowed: more than 0", s.budget)
	}
	if s.suite == nil {
		if s.suite, err = Suite(); err != nil {
			return nil, err
		}
	}
	named := slices.AppendSeq(slices.Clone(s.undecided), maps.Keys(s.known))
	for _, name := range slices.Sorted(slices.Values(named)) {
		if !slices.ContainsFunc(s.suite, func(x *plan.Scenario) bool { return x.Name == name }) {
			return nil, fmt.Errorf("scenarios: WithUndecided or WithKnown: found %q; allowed: names of scenarios that are played", name)
		}
	}
	s.outcomes = make([]outcome, len(s.suite))
	return s, nil
}
