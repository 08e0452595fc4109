package scenarios

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/sim"
	"redlocklab/sim/explain"
)

// The real time that one run of a candidate may take: then it is asked to stop,
// and then the whole test ends, for a run that never rests cannot be stopped.
const (
	candidateLimit = 20 * time.Second
	candidateKill  = 30 * time.Second
)

// scenario plays one scenario's seeds: the body of its subtest.
func (s *suiteTest) scenario(t *testing.T, scenario *plan.Scenario, until time.Time) {
	t.Helper()
	if reason := s.candidate.whyNot(scenario); reason != "" {
		t.Skip("no question to this lock: " + reason)
	}
	mine := s.candidate.with(scenario)
	fired := map[string]bool{}
	var open, pardoned, failures []string
	for seed := s.first; seed <= s.last && (seed == s.first || time.Now().Before(until)); seed++ {
		result, err := s.play(mine, seed)
		if err != nil {
			t.Fatal(s.failure(t, seed, err.Error(), ""))
		}
		if found := bugs(result); len(found) > 0 {
			t.Fatal(s.tell(t, result, found))
		}
		for _, f := range result.Fired {
			fired[f.Fault] = fired[f.Fault] || f.Began > 0
		}
		open = append(open, prefixed(seed, openOf(result))...)
		pardoned = append(pardoned, prefixed(seed, excused(result))...)
		if len(result.Failures) > 0 {
			failures = prefixed(seed, lastErrors(result))
		}
	}
	for _, line := range pardoned {
		t.Log(line)
	}
	for _, f := range scenario.Faults {
		if !fired[f.Name] {
			open = append(open, fmt.Sprintf("the fault %q fired in no run: the story never came about", f.Name))
		}
	}
	if len(open) > 0 {
		open = append(open, failures...)
		undecided(t, os.Getenv("CI") == "true" && !slices.Contains(s.undecided, scenario.Name), os.Stderr, open)
	}
}

// undecided ends a subtest that answered nothing: where nobody reads what passes,
// that is a failure, and elsewhere it is said where it is seen.
func undecided(t testing.TB, fails bool, loud io.Writer, why []string) {
	t.Helper()
	text := "UNDECIDED, and so not passed: " + t.Name() + ":\n" + strings.Join(why, "\n")
	if !fails {
		fmt.Fprintln(loud, text)
		t.Skip(text)
	} else {
		t.Fatal(text + "\nif that is as it should be for this lock, say so with scenarios.WithUndecided")
	}
}

func prefixed(seed uint64, lines []string) []string {
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
	kill := time.AfterFunc(candidateKill, func() {
		panic(fmt.Sprintf("scenarios: %s with seed %d did not come to rest within %v of real time: the lock spins, or something that it started does not end in Environment.OnEnd", mine.Name, seed, candidateKill))
	})
	defer kill.Stop()
	return play.RunLock(plan, play.RunOptions{Real: candidateLimit}, s.candidate.implementation(), s.candidate.Abilities)
}

// bugs lists the violations that no broken assumption explains, and the
// contradictions in what the lock says.
func bugs(r *play.Result) []string {
	var list []string
	for _, problem := range r.Verdict.Problems {
		list = append(list, "the history contradicts itself: "+problem.String())
	}
	return append(list, inWords(r, func(a checker.Answer) bool { return a.Bug })...)
}

// excused lists the violations that broken assumptions explain.
func excused(r *play.Result) []string {
	return inWords(r, func(a checker.Answer) bool { return a.Status == checker.Violated && !a.Bug })
}

// inWords says what the chosen oracles answered.
func inWords(r *play.Result, chosen func(checker.Answer) bool) []string {
	var list []string
	for _, result := range r.Verdict.Results() {
		if chosen(result.Answer) {
			list = append(list, result.String())
		}
	}
	return list
}

// lastErrors says what the clients' last failed attempts ended with.
func lastErrors(r *play.Result) []string {
	list := make([]string, len(r.Failures))
	for i, f := range r.Failures {
		list[i] = "the last attempt that failed, by " + f
	}
	return list
}

// expiryAdvice says how to fix a violation that may be caused by our estimate of
// the leases' ends. It is empty when there is no such violation or estimate.
func expiryAdvice(r *play.Result) string {
	unsafe := slices.ContainsFunc(r.Verdict.Answers().Bugs(), func(o checker.Oracle) bool { return o != checker.OracleLiveness })
	estimated := slices.ContainsFunc(r.History.Leases, func(l checker.Lease) bool {
		return slices.ContainsFunc(r.History.Header.Clients, func(c checker.Client) bool {
			return c.Name == l.Client && c.Validity == checker.ValidityLaboratory
		})
	})
	if !unsafe || !estimated {
		return ""
	}
	return "this lock reports no end of its leases: the laboratory counts the TTL from the start of the attempt. " +
		"Give its lease Until() with an allowance for clock drift (1 % + 2 ms), or Started() where the TTL counts from another instant."
}

// openOf lists the inconclusive answers, and the bound that ended the run.
func openOf(r *play.Result) []string {
	var list []string
	if r.Outcome != string(sim.Finished) {
		list = append(list, "the run ended at its bound: "+r.Outcome)
	}
	return append(list, inWords(r, func(a checker.Answer) bool { return a.Status == checker.Inconclusive })...)
}

// tell is the text of a failure with the story of its run.
func (s *suiteTest) tell(t *testing.T, result *play.Result, bugs []string) string {
	t.Helper()
	text := strings.Join(bugs, "\n")
	story, err := explain.NewStory(play.Explained(result.Plan, result.History, &result.Verdict, result.Events), explain.StoryOptions{CausalOnly: true})
	if err != nil {
		return s.failure(t, result.Plan.Seed, text, "no story: "+err.Error())
	}
	var told strings.Builder
	_, _ = story.WriteTo(&told) // a strings.Builder takes everything
	for _, line := range lastErrors(result) {
		told.WriteString("\n" + line + "\n")
	}
	if advice := expiryAdvice(result); advice != "" {
		told.WriteString("\n" + advice + "\n")
	}
	switch dir, err := s.save(result, story); {
	case err != nil:
		fmt.Fprintf(&told, "\nnot saved: %v\n", err)
	case dir != "":
		fmt.Fprintf(&told, "\nsaved in %s\n", dir)
	}
	if again, err := play.RunLock(result.Plan, play.RunOptions{Real: candidateLimit}, s.candidate.implementation(), s.candidate.Abilities); err != nil || again.TraceHash != result.TraceHash {
		told.WriteString("\nnot deterministic: the same plan made another trace when it was played again. The lock takes something of the machine that [Environment] has: randomness, a clock, the order of a map.\n")
	}
	return s.failure(t, result.Plan.Seed, text, told.String())
}

// failure is the text of a failure. Its last line is the command that plays the
// run again.
func (s *suiteTest) failure(t *testing.T, seed uint64, what, story string) string {
	t.Helper()
	parts := strings.Split(t.Name(), "/")
	for i := range parts {
		parts[i] = "^" + parts[i] + "$"
	}
	if story != "" {
		what += "\n\n" + story
	}
	return fmt.Sprintf("seed %d: %s\nplay it again, and save it with its picture:\n  %s=%d %s=out go test -count=1 -run '%s' %s",
		seed, what, SeedsVariable, seed, OutVariable, strings.Join(parts, "/"), testedPackage())
}

// testedPackage is the import path of the package whose test this program is, so
// that the command works in every folder of its module; "." where it was made of single files.
func testedPackage() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "."
	}
	path, isTest := strings.CutSuffix(info.Path, ".test")
	if !isTest || path == "command-line-arguments" {
		return "."
	}
	return path
}
