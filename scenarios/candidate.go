package scenarios

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/matrix"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// Candidate is a lock of the caller's own, as the suite needs it. New is required. Its
// leases should be [Reporter]s: otherwise the laboratory reads the whole TTL, which
// clocks that err do not give.
type Candidate struct {
	// Name is what stories call the lock; default "lock".
	Name string
	// New makes the lock of one client. It gets one go-redis client per node or a
	// dialer, the client's clocks, a random source and a logger. The functions that the
	// lock gives to [Environment.OnEnd] must end everything that it starts.
	New func(e lock.Environment) (lock.Locker, error)
	// Clock is the client's clock that measures validity, read through
	// [Environment.Now]; default none. A lock that calls time.Now reads true time: say
	// [sim.True], and scenarios in which clients' clocks err are left out.
	Clock sim.ClockKind
	// Abilities decide which scenarios are applicable to the lock.
	Abilities plan.Abilities
	// ReleaseConfirms says that a release without an error proves that the client still
	// owned the lock.
	ReleaseConfirms bool
}

// TestOption changes how [Test] plays the suite.
type TestOption func(*suiteTest)

// WithSeeds plays the seeds first to last of each scenario, while the budget
// lasts. Default 1 to 20, with -short 1 to 2.
func WithSeeds(first, last uint64) TestOption {
	return func(s *suiteTest) { s.first, s.last = first, last }
}

// WithBudget bounds the real time of the whole suite. Each scenario is played
// with at least one seed. Default 45 s.
func WithBudget(d time.Duration) TestOption { return func(s *suiteTest) { s.budget = d } }

// WithScenarios plays these scenarios (see [Load]) instead of the built-in suite.
func WithScenarios(list ...*plan.Scenario) TestOption {
	return func(s *suiteTest) { s.suite = list }
}

// WithUndecided names scenarios that wait for something that never happens with this
// lock. With CI=true every other scenario must be decided.
func WithUndecided(names ...string) TestOption {
	return func(s *suiteTest) { s.undecided = names }
}

// The environment variables that override the options. The last line of a failure uses
// them.
const (
	SeedsVariable = "REDLOCKLAB_SEEDS" // "7" or "1-200"; all of them are played, whatever the budget
	OutVariable   = "REDLOCKLAB_OUT"   // folder that keeps the first failing run of each scenario; relative to the test's
)

// Test puts a lock under the suite: one subtest per scenario, named after it, so
// that -run selects.
//
// A subtest fails when an oracle is violated and no broken assumption explains it: that
// is a bug in the lock. A violation that a broken assumption explains is logged (-v
// shows it), because nothing was promised there.
//
// A scenario that is not applicable to the lock is skipped with the reason. So is one in
// which an oracle is inconclusive or a bound ended a run; standard error says so. With
// CI=true such a scenario fails, unless [WithUndecided] names it.
//
// A failure tells the story of the run and the last errors of its attempts. It ends with
// the command that plays the run again, from any folder of the test's module.
//
//	func TestMyLock(t *testing.T) {
//		scenarios.Test(t, scenarios.Candidate{New: newMyLock})
//	}
func Test(t *testing.T, candidate Candidate, options ...TestOption) {
	t.Helper()
	s, err := newSuiteTest(candidate, options)
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	for i, scenario := range s.suite {
		until := begin.Add(s.budget * time.Duration(i+1) / time.Duration(len(s.suite)))
		t.Run(scenario.Name, func(t *testing.T) { s.scenario(t, scenario, until) })
	}
}

// suiteTest is one call of Test.
type suiteTest struct {
	candidate   Candidate
	suite       []*plan.Scenario
	first, last uint64
	budget      time.Duration
	out         string
	undecided   []string // scenarios that need not be decided
}

func newSuiteTest(candidate Candidate, options []TestOption) (*suiteTest, error) {
	s := &suiteTest{candidate: candidate, first: 1, last: 20, budget: 45 * time.Second, out: os.Getenv(OutVariable)}
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
		s.first, s.last, s.budget = seeds.First, seeds.Last, 24*time.Hour
	}
	if s.candidate.Name == "" {
		s.candidate.Name = "lock"
	}
	switch {
	case s.candidate.New == nil:
		return nil, fmt.Errorf("scenarios: the candidate %s has no New", s.candidate.Name)
	case plan.CheckResource(s.candidate.Name) != nil:
		return nil, fmt.Errorf("scenarios: the candidate's name: %w", plan.CheckResource(s.candidate.Name))
	case s.last < s.first:
		return nil, fmt.Errorf("scenarios: found the seeds %d to %d; allowed: the larger one last", s.first, s.last)
	case s.budget <= 0:
		return nil, fmt.Errorf("scenarios: found a budget of %v; allowed: more than 0", s.budget)
	}
	if s.suite == nil {
		suite, err := Suite()
		if err != nil {
			return nil, err
		}
		s.suite = suite
	}
	for _, name := range s.undecided {
		if !slices.ContainsFunc(s.suite, func(x *plan.Scenario) bool { return x.Name == name }) {
			return nil, fmt.Errorf("scenarios: WithUndecided: found %q; allowed: names of scenarios that are played", name)
		}
	}
	return s, nil
}

// implementation is the candidate as package lock registers subjects.
func (c *Candidate) implementation() lock.Implementation {
	return lock.Implementation{
		Clock:           func(func(string, string) string) sim.ClockKind { return c.Clock },
		ReleaseConfirms: c.ReleaseConfirms,
		New:             c.New,
	}
}

// notApplicable says why a scenario is not applicable to the lock; empty when it is.
func (c *Candidate) notApplicable(s *plan.Scenario) string {
	plain := func(x plan.Subject) bool { return x.Option("driver", "plain") == "plain" }
	if len(s.Subjects) > 0 && !slices.ContainsFunc(s.Subjects, plain) {
		return "it is about a driver that sends commands again by itself, and this lock is given one that does not"
	}
	if strings.HasPrefix(s.Claim, "SY-") {
		return "it is the story of another lock's algorithm"
	}
	return matrix.NotApplicable(s, c.Abilities, c.Clock)
}

// in is a copy of the scenario with the candidate as its only subject.
func (c *Candidate) in(s *plan.Scenario) *plan.Scenario {
	mine := *s
	expect := map[checker.Oracle]checker.Status{}
	for _, oracle := range checker.Oracles() {
		expect[oracle] = checker.Holds
	}
	mine.Subjects = []plan.Subject{{Name: c.Name, Expect: expect, Runs: plan.RunsSome}}
	return &mine
}
