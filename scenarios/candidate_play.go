package scenarios

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios/ci"
	"redlocklab/scenarios/diagnosis"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/sim"
)

// outcome is what became of one scenario.
type outcome struct {
	ci.Case
	result *play.Result  // the first failing run; nil: none
	bug    diagnosis.Bug // of that run
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
	mine := s.candidate.in(scenario)
	known := s.known[scenario.Name]
	fired := map[string]bool{}
	var undecided, notes, errors []string
	measured := map[string]int{}
	for seed := s.first; seed <= s.last && (seed == s.first || s.budget == 0 || time.Since(begin) < s.share()); seed++ {
		result, err := s.play(mine, seed)
		o.Seeds++
		if err != nil {
			o.Seed, o.Text = seed, err.Error()
			o.Command = s.command(t.Name(), seed)
			t.Fatalf("seed %d: %v\nplay it again:\n  %s", seed, err, o.Command)
		}
		for _, g := range setAside(result) {
			measured[g]++
		}
		if bugs := bugsOf(result); len(bugs) > 0 {
			s.fails(t, o, result, bugs, known)
			return
		}
		for _, f := range result.Fired {
			fired[f.Fault] = fired[f.Fault] || f.Began > 0
		}
		undecided = append(undecided, ofSeed(seed, undecidedOf(result))...)
		notes = append(notes, ofSeed(seed, explainedOf(result))...)
		if len(result.Failures) > 0 {
			errors = ofSeed(seed, lastErrors(result))
		}
	}
	for _, f := range scenario.Faults {
		if !fired[f.Name] {
			undecided = append(undecided, fmt.Sprintf("the fault %q fired in no run, so the story did not happen", f.Name))
		}
	}
	for _, line := range notes {
		t.Log(line)
	}
	for what, n := range measured {
		o.Text = fmt.Sprintf("measured: in %d of %d runs %s", n, o.Seeds, what)
		t.Log(o.Text)
	}
	switch {
	case known != "":
		o.Text = "mended: it passes, so delete WithKnown(\"" + scenario.Name + "\", …): " + known
		t.Fatal(o.Text)
	case len(undecided) > 0:
		o.Status, o.Text = ci.Undecided, strings.Join(undecided, "\n")
		mustDecide := os.Getenv("CI") == "true" && !slices.Contains(s.undecided, scenario.Name)
		endUndecided(t, mustDecide, os.Stderr, append(undecided, errors...))
	default:
		o.Status = ci.Passed
		t.Log(s.played(o.Seeds))
	}
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
	o.Seed, o.result, o.bug = result.Plan.Seed, result, diagnosis.Of(result)
	o.Safety = slices.ContainsFunc(result.Verdict.Answers().Bugs(), func(x checker.Oracle) bool { return x != checker.OracleLiveness })
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
		if strings.Contains(head, "synctest bubble") && (strings.Contains(head, "[run") || strings.Contains(head, "[sync.Mutex") || !strings.Contains(head, "durable")) {
			busy = append(busy, goroutine)
		}
	}
	return strings.Join(busy, "\n\n")
}

// setAside takes out of a verdict what is no failure of the lock, and returns what a claim
// measures there: goals of measured claims that were missed. A goal is inconclusive whose
// client had given up asking, or in whose story a fault waited for a command that the lock
// does not send.
func setAside(r *play.Result) (measured []string) {
	live := &r.Verdict.Liveness
	reason, unsent := "", neverSent(r)
	for i := range live.Goals {
		goal := &live.Goals[i]
		if goal.Status != checker.Violated {
			continue
		}
		claim, _ := plan.ClaimByID(goal.Claim)
		gone := cmp.Or(gaveUp(r, i), unsent)
		if claim.Kind != plan.KindMeasured && gone == "" {
			continue
		}
		if claim.Kind == plan.KindMeasured {
			measured = append(measured, "the goal was missed: "+goal.Bound)
		} else {
			reason = gone
		}
		live.Findings = slices.DeleteFunc(live.Findings, func(f checker.Finding) bool { return f.Goal == goal.ID })
		live.Found--
		goal.Status = checker.Inconclusive
	}
	if len(measured) == 0 && reason == "" {
		return nil
	}
	live.Bug = slices.ContainsFunc(live.Findings, func(f checker.Finding) bool { return len(f.ExplainedBy) == 0 })
	if len(live.Findings) == 0 {
		live.ExplainedBy = nil
		if live.Status, live.Reason = checker.Holds, ""; reason != "" {
			live.Status, live.Reason = checker.Inconclusive, reason
		}
	}
	return measured
}

// neverSent says which fault waited for a command that the lock never sent, so that the story
// did not happen; empty when none did.
func neverSent(r *play.Result) string {
	for _, f := range r.Plan.Faults {
		command := f.Begin.When.Command
		sent := func(e sim.Event) bool { return e.Kind == sim.Send && strings.EqualFold(e.Command, command) }
		if command != "" && !slices.ContainsFunc(r.Events, sent) {
			return fmt.Sprintf("the fault %q waited for %q, and this lock sends no such command: say which it sends in Abilities.Commands", f.Name, f.Begin.When.String())
		}
	}
	return ""
}

// gaveUp says that the clients of a goal had stopped asking before its bound: the last
// blocking acquisition of each returned an error. It is empty when one still asked.
func gaveUp(r *play.Result, i int) string {
	goal := &r.History.Goals[i]
	if goal.Form != checker.GoalSome || goal.Action != checker.ActionAcquire {
		return ""
	}
	deadline := goal.FromNS + goal.WithinNS
	text := ""
	for _, c := range r.Plan.Clients {
		if goal.Client != "" && c.Name != goal.Client || c.Name == goal.Except {
			continue
		}
		var last *checker.Operation
		for j := range r.History.Operations {
			o := &r.History.Operations[j]
			if o.Client == c.Name && o.Action == goal.Action && (goal.Resource == "" || o.Resource == goal.Resource) && o.CallNS <= deadline {
				last = o
			}
		}
		if last == nil {
			continue
		}
		blocking := slices.ContainsFunc(plan.AllSteps(c.Steps), func(x plan.Step) bool { return x.Kind == plan.StepLock && x.Resource == last.Resource }) &&
			!slices.ContainsFunc(plan.AllSteps(c.Steps), func(x plan.Step) bool { return x.Kind == plan.StepTryLock && x.Resource == last.Resource })
		if !blocking || last.Outcome != checker.OutcomeFail || *last.ReturnNS >= deadline {
			return ""
		}
		text = fmt.Sprintf("%s gave up at %v (%s), before the bound of its goal, and no longer asked: a Lock that retries until its context ends decides it, as Environment.Retry does",
			c.Name, time.Duration(*last.ReturnNS).Round(time.Millisecond), last.Class)
	}
	return text
}

// bugsOf lists the violations that no broken assumption explains, and the contradictions
// in what the lock reports.
func bugsOf(r *play.Result) []string {
	var list []string
	for _, problem := range r.Verdict.Problems {
		list = append(list, "the history contradicts itself: "+problem.String())
	}
	return append(list, answers(r, func(a checker.Answer) bool { return a.Bug })...)
}

// explainedOf lists the violations that broken assumptions explain.
func explainedOf(r *play.Result) []string {
	return answers(r, func(a checker.Answer) bool { return a.Status == checker.Violated && !a.Bug })
}

// noDeadline says what it means that virtual time ran out.
const noDeadline = ": something of the lock waits without a deadline, such as a dial or a command whose message was lost"

// undecidedOf lists the inconclusive answers, and the bound that ended the run.
func undecidedOf(r *play.Result) []string {
	var list []string
	if r.Outcome != string(sim.Finished) {
		text := "the run ended at its bound: " + r.Outcome
		if r.Outcome == string(sim.VirtualBound) {
			text += noDeadline
		}
		list = append(list, text)
	}
	return append(list, answers(r, func(a checker.Answer) bool { return a.Status == checker.Inconclusive })...)
}

// answers lists the chosen answers of the oracles, in words.
func answers(r *play.Result, chosen func(checker.Answer) bool) []string {
	var list []string
	for _, result := range r.Verdict.Results() {
		if chosen(result.Answer) {
			list = append(list, result.String())
		}
	}
	return list
}

// lastErrors lists the errors of the clients' last failed attempts.
func lastErrors(r *play.Result) []string {
	list := make([]string, len(r.Failures))
	for i, f := range r.Failures {
		list[i] = "the last attempt that failed, by " + f
	}
	return list
}
