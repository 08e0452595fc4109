package scenarios

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios/cause"
	"redlocklab/scenarios/ci"
	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/sim"
)

func TestCandidateProblems(t *testing.T) {
	made := func(lock.Environment) (lock.Locker, error) { return nil, nil }
	for _, test := range []struct {
		candidate Candidate
		option    TestOption
		seeds     string
		want      string
	}{
		{Candidate{}, nil, "", "has no New"},
		{Candidate{New: made, Name: "my lock"}, nil, "", `found "my lock"`},
		{Candidate{New: made}, WithSeeds(3, 2), "", "the larger one last"},
		{Candidate{New: made}, WithBudget(-time.Second), "", "more than 0"},
		{Candidate{New: made}, WithKnown("no such story", "why"), "", `found "no such story"`},
		{Candidate{New: made}, WithUndecided("no such story"), "", `found "no such story"`},
		{Candidate{New: made}, nil, "one", `REDLOCKLAB_SEEDS: found "one"`},
		{Candidate{New: made}, nil, "9-3", `found "9-3"`},
	} {
		t.Setenv(SeedsVariable, test.seeds)
		var options []TestOption
		if test.option != nil {
			options = append(options, test.option)
		}
		if _, err := newSuiteTest(test.candidate, options); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: got %v, want %q", test.candidate, err, test.want)
		}
	}
}

// careless is SET NX PX that is released by DEL, with a token that differs from
// run to run where it shows.
type careless struct {
	lock.Environment
	stray *int
}

func (c careless) TryLock(ctx context.Context, key string) (lock.Lease, error) {
	*c.stray++
	won, err := c.Redis[0].SetNX(ctx, key, *c.stray, c.Environment.Lock.TTL).Result()
	if err != nil || !won {
		return nil, lock.ErrContended
	}
	return carelessLease{c, key}, nil
}

func (c careless) Lock(ctx context.Context, key string) (lock.Lease, error) {
	return c.Retry(ctx, func() (lock.Lease, error) { return c.TryLock(ctx, key) })
}

type carelessLease struct {
	careless
	key string
}

func (l carelessLease) Release(ctx context.Context) error { return l.Redis[0].Del(ctx, l.key).Err() }

// fate is a test that notes how it ends.
type fate struct {
	testing.TB
	ended string
}

func (f *fate) Helper()           {}
func (f *fate) Name() string      { return "TestLock/MX-1" }
func (f *fate) Log(...any)        {}
func (f *fate) Fatal(args ...any) { f.ended = "fails: " + fmt.Sprint(args...) }
func (f *fate) Skip(args ...any)  { f.ended = "is skipped: " + fmt.Sprint(args...) }

// TestUndecided: what answered nothing fails where CI is true, and is said aloud elsewhere.
func TestUndecided(t *testing.T) {
	const said = "UNDECIDED, and so not passed: TestLock/MX-1:\nseed 7: liveness is inconclusive"
	for fails, want := range map[bool]string{true: "fails: " + said, false: "is skipped: " + said} {
		f := &fate{}
		e := ending{Case: ci.Case{Test: "TestLock/MX-1"}}
		e.undecided(fails, []string{"seed 7: liveness is inconclusive"})
		if e.end(f); !strings.HasPrefix(f.ended, want) || e.Aloud == fails {
			t.Errorf("CI %v: it %s, aloud: %v", fails, f.ended, e.Aloud)
		}
	}
}

// quiet is a correct lock that says neither the end nor the start of its leases,
// and leaves its retries to the laboratory.
type quiet struct {
	lock.Locker
	e lock.Environment
}

type quietLease struct{ lock.Lease }

func (q quiet) TryLock(ctx context.Context, resource string) (lock.Lease, error) {
	got, err := q.Locker.TryLock(ctx, resource)
	if err != nil {
		return nil, err
	}
	return quietLease{got}, nil
}

func (q quiet) Lock(ctx context.Context, resource string) (lock.Lease, error) {
	return q.e.Retry(ctx, func() (lock.Lease, error) { return q.TryLock(ctx, resource) })
}

// played plays one seed of a scenario of the suite with a lock on one node.
func played(
	t *testing.T, scenario string, seed uint64, made func(e lock.Environment) (lock.Locker, error),
) (*suiteTest, *play.Result) {
	t.Helper()
	s, err := newSuiteTest(Candidate{New: made, Abilities: plan.Abilities{OneNode: true}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(s.suite, func(s *plan.Scenario) bool { return s.Name == scenario })
	result, err := s.play(s.candidate.in(s.suite[i]), seed)
	if err != nil {
		t.Fatal(err)
	}
	return s, result
}

func newQuiet(e lock.Environment) (lock.Locker, error) {
	single, _ := lock.Of("SY-1")
	inner, err := single.New(e)
	return quiet{inner, e}, err
}

// TestRetriedReading: a lease that reports nothing is read from the attempt of
// Retry that won, not from a call that waited for another holder. B of RS-3 waits so
// long that it would hold nothing when it has won.
func TestRetriedReading(t *testing.T) {
	for seed := uint64(1); seed <= 5; seed++ {
		_, result := played(t, "RS-3", seed, newQuiet)
		if bugs, open := bugsOf(result), undecidedOf(result); len(bugs)+len(open) > 0 {
			t.Errorf("seed %d: %q %q", seed, bugs, open)
		}
	}
}

// TestExpiryAdvice: the failure of a lock whose expiry we estimate says so, and how
// to fix it. A lock that reports its expiry gets no such advice.
func TestExpiryAdvice(t *testing.T) {
	s, result := played(t, "MX-2", 1, newQuiet)
	text := s.tell(failing(s, result))
	for _, want := range []string{"this lock reports no end of its leases", "Until()", "1 % + 2 ms", "the last attempt that failed, by B: contended"} {
		if !strings.Contains(text, want) {
			t.Errorf("the failure does not say %q:\n%s", want, text)
		}
	}
	for i := range result.History.Header.Clients {
		result.History.Header.Clients[i].Validity = checker.ValidityReported
	}
	if said := expiryAdvice(result); said != "" {
		t.Errorf("a lock that reports is told: %s", said)
	}
}

// failing is the outcome of a run with a bug.
func failing(s *suiteTest, r *play.Result) *outcome {
	bug := cause.BugOf(r)
	return &outcome{ending: ending{Case: ci.Case{
		Name: r.Plan.Scenario, Test: "TestLock", Status: ci.Failed, Seed: r.Plan.Seed, Kind: bug.Kind, Text: bug.Text,
		Command: s.command("TestLock/"+r.Plan.Scenario, r.Plan.Seed),
	}}, result: r}
}

// idle is a lock whose acquisitions wait for what nobody sends.
type idle struct{ lock.Locker }

func (idle) Lock(ctx context.Context, _ string) (lock.Lease, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestBoundIsUndecided: a run that was ended by its bound is no bug, and no pass.
func TestBoundIsUndecided(t *testing.T) {
	_, result := played(t, "SY-2", 1, func(lock.Environment) (lock.Locker, error) { return idle{}, nil })
	if bugs, open := bugsOf(result), undecidedOf(result); len(bugs) > 0 || !slices.Contains(open, "the run ended at its bound: virtual time bound"+noDeadline) {
		t.Errorf("bugs %q, undecided %q", bugs, open)
	}
}

// dialing is a lock that does no more than dial and ask.
type dialing struct {
	lock.Locker
	e       lock.Environment
	address string
}

func (d dialing) Lock(ctx context.Context, _ string) (lock.Lease, error) {
	conn, err := d.e.Dial(ctx, "tcp", d.address)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "*1\r\n$4\r\nPING\r\n"); err != nil {
		return nil, err
	}
	answer, err := bufio.NewReader(conn).ReadString('\n')
	return nil, errors.Join(errors.New("answered "+strings.TrimSpace(answer)), err)
}

// TestDial: a node is dialled by its name, with a port or without, and by its
// address; what another dial ends with is kept for the failure.
func TestDial(t *testing.T) {
	for address, want := range map[string]string{"n1": "answered +PONG", "n1:6379": "answered +PONG", "10.0.0.1:6379": "answered +PONG", "n9": "no node at n9"} {
		_, result := played(t, "SY-2", 1, func(e lock.Environment) (lock.Locker, error) {
			return dialing{e: e, address: address}, nil
		})
		if said := strings.Join(lastErrors(result), "\n"); !strings.Contains(said, "the last attempt that failed, by A: ") || !strings.Contains(said, want) {
			t.Errorf("%s: got %q, want %q", address, said, want)
		}
	}
}

// A failure says what is wrong with the lock, tells the story, says when the
// run cannot be repeated, and ends with the command.
func TestCandidateFailure(t *testing.T) {
	stray := 0
	s, err := newSuiteTest(Candidate{
		Name: "careless", Clock: sim.Boottime, Abilities: plan.Abilities{OneNode: true},
		New: func(e lock.Environment) (lock.Locker, error) { return careless{e, &stray}, nil },
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.out, s.package_ = t.TempDir(), testedPackage()
	for _, scenario := range s.suite {
		if scenario.Name != "MX-1" {
			continue
		}
		for seed := s.first; seed <= 300; seed++ {
			result, err := s.play(s.candidate.in(scenario), seed)
			if err != nil {
				t.Fatal(err)
			}
			bugs := bugsOf(result)
			if len(bugs) == 0 {
				continue
			}
			text := s.tell(failing(s, result))
			lines := strings.Split(text, "\n")
			for _, want := range []string{"overlap is violated, and no broken assumption explains it", "All assumptions were kept", "not deterministic", "saved in " + s.out} {
				if !strings.Contains(text, want) {
					t.Errorf("the failure does not say %q:\n%s", want, text)
				}
			}
			if last := lines[len(lines)-1]; !strings.Contains(last, "go test -count=1 -run '^TestLock$/^MX-1$' redlocklab/scenarios") {
				t.Errorf("the last line is %q", last)
			}
			return
		}
	}
	t.Error("MX-1 does not find a release by DEL")
}
