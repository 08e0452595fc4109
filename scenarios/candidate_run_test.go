package scenarios

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
)

// spinning is a lock that waits for a flag without ever resting.
type spinning struct {
	lock.Locker
	stop *atomic.Bool
}

func (l spinning) Lock(context.Context, string) (lock.Lease, error) {
	for !l.stop.Load() {
	}
	return nil, errors.New("stopped")
}

// TestSpinningLock: a run that never rests is an error with a dump that shows where it spins,
// and the program goes on.
func TestSpinningLock(t *testing.T) {
	var stop atomic.Bool
	defer stop.Store(true)
	s, err := newSuiteTest(Candidate{
		New: func(lock.Environment) (lock.Locker, error) { return spinning{stop: &stop}, nil },
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.ticks = 5
	_, err = s.play(s.candidate.in(scenarioNamed(t, s, "SY-2")), 1)
	if err == nil || !strings.Contains(err.Error(), "did not come to rest within 500ms") || !strings.Contains(err.Error(), "spinning.Lock") {
		t.Errorf("got %v", err)
	}
}

func scenarioNamed(t *testing.T, s *suiteTest, name string) *plan.Scenario {
	t.Helper()
	for _, each := range s.suite {
		if each.Name == name {
			return each
		}
	}
	t.Fatalf("no scenario %s", name)
	return nil
}

// TestNewMayDial: New is called in the client's process, where it can ask a node. An error
// that has nothing to do with the network ends the run with a sentence.
func TestNewMayDial(t *testing.T) {
	asked := ""
	_, result := played(t, "SY-2", 1, func(e lock.Environment) (lock.Locker, error) {
		conn, err := e.Dial(context.Background(), "tcp", "n1")
		if err != nil {
			return nil, err
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, "*1\r\n$4\r\nPING\r\n"); err != nil {
			return nil, err
		}
		asked, err = bufio.NewReader(conn).ReadString('\n')
		if err != nil {
			return nil, err
		}
		return newQuiet(e)
	})
	if asked != "+PONG\r\n" || len(result.History.Leases) == 0 {
		t.Errorf("New was answered %q; leases %+v", asked, result.History.Leases)
	}
	s, err := newSuiteTest(Candidate{
		New: func(lock.Environment) (lock.Locker, error) { return nil, errors.New("no licence") },
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.play(s.candidate.in(scenarioNamed(t, s, "SY-2")), 1); err == nil || !strings.Contains(err.Error(), "client A: New: no licence") {
		t.Errorf("got %v", err)
	}
}

// bound is a lock that keeps the contexts of its acquisitions.
type bound struct {
	quiet
	contexts *[]context.Context
	ends     time.Duration // of true time after the acquisition, when its leases end
}

func (l bound) Lock(ctx context.Context, resource string) (lock.Lease, error) {
	got, err := l.quiet.Lock(ctx, resource)
	if err != nil {
		return nil, err
	}
	*l.contexts = append(*l.contexts, ctx)
	held, cancel := context.WithCancel(context.WithoutCancel(ctx))
	time.AfterFunc(l.ends, cancel)
	return lock.ContextLease(held, func() { cancel(); _ = got.Release(context.Background()) }), nil
}

// TestContexts: the context of an acquisition ends when the call returns, and a lease that
// ends with a context is believed until then.
func TestContexts(t *testing.T) {
	var contexts []context.Context
	_, result := played(t, "MX-2", 1, func(e lock.Environment) (lock.Locker, error) {
		inner, err := newQuiet(e)
		return bound{inner.(quiet), &contexts, 300 * time.Millisecond}, err
	})
	if len(contexts) == 0 || contexts[0].Err() == nil {
		t.Errorf("%d contexts; the first goes on after the call", len(contexts))
	}
	first := result.History.Leases[0]
	from, until := first.Validity[0].AtNS, first.Validity[len(first.Validity)-1].UntilNS
	if got := time.Duration(until - from); got != 300*time.Millisecond || len(bugsOf(result)) > 0 {
		t.Errorf("the lease is believed for %v; bugs %q", got, bugsOf(result))
	}
}

// TestMeasuredAndGivenUp: a goal of a measured claim is a number, and a client that no longer
// asks leaves its goal undecided.
func TestMeasuredAndGivenUp(t *testing.T) {
	r := missed("LV-5", checker.GoalSome)
	if got := setAside(r); len(got) != 1 || r.Verdict.Liveness.Status != checker.Holds || len(bugsOf(r)) > 0 {
		t.Errorf("measured %q, %+v", got, r.Verdict.Liveness)
	}
	r = missed("LV-1", checker.GoalSome)
	if got := setAside(r); len(got) > 0 || r.Verdict.Liveness.Status != checker.Inconclusive ||
		!strings.Contains(r.Verdict.Liveness.Reason, "B gave up at 1s (contended)") {
		t.Errorf("measured %q, %+v", got, r.Verdict.Liveness)
	}
	r = missed("LV-1", checker.GoalEachSucceeds)
	if setAside(r); len(bugsOf(r)) != 1 {
		t.Errorf("each call must succeed, and one that fails is forgiven: %+v", r.Verdict.Liveness)
	}
}

// TestMeasuredGoalsInOrder: a scenario with several measured goals says the same whenever it is
// played, with a line for each goal.
func TestMeasuredGoalsInOrder(t *testing.T) {
	s, err := newSuiteTest(Candidate{New: newQuiet}, []TestOption{WithSeeds(1, 1)})
	if err != nil {
		t.Fatal(err)
	}
	scenario := *scenarioNamed(t, s, "MX-1")
	s.candidate.Abilities.OneNode, scenario.Nodes.Count = true, 1
	scenario.Liveness, scenario.Faults = nil, nil
	for i := range 6 {
		within := time.Duration(i+1) * time.Nanosecond
		goal := plan.Goal{Claim: "LV-5", Client: plan.AnyClient, Does: "acquire", Each: plan.EachReturns}
		goal.Within.Text, goal.Within.Value = within.String(), within
		scenario.Liveness = append(scenario.Liveness, goal)
	}
	var first string
	for i := range 10 {
		var o outcome
		t.Run(fmt.Sprint(i), func(t *testing.T) { s.scenario(t, &scenario, &o) })
		if first = cmp.Or(first, o.Text); o.Text != first {
			t.Fatalf("play %d says\n%s\nthe first one\n%s", i+1, o.Text, first)
		}
	}
	if lines := strings.Split(first, "\n"); len(lines) != 6 || !strings.HasPrefix(lines[0], "measured: in 1 of 1 runs the goal was missed: ") {
		t.Errorf("got\n%s", first)
	}
}
