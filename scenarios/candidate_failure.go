package scenarios

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"redlocklab/checker"
	"redlocklab/scenarios/play"
	"redlocklab/scenarios/saved"
	"redlocklab/sim/explain"
)

// bugReport is the text of a failure: the bugs, the story of the run, what may help, and
// the command that plays the run again.
func (s *suiteTest) bugReport(t *testing.T, result *play.Result, bugs []string) string {
	t.Helper()
	var text, story strings.Builder
	text.WriteString(strings.Join(bugs, "\n") + "\n")
	told, err := explain.NewStory(play.Explained(result.Plan, result.History, &result.Verdict, result.Events), explain.StoryOptions{CausalOnly: true})
	if err != nil {
		return s.failure(t, result.Plan.Seed, text.String()+"\nno story: "+err.Error())
	}
	_, _ = told.WriteTo(&story) // a strings.Builder takes everything
	text.WriteString("\n" + story.String())
	paragraphs := append(lastErrors(result), expiryAdvice(result))
	switch dir, err := s.save(result, story.String()); {
	case err != nil:
		paragraphs = append(paragraphs, "not saved: "+err.Error())
	case dir != "":
		paragraphs = append(paragraphs, "saved in "+dir)
	}
	if again, err := s.run(result.Plan); err != nil || again.TraceHash != result.TraceHash {
		paragraphs = append(paragraphs, "not deterministic: the same plan made another trace when it was played again. The lock takes something from the machine that [Environment] offers: randomness, a clock, the order of a map.")
	}
	for _, p := range paragraphs {
		if p != "" {
			text.WriteString("\n" + p + "\n")
		}
	}
	return s.failure(t, result.Plan.Seed, text.String())
}

// failure is the text of a failure. Its last line is the command that plays the run again.
func (s *suiteTest) failure(t *testing.T, seed uint64, what string) string {
	t.Helper()
	parts := strings.Split(t.Name(), "/")
	for i := range parts {
		parts[i] = "^" + parts[i] + "$"
	}
	return fmt.Sprintf("seed %d: %s\nplay it again, and save it with its picture:\n  %s=%d %s=out go test -count=1 -run '%s' %s",
		seed, what, SeedsVariable, seed, OutVariable, strings.Join(parts, "/"), testedPackage())
}

// save writes a failing run and its story below the folder that [OutVariable] names, and
// returns the run's folder; empty if the variable is not set.
func (s *suiteTest) save(result *play.Result, story string) (string, error) {
	if s.out == "" {
		return "", nil
	}
	out, err := filepath.Abs(s.out) // the reader may be in another folder than the test
	if err != nil {
		return "", err
	}
	dir := filepath.Join(out, result.Plan.Scenario)
	if err := saved.Write(result, dir); err != nil {
		return "", err
	}
	return dir, os.WriteFile(filepath.Join(dir, "story.txt"), []byte(story), 0o644)
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
