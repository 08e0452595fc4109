package scenarios

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"runtime"
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
	// dialer, the client's clocks, a random source and a logger. It may dial and wait: it is
	// called when the run begins, and again after 100 ms if it fails because nodes are
	// down. The functions that the lock gives to [Environment.OnEnd] must end everything
	// that it starts.
	New func(e lock.Environment) (lock.Locker, error)
	// Clock is the client's clock that measures validity, read through
	// [Environment.Now]. A lock that calls time.Now reads true time: say [sim.True], and
	// scenarios in which clients' clocks err are left out. That is the default of a lock
	// whose leases report nothing.
	Clock sim.ClockKind
	// Abilities decide which scenarios are applicable to the lock.
	Abilities plan.Abilities
	// ReleaseConfirms says that a release without an error proves that the client still
	// owned the lock.
	ReleaseConfirms bool
}

// Test puts a lock under the suite: one parallel subtest per scenario, named after it, so
// that -run selects.
//
// A subtest fails when an oracle is violated and no broken assumption explains it: that
// is a bug in the lock. A violation that a broken assumption explains is logged (-v
// shows it), because nothing was promised there. What a claim only measures (LV-5, LV-10)
// is logged as numbers.
//
// A scenario that is not applicable to the lock is skipped with the reason. So is one in
// which an oracle is inconclusive, a client gave up, or a bound ended a run; standard error
// says so. With CI=true such a scenario fails, unless [WithUndecided] names it.
//
// When all subtests are over, each bug is told once, however many scenarios show it: what
// the commands did to the keys, the smallest plan that still shows it, its story, and the
// command that plays it again, from any folder of the test's module.
//
//	func TestMyLock(t *testing.T) {
//		scenarios.Test(t, scenarios.Candidate{New: newMyLock})
//	}
//
// What New must return: a [Locker] with two methods, whose [Lease] has one. If a lease
// is also a [Reporter], [Extender], [Tokened], [Fenced] or [Renewing], the suite uses it.
// A lease that ends with a context is a [ContextLease]. The context of an acquisition ends
// when the call returns.
//
//	type locker struct{ e scenarios.Environment }
//
//	func (l locker) TryLock(ctx context.Context, resource string) (scenarios.Lease, error) {
//		…one attempt: e.Redis[i] are go-redis clients, e.Lock.TTL is the TTL to use…
//	}
//
//	func (l locker) Lock(ctx context.Context, resource string) (scenarios.Lease, error) {
//		return l.e.Retry(ctx, func() (scenarios.Lease, error) { return l.TryLock(ctx, resource) })
//	}
//
// [Environment] replaces the lock's clock, randomness and dialer, so that one seed is one run.
// The package's examples are whole locks.
//
// Keep the test in a module of its own, so that the lock's go.mod stays as it is. Here is
// mylock/suite/go.mod, beside mylock/suite/lock_test.go; go mod tidy completes it:
//
//	module example.com/mylock/suite
//	go 1.26
//	require (
//		example.com/mylock v0.0.0
//		redlocklab v0.0.0
//	)
//	replace (
//		example.com/mylock => ..
//		redlocklab => /path/of/its/checkout
//	)
//
// A lock on one node, one that can be extended, and so on, say so in [Candidate]'s
// Abilities: go doc redlocklab/scenarios/plan.Abilities. Environment, Lease and what a lease
// may offer are explained by go doc redlocklab/scenarios/lock.Environment and so on.
//
// The scenarios are played by further processes of the test's program, so that nothing that the lock
// does ends the test. The code before Test runs in each of them.
//
// Environment variables change how a test plays: [SeedsVariable], [OutVariable],
// [SummaryVariable], [PlanVariable], [WorkersVariable].
func Test(t *testing.T, candidate Candidate, options ...TestOption) {
	t.Helper()
	s, err := newSuiteTest(candidate, options)
	if err != nil {
		t.Fatal(err)
	}
	s.package_ = testedPackage()
	if _, file, line, ok := runtime.Caller(1); ok {
		s.file, s.line = relative(file), line
	}
	call, of := callOf(t), os.Getenv(workerVariable)
	switch path := os.Getenv(PlanVariable); {
	case of == call:
		if err := s.serve(); err != nil {
			t.Fatal(err)
		}
		t.SkipNow() // what the test does after this is not the worker's
	case of != "":
		return // it works for a later call
	case path != "":
		s.keepArtifacts(t)
		s.savedPlan(t, path)
		return
	}
	s.keepArtifacts(t)
	if s.workers, err = hireFor(t, call); err != nil {
		t.Fatal(err)
	}
	if err := s.probed(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.finish(t)
		s.workers.dismiss(t)
	})
	for i, scenario := range s.suite {
		t.Run(scenario.Name, func(t *testing.T) {
			t.Parallel()
			s.scenario(t, scenario, &s.outcomes[i])
		})
	}
}

// relative is a file as annotations need it: relative to the checkout, or to this folder.
func relative(file string) string {
	root := os.Getenv("GITHUB_WORKSPACE")
	if root == "" {
		root, _ = os.Getwd() // then the file stays as it is
	}
	if inside, err := filepath.Rel(root, file); err == nil && !strings.HasPrefix(inside, "..") {
		return filepath.ToSlash(inside)
	}
	return file
}

// keepArtifacts keeps failing runs among the test's artifacts, where go test keeps them (-artifacts)
// and [OutVariable] names no folder.
func (s *suiteTest) keepArtifacts(t *testing.T) {
	if f := flag.Lookup("test.artifacts"); s.out == "" && f != nil && f.Value.String() == "true" {
		s.out = t.ArtifactDir()
	}
}

// probed has the probe made, by a worker where there are any. If it ends the worker, the subtests
// will say so.
func (s *suiteTest) probed() error {
	if s.workers == nil {
		return s.probe()
	}
	a, death := s.workers.ask(job{Do: probeJob})
	if death != "" {
		return nil
	}
	s.candidate.Clock, s.hints = a.Clock, a.Hints
	if a.Error != "" {
		return errors.New(a.Error)
	}
	return nil
}

// share is the real time that one scenario may take of a budget for all.
func (s *suiteTest) share() time.Duration {
	return s.budget * time.Duration(runtime.GOMAXPROCS(0)) / time.Duration(len(s.suite))
}

// retrying is the option of a driver that sends commands again by itself.
var retrying = plan.Option{Name: "driver", Value: "retrying"}

// notApplicable says why a scenario is not applicable to the lock; empty when it is.
func (c *Candidate) notApplicable(s *plan.Scenario) string {
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
	row := plan.Subject{Name: c.Name, Expect: expect, Runs: plan.RunsSome}
	if matrix.AboutRetries(s) {
		row.Options = []plan.Option{retrying}
	}
	mine.Subjects = []plan.Subject{row}
	mine.Liveness = append(slices.Clone(s.Liveness), leftKeys(s)...)
	return &mine
}

// leftKeys are the goals that every lock has where nothing goes wrong: what a release, or an
// acquisition that failed, gives up is gone when its commands have had the time of two nodes'
// timeouts. A key that expires sooner than that says nothing.
func leftKeys(s *plan.Scenario) (goals []plan.Goal) {
	within, err := s.Bound("2*node_timeout")
	if err != nil || within.Value >= s.Lock.TTL/2 || len(s.Faults) > 0 || s.Network.LossPPM > 0 {
		return nil
	}
	has := func(kinds ...plan.StepKind) bool {
		return slices.ContainsFunc(s.Clients, func(c plan.Client) bool { return slices.ContainsFunc(kinds, c.Does) })
	}
	goal := plan.Goal{Claim: "LV-11", Client: plan.AnyClient, Each: plan.EachClears, Within: within}
	if goal.Does = "acquire"; has(plan.StepLock, plan.StepTryLock) {
		goals = append(goals, goal)
	}
	if goal.Does = "release"; has(plan.StepRelease) {
		goals = append(goals, goal)
	}
	return goals
}
