package scenarios

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/sim"
)

// The real time that one run may take. After the limit the run is asked to stop. After the
// kill time the whole test ends, because a run that never rests cannot be stopped.
const (
	realLimit = 20 * time.Second
	killAfter = 30 * time.Second
)

// scenario is the subtest of one scenario: it plays seeds until there is no time left.
func (s *suiteTest) scenario(t *testing.T, scenario *plan.Scenario, until time.Time) {
	t.Helper()
	if reason := s.candidate.notApplicable(scenario); reason != "" {
		t.Skip("not applicable to this lock: " + reason)
	}
	mine := s.candidate.in(scenario)
	fired := map[string]bool{}
	var undecided, explained, errors []string
	for seed := s.first; seed <= s.last && (seed == s.first || time.Now().Before(until)); seed++ {
		result, err := s.play(mine, seed)
		if err != nil {
			t.Fatal(s.failure(t, seed, err.Error()))
		}
		if bugs := bugsOf(result); len(bugs) > 0 {
			t.Fatal(s.bugReport(t, result, bugs))
		}
		for _, f := range result.Fired {
			fired[f.Fault] = fired[f.Fault] || f.Began > 0
		}
		undecided = append(undecided, ofSeed(seed, undecidedOf(result))...)
		explained = append(explained, ofSeed(seed, explainedOf(result))...)
		if len(result.Failures) > 0 {
			errors = ofSeed(seed, lastErrors(result))
		}
	}
	for _, line := range explained {
		t.Log(line)
	}
	for _, f := range scenario.Faults {
		if !fired[f.Name] {
			undecided = append(undecided, fmt.Sprintf("the fault %q fired in no run, so the story did not happen", f.Name))
		}
	}
	if len(undecided) > 0 {
		mustDecide := os.Getenv("CI") == "true" && !slices.Contains(s.undecided, scenario.Name)
		endUndecided(t, mustDecide, os.Stderr, append(undecided, errors...))
	}
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

// play plays one seed. A lock that never lets the run rest ends the test.
func (s *suiteTest) play(mine *plan.Scenario, seed uint64) (*play.Result, error) {
	plan, err := mine.Plan(s.candidate.Name, seed)
	if err != nil {
		return nil, err
	}
	kill := time.AfterFunc(killAfter, func() {
		panic(fmt.Sprintf("scenarios: %s with seed %d did not come to rest within %v of real time: the lock spins, or something that it started does not end in Environment.OnEnd", mine.Name, seed, killAfter))
	})
	defer kill.Stop()
	return s.run(plan)
}

func (s *suiteTest) run(p *plan.Plan) (*play.Result, error) {
	return play.RunLock(p, play.RunOptions{Real: realLimit}, s.candidate.implementation(), s.candidate.Abilities)
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

// undecidedOf lists the inconclusive answers, and the bound that ended the run.
func undecidedOf(r *play.Result) []string {
	var list []string
	if r.Outcome != string(sim.Finished) {
		list = append(list, "the run ended at its bound: "+r.Outcome)
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
