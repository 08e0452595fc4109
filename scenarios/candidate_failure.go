package scenarios

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"redlocklab/checker"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/cause"
	"redlocklab/scenarios/ci"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/scenarios/saved"
	"redlocklab/scenarios/search"
	"redlocklab/sim/explain"
)

// finish tells each bug once when all subtests are over, and writes the summary.
func (s *suiteTest) finish(t *testing.T) {
	t.Helper()
	report := &ci.Report{Lock: s.candidate.Name, Package: s.package_, File: s.file, Line: s.line}
	for _, o := range s.outcomes {
		if o.Name != "" { // -run chose it
			report.Cases = append(report.Cases, o.Case)
		}
	}
	bugs := report.Bugs()
	texts := make([]string, len(bugs))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, bug := range bugs {
		group.Go(func() error {
			texts[i] = s.told(s.clearest(bug))
			return nil
		})
	}
	_ = group.Wait() // nothing returns an error
	for i, bug := range bugs {
		t.Logf("BUG %d of %d: %s\nin %d of %d scenarios: %s\n\n%s", i+1, len(bugs), bug.Kind,
			len(bug.Names), len(report.Cases), strings.Join(bug.Names, ", "), texts[i])
	}
	for _, hint := range s.hints {
		t.Logf("%s: %s", s.candidate.Name, hint)
	}
	t.Logf("%s: %s; seeds %d-%d", s.candidate.Name, report.Counts(), s.first, s.last)
	if file, err := s.summary.Write(report); err != nil {
		t.Errorf("%s: %v", SummaryVariable, err)
	} else if file != "" {
		fmt.Fprintf(os.Stderr, "the summary of %s is in %s\n", s.candidate.Name, file)
	}
}

// clearest is the failed scenario that tells a bug best: with the fewest faults, then the
// shortest trace.
func (s *suiteTest) clearest(bug ci.Group) *outcome {
	var best *outcome
	for i := range s.outcomes {
		o := &s.outcomes[i]
		if !slices.Contains(bug.Names, o.Name) || o.Status != ci.Failed {
			continue
		}
		if best == nil || best.Size == nil || o.Size != nil && slices.Compare(o.Size, best.Size) < 0 {
			best = o
		}
	}
	return best
}

// told is the text of a bug, by a worker where there are any.
func (s *suiteTest) told(o *outcome) string {
	if s.workers == nil || o.Size == nil {
		return s.tell(o)
	}
	return s.workers.tell(job{Do: tellJob, Scenario: o.Name, Clock: s.candidate.Clock, Case: o.Case, Out: s.out}, o)
}

// tell is the text of a bug: what happened, the smallest plan that shows it, its story, what
// may help, and the command that plays the run again.
func (s *suiteTest) tell(o *outcome) string {
	if o.result == nil {
		return o.Text + "\nplay it again:\n  " + o.Command
	}
	result := o.result
	paragraphs := []string{"In " + o.Name + ", seed " + fmt.Sprint(o.Seed) + ":\n  " + o.Text, strings.Join(bugsOf(result), "\n")}
	small, change := s.smallest(result)
	if change != "" {
		paragraphs = append(paragraphs, change)
	}
	causes := s.causes(small)
	var why, text strings.Builder
	_, _ = causes.WriteTo(&why) // a strings.Builder takes everything
	if story, err := explain.NewStory(small.Explained(), explain.StoryOptions{CausalOnly: true}); err != nil {
		text.WriteString("no story: " + err.Error())
	} else {
		_, _ = story.WriteTo(&text) // a strings.Builder takes everything
	}
	paragraphs = append(paragraphs, strings.TrimSpace(why.String()), text.String())
	paragraphs = append(paragraphs, lastErrors(result)...)
	paragraphs = append(paragraphs, expiryAdvice(result))
	if again, err := s.run(result.Plan); err != nil || again.TraceHash != result.TraceHash {
		paragraphs = append(paragraphs, "not deterministic: the same plan made a different trace when it was played again. The lock takes something from the machine that Environment offers: randomness, a clock, the order of a map. The global source of math/rand is seeded; no program can seed that of math/rand/v2 or crypto/rand.")
	}
	plays := fmt.Sprintf("go test -count=1 -run '%s' %s", exactly(strings.Split(o.Test, "/")[0]), s.package_)
	dir, err := s.save(plays, result, small, causes, text.String())
	switch {
	case err != nil:
		paragraphs = append(paragraphs, "not saved: "+err.Error())
	case dir != "":
		said := "saved in " + dir + "; its picture is explain.svg"
		if small != result {
			said += "; the smallest run is beside it, in " + filepath.Base(dir) + smallestSuffix
		}
		paragraphs = append(paragraphs, fmt.Sprintf("%s. Replay it, ask for its cause, and shrink it; you may change its plan.json:\n  %s=%s %s",
			said, PlanVariable, dir, plays))
	}
	paragraphs = append(paragraphs, "play it again, and save it with its picture:\n  "+o.Command)
	return strings.Join(slices.DeleteFunc(paragraphs, func(p string) bool { return p == "" }), "\n\n")
}

// shrinkRuns bounds how many smaller plans are played for one bug.
const shrinkRuns = 60

// smallest is the run of the smallest plan that still shows the same bug, and what was taken
// away. It is the run itself when nothing can be.
func (s *suiteTest) smallest(r *play.Result) (*play.Result, string) {
	worst, ok := search.Worst(r.Verdict.Answers().Bugs(), r.Verdict.Broken())
	if !ok {
		return r, ""
	}
	worst.Unexplained = true
	runs, whole := 0, mustFail(r)
	minimal, err := search.Shrink(r.Plan, worst, func(p *plan.Plan) (campaign.Summary, error) {
		if runs++; runs > shrinkRuns || p.Subject.Name != s.candidate.Name ||
			whole && len(p.Faults) < len(r.Plan.Faults) {
			return campaign.Summary{}, nil // it shows nothing, and so stays as it is
		}
		smaller, err := s.run(p)
		if err != nil {
			return campaign.Summary{}, nil
		}
		setAside(smaller)
		return campaign.Summarize(smaller), nil
	})
	if err != nil {
		return r, ""
	}
	small, err := s.run(minimal.Plan)
	if err != nil || len(bugsOf(small)) == 0 {
		return r, ""
	}
	setAside(small)
	return small, fmt.Sprintf("The smallest plan that shows it (%d runs): %s.", runs, minimal.Change(r.Plan))
}

// mustFail reports whether a goal was missed that demands failures: without the run's faults
// the calls should succeed, and the goal would say nothing.
func mustFail(r *play.Result) bool {
	return slices.ContainsFunc(r.Verdict.Liveness.Goals, func(g checker.GoalResult) bool {
		return g.Status == checker.Violated && slices.ContainsFunc(r.History.Goals, func(x checker.Goal) bool {
			return x.ID == g.ID && x.Form == checker.GoalEachFails
		})
	})
}

// causes says what caused the findings of a run: which broken assumption they vanish without,
// and which fault they need.
func (s *suiteTest) causes(r *play.Result) *cause.Answer {
	return cause.Decide(r, func(p *plan.Plan) (*play.Result, error) {
		again, err := s.run(p)
		if err == nil {
			setAside(again)
		}
		return again, err
	}, cause.Options{Needed: true})
}

// command plays a seed of a subtest again, or several, as in 1-20.
func (s *suiteTest) command(name string, seeds any) string {
	return fmt.Sprintf("%s=%v %s=out go test -count=1 -run '%s' %s",
		SeedsVariable, seeds, OutVariable, exactly(name), s.package_)
}

// exactly is the pattern of -run that selects one test, whatever characters its name has.
func exactly(name string) string {
	parts := strings.Split(name, "/")
	for i := range parts {
		parts[i] = "^" + regexp.QuoteMeta(parts[i]) + "$"
	}
	return strings.Join(parts, "/")
}

// smallestSuffix ends the folder of the smallest run that shows a bug.
const smallestSuffix = "-smallest"

// save writes a failing run, and the smallest one with its causes and its story beside it,
// below the folder where runs are kept. It returns the run's folder; empty if nothing is kept.
func (s *suiteTest) save(plays string, result, small *play.Result, causes *cause.Answer, story string) (string, error) {
	if s.out == "" {
		return "", nil
	}
	out, err := filepath.Abs(s.out) // the reader may be in another folder than the test
	if err != nil {
		return "", err
	}
	dir := filepath.Join(out, result.Plan.Scenario)
	of := dir // the folder of the run that the causes and the story are of
	if small != result {
		of = dir + smallestSuffix
		if err := saved.Write(result, nil, dir); err != nil {
			return "", err
		}
	}
	if err := saved.Write(small, causes, of); err != nil {
		return "", err
	}
	package_, err := os.Getwd() // go test runs tests in their package's folder
	if err != nil {
		return "", err
	}
	again := fmt.Sprintf("cd '%s' && %s=DIR %s\n", package_, PlanVariable, plays)
	for _, folder := range []string{dir, of} {
		if err := os.WriteFile(filepath.Join(folder, saved.CommandFile), []byte(again), 0o644); err != nil {
			return "", err
		}
	}
	return dir, os.WriteFile(filepath.Join(of, search.StoryFile), []byte(story), 0o644)
}

// expiryAdvice says how to fix a violation that may be caused by our estimate of
// the leases' ends. It is empty when there is no such violation or estimate.
func expiryAdvice(r *play.Result) string {
	unsafe := slices.ContainsFunc(r.Verdict.Answers().Bugs(), func(o checker.Oracle) bool {
		return o != checker.OracleLiveness
	})
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

// testedPackage is the import path of the package whose test this program is, so that the
// command works in every folder of its module; "." if it was built from single files.
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
