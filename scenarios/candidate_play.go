package scenarios

import (
	"errors"
	"fmt"
	"math/rand"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
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

// outcome is what became of one scenario.
type outcome struct {
	ending
	result   *play.Result // the first failing run; nil: none, or a worker has it
	restless bool         // a run goes on for ever
}

// trial is what the runs of one scenario have shown so far.
type trial struct {
	fired     map[string]bool // faults that began in some run
	undecided []said          // why the runs decide nothing
	explained []said          // violations that broken assumptions explain
	errors    []said          // of the last run in which attempts failed
	missed    []string        // goals of measured claims, of every run
}

// scenario is the subtest of one scenario.
func (s *suiteTest) scenario(t *testing.T, scenario *plan.Scenario, o *outcome) {
	t.Helper()
	if s.workers == nil {
		s.judge(scenario, t.Name(), s.share(), o)
	} else {
		s.workers.judge(job{
			Do: playJob, Scenario: scenario.Name, Test: t.Name(), Clock: s.candidate.Clock, Share: s.share(),
		}, o)
		if o.Command == "" && o.Status == ci.Failed { // its program ended
			o.Command = s.command(t.Name(), fmt.Sprintf("%d-%d", s.first, s.last))
		}
	}
	o.end(t)
}

// end ends the subtest.
func (e *ending) end(t testing.TB) {
	t.Helper()
	for _, line := range e.Logs {
		t.Log(line)
	}
	if e.Fatal != "" {
		t.Fatal(e.Fatal)
	}
	if e.Aloud {
		fmt.Fprintln(os.Stderr, e.Skip)
	}
	if e.Skip != "" {
		t.Skip(e.Skip)
	}
}

// judge plays the seeds of a scenario in this program, within a share of real time (0: no bound).
func (s *suiteTest) judge(scenario *plan.Scenario, test string, share time.Duration, o *outcome) {
	begin := time.Now()
	o.Case = ci.Case{Name: scenario.Name, Title: scenario.Title, Test: test, Status: ci.Failed}
	defer func() { o.Took = time.Since(begin) }()
	if reason := s.candidate.notApplicable(scenario); reason != "" {
		o.Status, o.Text = ci.NotApplicable, reason
		o.Skip = "not applicable to this lock: " + reason
		return
	}
	mine, known := s.candidate.in(scenario), s.known[scenario.Name]
	shown := trial{fired: map[string]bool{}}
	inBudget := func() bool { return o.Seeds == 0 || share == 0 || time.Since(begin) < share }
	for seed := s.first; seed <= s.last && inBudget(); seed++ {
		result, err := s.play(mine, seed)
		o.Seeds++
		if err != nil {
			o.restless = errors.As(err, new(restlessError))
			o.Seed, o.Text, o.Command = seed, err.Error(), s.command(test, seed)
			o.Fatal = fmt.Sprintf("seed %d: %v\nplay it again:\n  %s", seed, err, o.Command)
			return
		}
		shown.missed = append(shown.missed, setAside(result)...)
		if bugs := bugsOf(result); len(bugs) > 0 {
			s.fails(o, result, bugs, known)
			return
		}
		shown.take(seed, result)
	}
	undecided := folded(shown.undecided)
	for _, f := range scenario.Faults {
		if !shown.fired[f.Name] {
			undecided = append(undecided, fmt.Sprintf("the fault %q fired in no run, so the story did not happen", f.Name))
		}
	}
	o.Logs = append(o.Logs, folded(shown.explained)...)
	if o.Text = shown.measured(o.Seeds); o.Text != "" {
		o.Logs = append(o.Logs, o.Text)
	}
	switch {
	case known != "":
		o.Text = "mended: it passes, so delete WithKnown(\"" + scenario.Name + "\", …): " + known
		o.Fatal = o.Text
	case len(undecided) > 0:
		o.Status, o.Text = ci.Undecided, strings.Join(undecided, "\n")
		mustDecide := os.Getenv("CI") == "true" && !slices.Contains(s.undecided, scenario.Name)
		o.undecided(mustDecide, append(undecided, folded(shown.errors)...))
	default:
		o.Status = ci.Passed
		wanted := s.last - s.first + 1
		text := fmt.Sprintf("played %d of %d seeds from %d on", o.Seeds, wanted, s.first)
		if uint64(o.Seeds) < wanted {
			text += fmt.Sprintf(": the budget of %v is used up", s.budget)
		}
		o.Logs = append(o.Logs, text)
	}
}

// take takes in a run without a bug.
func (shown *trial) take(seed uint64, r *play.Result) {
	for _, f := range r.Fired {
		shown.fired[f.Fault] = shown.fired[f.Fault] || f.Began > 0
	}
	shown.undecided = append(shown.undecided, ofSeed(seed, undecidedOf(r))...)
	explained := answers(r, func(a checker.Answer) bool { return a.Status == checker.Violated && !a.Bug })
	shown.explained = append(shown.explained, ofSeed(seed, explained)...)
	if len(r.Failures) > 0 {
		shown.errors = ofSeed(seed, lastErrors(r))
	}
}

// measured says in how many runs each measured goal was missed, a line each, in the order in which
// they were first missed.
func (shown *trial) measured(runs int) string {
	var lines []string
	missed := map[string]int{}
	for _, goal := range shown.missed {
		missed[goal]++
	}
	for i, goal := range shown.missed {
		if slices.Index(shown.missed, goal) == i {
			lines = append(lines, fmt.Sprintf("measured: in %d of %d runs %s", missed[goal], runs, goal))
		}
	}
	return strings.Join(lines, "\n")
}

// fails ends the subtest of a scenario in which the lock has a bug.
func (s *suiteTest) fails(o *outcome, result *play.Result, bugs []string, known string) {
	bug := cause.BugOf(result)
	o.Seed, o.result = result.Plan.Seed, result
	o.Size = []int{len(result.Plan.Faults), len(result.Events)}
	o.Safety = slices.ContainsFunc(result.Verdict.Answers().Bugs(), func(x checker.Oracle) bool {
		return x != checker.OracleLiveness
	})
	o.Kind, o.Text, o.Command = bug.Kind, bug.Text, s.command(o.Test, o.Seed)
	if known != "" {
		o.Status = ci.Known
		o.Skip = "known: " + known + "\n" + bug.Kind + ": " + bug.Text
		return
	}
	o.Fatal = fmt.Sprintf("seed %d: %s\n  %s\n%s\nthe story stands at the end of the whole test; play it again:\n  %s",
		o.Seed, bug.Kind, bug.Text, strings.Join(bugs, "\n"), o.Command)
}

// undecided ends a subtest that decided nothing: it fails, or it is skipped aloud.
func (e *ending) undecided(fails bool, reasons []string) {
	text := "UNDECIDED, and so not passed: " + e.Test + ":\n" + strings.Join(reasons, "\n")
	if fails {
		e.Fatal = text + "\nif this lock can never decide it, say so with scenarios.WithUndecided"
		return
	}
	e.Skip, e.Aloud = text, true
}

func ofSeed(seed uint64, lines []string) []said {
	of := make([]said, len(lines))
	for i, line := range lines {
		of[i] = said{seed, line}
	}
	return of
}

// play plays one seed.
func (s *suiteTest) play(mine *plan.Scenario, seed uint64) (*play.Result, error) {
	plan, err := mine.Plan(s.candidate.Name, seed)
	if err != nil {
		return nil, err
	}
	return s.run(plan)
}

// A run that does not come to rest is given up after so many ticks in which this program ran.
// While a debugger stops the program, no ticks pass.
const (
	tick         = 100 * time.Millisecond
	defaultTicks = 300
)

// run plays a plan. A run that never comes to rest cannot be stopped: it is left alone, and
// the error shows what its goroutines do.
func (s *suiteTest) run(p *plan.Plan) (*play.Result, error) {
	type answer struct {
		result *play.Result
		err    error
	}
	done := make(chan answer, 1)
	mine := lock.Implementation{ // as package lock registers subjects
		Clock:           func(func(string, string) string) sim.ClockKind { return s.candidate.Clock },
		ReleaseConfirms: s.candidate.ReleaseConfirms, Dials: true, New: s.candidate.New,
	}
	seedGlobal(p.Seed)
	go func() {
		result, err := play.RunLock(p, play.RunOptions{}, mine, s.candidate.Abilities)
		done <- answer{result, err}
	}()
	timer := time.NewTimer(tick)
	defer timer.Stop()
	for range s.ticks {
		select {
		case a := <-done:
			return a.result, a.err
		case <-timer.C:
			timer.Reset(tick)
		}
	}
	return nil, restlessError{fmt.Errorf("the run did not come to rest within %v: the lock spins, or something that it started does not end in Environment.OnEnd. What runs:\n%s",
		time.Duration(s.ticks)*tick, running())}
}

// restlessError is the error of a run that goes on for ever.
type restlessError struct{ error }

// running is a dump of the goroutines of simulated worlds that do not rest.
func running() string {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	var busy []string
	for _, goroutine := range strings.Split(string(stacks), "\n\n") {
		head, _, _ := strings.Cut(goroutine, "\n")
		if strings.Contains(head, "synctest bubble") &&
			(strings.Contains(head, "[run") || strings.Contains(head, "[sync.Mutex") || !strings.Contains(head, "durable")) {
			busy = append(busy, goroutine)
		}
	}
	return strings.Join(busy, "\n\n")
}

// seedable has [rand.Seed] work again: since Go 1.24 it does nothing without this setting.
var seedable = sync.OnceFunc(func() {
	settings := append(strings.Fields(strings.ReplaceAll(os.Getenv("GODEBUG"), ",", " ")), "randseednop=0")
	_ = os.Setenv("GODEBUG", strings.Join(settings, ",")) // it fails for a name or a value with a zero byte only
})

// seedGlobal gives the global source of math/rand the seed of a run. A driver that retries draws its
// pauses from it (go-redis: internal.RetryBackoff). Nothing can seed that of math/rand/v2.
func seedGlobal(seed uint64) {
	seedable()
	rand.Seed(int64(seed)) //nolint:staticcheck // the only way to the global source that drivers draw from
}
