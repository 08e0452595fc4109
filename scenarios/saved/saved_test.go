package saved_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"redlocklab/checker"
	"redlocklab/scenarios"
	"redlocklab/scenarios/journal"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/scenarios/saved"
)

// savedRun is a short run.
func savedRun(t *testing.T) *play.Result {
	t.Helper()
	suite, err := scenarios.Suite()
	if err != nil {
		t.Fatal(err)
	}
	mx6 := suite[slices.IndexFunc(suite, func(s *plan.Scenario) bool { return s.Name == "MX-6" })]
	plan, err := mx6.Plan("SY-0", 7)
	if err != nil {
		t.Fatal(err)
	}
	run, err := play.Run(plan, play.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func TestSavedRunComesBack(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "D")
	run := savedRun(t)
	for range 2 { // the second one replaces the first
		if err := saved.Write(run, nil, dir); err != nil {
			t.Fatal(err)
		}
	}
	if left := names(t, parent); len(left) != 1 {
		t.Errorf("left beside the run: %q", left)
	}
	back, err := saved.OpenSaved(dir)
	if err != nil {
		t.Fatal(err)
	}
	if back.Changed() || back.Verdict.PlanHash != run.PlanHash || back.Verdict.TraceHash != run.TraceHash ||
		len(back.Verdict.Verdict.Ledger) == 0 {
		t.Errorf("%+v", back)
	}
	back.Plan.Seed++
	if !back.Changed() {
		t.Error("another seed is the same plan")
	}
}

// TestOldVerdict: a verdict of another version, whose keys were others, is refused
// for its version, not for its keys.
func TestOldVerdict(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "D")
	if err := saved.Write(savedRun(t), nil, dir); err != nil {
		t.Fatal(err)
	}
	old := `{"version": 2, "trace_version": 1, "verdict": {"resource": {"status": "holds"}}}`
	if err := os.WriteFile(filepath.Join(dir, saved.VerdictFile), []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := saved.OpenSaved(dir); err == nil || !strings.Contains(err.Error(), "found version 2 with a trace of version 1; allowed: 3 with 1") {
		t.Errorf("got %v", err)
	}
}

// A run is saved wholly, or nothing is touched.
func TestSaveOrNothing(t *testing.T) {
	parent := t.TempDir()
	foreign := filepath.Join(parent, "foreign")
	if err := os.MkdirAll(foreign, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(foreign, "mine"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := saved.Write(savedRun(t), nil, foreign); err == nil {
		t.Error("a folder with something else was overwritten")
	}
	if got := names(t, foreign); len(got) != 1 || got[0] != "mine" {
		t.Errorf("the folder holds %q", got)
	}
	unwritable := savedRun(t)
	unwritable.History.Operations = []checker.Operation{{ID: ""}} // no history may say this
	if err := saved.Write(unwritable, nil, filepath.Join(parent, "D")); err == nil {
		t.Error("a history that cannot be read was saved")
	}
	if got := names(t, parent); len(got) != 1 {
		t.Errorf("left behind: %q", got)
	}
}

func TestCompareTraces(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	base := write("base", "a\nb\nc\n")
	for _, test := range []struct {
		text string
		want *saved.TraceDifference
	}{
		{"a\nb\nc\n", nil},
		{"a\nx\nc\n", &saved.TraceDifference{Line: 2, First: "b", Second: "x"}},
		{"a\nb\n", &saved.TraceDifference{Line: 3, First: "c", Second: ""}},
		{"a\nb\nc\nd\n", &saved.TraceDifference{Line: 4, First: "", Second: "d"}},
		{"", &saved.TraceDifference{Line: 1, First: "a", Second: ""}},
	} {
		got, err := saved.CompareTraces(base, write("other", test.text))
		if err != nil {
			t.Fatal(err)
		}
		if (got == nil) != (test.want == nil) || got != nil && *got != *test.want {
			t.Errorf("%q: %+v, want %+v", test.text, got, test.want)
		}
	}
}

// TestFolderOfSeveralSeeds: a campaign keeps no runs, and its folder says so, with
// the command that keeps one.
func TestFolderOfSeveralSeeds(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, journal.File), []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := saved.FindSaved(dir)
	for _, want := range []string{dir, "only the reports are kept", "simulate run NAME --seed N --out DIR"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}

// TestFilesThatWereCutShort: the error names the file and says what became of it.
func TestFilesThatWereCutShort(t *testing.T) {
	run := savedRun(t)
	for _, name := range []string{saved.PlanFile, saved.VerdictFile} {
		dir := filepath.Join(t.TempDir(), "D")
		if err := saved.Write(run, nil, dir); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, length := range []int{0, 1, len(text) / 3, len(text) / 2, len(text) - 2} {
			if err := os.WriteFile(path, text[:length], 0o644); err != nil {
				t.Fatal(err)
			}
			_, err := saved.Open(dir)
			if err == nil || !strings.HasPrefix(err.Error(), path+": ") || !strings.Contains(err.Error(), "cut short") {
				t.Errorf("%s, %d of %d bytes: %v", name, length, len(text), err)
			}
		}
	}
}
