package scenarios

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"redlocklab/scenarios/cause"
	"redlocklab/scenarios/ci"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/scenarios/saved"
)

// savedPlan plays a saved run again: its folder, or a file with a plan. It says whether the
// trace is the same, what caused what was found, and the smallest plan.
func (s *suiteTest) savedPlan(t *testing.T, path string) {
	t.Helper()
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, saved.PlanFile)
	}
	p, err := plan.LoadPlan(path)
	if err != nil {
		t.Fatalf("%s: %v", PlanVariable, err)
	}
	if p.Subject.Name != s.candidate.Name {
		t.Fatalf("%s: found a plan of %s; allowed: one of %s", PlanVariable, p.Subject.Name, s.candidate.Name)
	}
	result, err := s.run(p)
	if err != nil {
		t.Fatal(err)
	}
	setAside(result)
	t.Log(s.compared(t, path, result))
	if len(bugsOf(result)) == 0 {
		return
	}
	bug := cause.BugOf(result)
	again := fmt.Sprintf("%s=%s go test -count=1 -run '%s' %s", PlanVariable, path, exactly(t.Name()), s.package_)
	t.Fatalf("%s\n%s", bug.Kind, s.tell(&outcome{
		ending: ending{Case: ci.Case{Name: p.Scenario, Test: t.Name(), Seed: p.Seed, Text: bug.Text, Command: again}},
		result: result,
	}))
}

// compared says what became of a saved run. Another trace of the same plan is an error.
func (s *suiteTest) compared(t *testing.T, path string, r *play.Result) string {
	t.Helper()
	what := path + ": no bug, trace " + r.TraceHash
	if len(bugsOf(r)) > 0 {
		what = path + ": a bug, trace " + r.TraceHash
	}
	old, err := saved.Open(filepath.Dir(path))
	switch {
	case filepath.Base(path) != saved.PlanFile || err != nil:
		return what + ": a plan without a trace to compare with"
	case old.Changed():
		return what + ": a new run, for the plan was changed since it was saved"
	case old.Verdict.TraceHash == r.TraceHash:
		return what + ", the same as when it was saved"
	}
	dir := filepath.Join(t.TempDir(), "again")
	if err := saved.Write(r, nil, dir); err != nil {
		t.Fatal(err)
	}
	difference, err := saved.CompareTraces(filepath.Join(old.Dir, saved.TraceFile), filepath.Join(dir, saved.TraceFile))
	if err != nil {
		t.Fatal(err)
	}
	if difference != nil {
		t.Errorf("the same plan made another trace; first in event %d:\n  saved:    %s\n  replayed: %s", difference.Line, difference.First, difference.Second)
	}
	return what + ", another than when it was saved"
}
