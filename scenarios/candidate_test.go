package scenarios

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"redlocklab/sim"
)

func TestCandidateProblems(t *testing.T) {
	made := func(Environment) (Locker, error) { return nil, nil }
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
	Environment
	stray *int
}

func (c careless) TryLock(ctx context.Context, key string) (Lease, error) {
	*c.stray++
	won, err := c.Redis[0].SetNX(ctx, key, *c.stray, c.Environment.Lock.TTL).Result()
	if err != nil || !won {
		return nil, errContended
	}
	return carelessLease{c, key}, nil
}

func (c careless) Lock(ctx context.Context, key string) (Lease, error) {
	return c.Retry(ctx, func() (Lease, error) { return c.TryLock(ctx, key) })
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
func (f *fate) Fatal(args ...any) { f.ended = "fails: " + fmt.Sprint(args...) }
func (f *fate) Skip(args ...any)  { f.ended = "is skipped: " + fmt.Sprint(args...) }

// TestUndecided: what answered nothing fails where CI is true, and is said aloud elsewhere.
func TestUndecided(t *testing.T) {
	const said = "UNDECIDED, and so not passed: TestLock/MX-1:\nseed 7: liveness is inconclusive"
	for fails, want := range map[bool]string{true: "fails: " + said, false: "is skipped: " + said} {
		var loud strings.Builder
		f := &fate{}
		undecided(f, fails, &loud, []string{"seed 7: liveness is inconclusive"})
		if !strings.HasPrefix(f.ended, want) || !fails && loud.String() != said+"\n" {
			t.Errorf("CI %v: it %s, and %q is said", fails, f.ended, loud.String())
		}
	}
}

// A failure says what is wrong with the lock, tells the story, says when the
// run cannot be repeated, and ends with the command.
func TestCandidateFailure(t *testing.T) {
	stray := 0
	s, err := newSuiteTest(Candidate{
		Name: "careless", Clock: sim.Boottime, Abilities: Abilities{OneNode: true},
		New: func(e Environment) (Locker, error) { return careless{e, &stray}, nil },
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.out = t.TempDir()
	for _, scenario := range s.suite {
		if scenario.Name != "MX-1" {
			continue
		}
		for seed := s.first; seed <= 300; seed++ {
			result, err := s.play(s.candidate.with(scenario), seed)
			if err != nil {
				t.Fatal(err)
			}
			bugs := result.bugs()
			if len(bugs) == 0 {
				continue
			}
			text := s.tell(t, result, bugs)
			lines := strings.Split(text, "\n")
			for _, want := range []string{"overlap is violated, and every assumption that matters to it was kept", "All assumptions were kept", "not deterministic", "saved in " + s.out} {
				if !strings.Contains(text, want) {
					t.Errorf("the failure does not say %q:\n%s", want, text)
				}
			}
			if last := lines[len(lines)-1]; !strings.Contains(last, "go test -count=1 -run '^TestCandidateFailure$'") {
				t.Errorf("the last line is %q", last)
			}
			return
		}
	}
	t.Error("MX-1 does not find a release by DEL")
}
