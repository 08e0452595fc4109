package scenarios

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios/cause"
	"redlocklab/scenarios/ci"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
)

// outcome is what became of one scenario.
type outcome struct {
	ci.Case
	result *play.Result // the first failing run; nil: none
	bug    cause.Bug    // of that run
}

// trial is what the runs of one scenario have shown so far.
type trial struct {
	fired     map[string]bool // faults that began in some run
	undecided []string        // why the runs decide nothing
	explained []string        // violations that broken assumptions explain
	errors    []string        // of the last run in which attempts failed
	missed    []missedGoal    // of measured claims, in the order in which they were first missed
}

// missedGoal counts the runs that missed a goal of a measured claim.
type missedGoal struct {
	text string
	runs int
}

// scenario is the subtest of one scenario.
func (s *suiteTest) scenario(t *testing.T, scenario *plan.Scenario, o *outcome) {
	t.Helper()
	begin := time.Now()
	o.Case = ci.Case{Name: scenario.Name, Title: scenario.Title, Test: t.Name(), Status: ci.Failed}
	defer func() { o.Took = time.Since(begin) }()
	if reason := s.candidate.notApplicable(scenario); reason != "" {
		o.Status, o.Text = ci.NotApplicable, reason
		t.Skip("not applicable to this lock: " + reason)
	}
	mine, known := s.candidate.in(scenario), s.known[scenario.Name]
	shown := trial{fired: map[string]bool{}}
	inBudget := func() bool { return o.Seeds == 0 || s.budget == 0 || time.Since(begin) < s.share() }
	for seed := s.first; seed <= s.last && inBudget(); seed++ {
		result, err := s.play(mine, seed)
		o.Seeds++
		if err != nil {
			o.Seed, o.Text = seed, err.Error()
			o.Command = s.command(t.Name(), seed)
			t.Fatalf("seed %d: %v\nplay it again:\n  %s", seed, err, o.Command)
		}
		shown.miss(setAside(result))
		if bugs := bugsOf(result); len(bugs) > 0 {
			s.fails(t, o, result, bugs, known)
			return
		}
		shown.take(seed, result)
	}
	for _, f := range scenario.Faults {
		if !shown.fired[f.Name] {
			shown.undecided = append(shown.undecided, fmt.Sprintf("the fault %q fired in no run, so the story did not happen", f.Name))
		}
	}
	for _, line := range shown.explained {
		t.Log(line)
	}
	if o.Text = shown.measured(o.Seeds); o.Text != "" {
		t.Log(o.Text)
	}
	switch {
	case known != "":
		o.Text = "mended: it passes, so delete WithKnown(\"" + scenario.Name + "\", …): " + known
		t.Fatal(o.Text)
	case len(shown.undecided) > 0:
		o.Status, o.Text = ci.Undecided, strings.Join(shown.undecided, "\n")
		mustDecide := os.Getenv("CI") == "true" && !slices.Contains(s.undecided, scenario.Name)
		endUndecided(t, mustDecide, os.Stderr, append(shown.undecided, shown.errors...))
	default:
		o.Status = ci.Passed
		t.Log(s.played(o.Seeds))
	}
}

// take takes in a run without a bug.
func (shown *trial) take(seed uint64, r *play.Result) {
	for _, f := range r.Fired {
		shown.fired[f.Fault] = shown.fired[f.Fault] || f.Began > 0
	}
	shown.undecided = append(shown.undecided, ofSeed(seed, undecidedOf(r))...)
	shown.explained = append(shown.explained, ofSeed(seed, explainedOf(r))...)
	if len(r.Failures) > 0 {
		shown.errors = ofSeed(seed, lastErrors(r))
	}
}

// miss counts the measured goals that a run missed. It keeps them in the order of the runs.
func (shown *trial) miss(goals []string) {
	for _, goal := range goals {
		i := slices.IndexFunc(shown.missed, func(m missedGoal) bool { return m.text == goal })
		if i < 0 {
			i = len(shown.missed)
			shown.missed = append(shown.missed, missedGoal{text: goal})
		}
		shown.missed[i].runs++
	}
}

// measured says in how many runs each measured goal was missed, a line each.
func (shown *trial) measured(runs int) string {
	var lines []string
	for _, m := range shown.missed {
		lines = append(lines, fmt.Sprintf("measured: in %d of %d runs %s", m.runs, runs, m.text))
	}
	return strings.Join(lines, "\n")
}

// played says how many seeds a scenario was played with.
func (s *suiteTest) played(seeds int) string {
	wanted := s.last - s.first + 1
	text := fmt.Sprintf("played %d of %d seeds from %d on", seeds, wanted, s.first)
	if uint64(seeds) < wanted {
		text += fmt.Sprintf(": the budget of %v is used up", s.budget)
	}
	return text
}

// fails ends the subtest of a scenario in which the lock has a bug.
func (s *suiteTest) fails(t *testing.T, o *outcome, result *play.Result, bugs []string, known string) {
	t.Helper()
	o.Seed, o.result, o.bug = result.Plan.Seed, result, cause.BugOf(result)
	o.Safety = slices.ContainsFunc(result.Verdict.Answers().Bugs(), func(x checker.Oracle) bool {
		return x != checker.OracleLiveness
	})
	o.Kind, o.Text, o.Command = o.bug.Kind, o.bug.Text, s.command(t.Name(), o.Seed)
	if known != "" {
		o.Status = ci.Known
		t.Skip("known: " + known + "\n" + o.bug.Kind + ": " + o.bug.Text)
	}
	t.Fatalf("seed %d: %s\n  %s\n%s\nthe story stands at the end of the whole test; play it again:\n  %s",
		o.Seed, o.bug.Kind, o.bug.Text, strings.Join(bugs, "\n"), o.Command)
}

// endUndecided ends a subtest that decided nothing: it fails, or it is skipped and w says so.
func endUndecided(t testing.TB, fails bool, w io.Writer, reasons []string) {
	t.Helper()
	text := "UNDECIDED, and so not passed: " + t.Name() + ":\n" + strings.Join(reasons, "\n")
	if fails {
		t.Fatal(text + "\nif this lock can never decide it, say so with scenarios.WithUndecided")
		return
	}
	fmt.Fprintln(w, text)
	t.Skip(text)
}

func ofSeed(seed uint64, lines []string) []string {
	for i := range lines {
		lines[i] = fmt.Sprintf("seed %d: %s", seed, lines[i])
	}
	return lines
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
	go func() {
		result, err := play.RunLock(p, play.RunOptions{}, s.candidate.implementation(), s.candidate.Abilities)
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
	return nil, fmt.Errorf("the run did not come to rest within %v: the lock spins, or something that it started does not end in Environment.OnEnd. What runs:\n%s",
		time.Duration(s.ticks)*tick, running())
}

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
