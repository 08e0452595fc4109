package report_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"redlocklab/cmd/simulate/report"
	"redlocklab/scenarios"
)

// TestEveryViolationIsDiagnosed: the committed results and what is said of them
// belong together, and the check finds both sorts of a gap.
func TestEveryViolationIsDiagnosed(t *testing.T) {
	in := committed(t)
	if gaps := in.Undiagnosed(); len(gaps) > 0 {
		t.Errorf("%s", strings.Join(gaps, "\n"))
	}
	rest := slices.DeleteFunc(slices.Clone(in.Diagnoses), func(d report.Diagnosis) bool {
		return d.System == "SY-11-redsync" && slices.Contains(d.Scenarios, "BA-8-node-bound")
	})
	in.Diagnoses = append(rest, report.Diagnosis{System: "SY-0", Scenarios: []string{"MX-1"}, Cause: report.CauseLock})
	gaps := strings.Join(in.Undiagnosed(), "\n")
	for _, want := range []string{"BA-8-node-bound SY-11-redsync: no broken assumption explains a violation", `SY-0 has no unexplained violation in any of ["MX-1"]`} {
		if !strings.Contains(gaps, want) {
			t.Errorf("%q is not said:\n%s", want, gaps)
		}
	}
}

func TestBadDiagnoses(t *testing.T) {
	for text, want := range map[string]string{
		"- system: SY-1\n  scenarios: [MX-1]\n  cause: luck\n  finding: f\n  why: w\n":                     `:1: found the cause "luck"; allowed: `,
		"- system: SY-1\n  scenarios: [MX-1]\n  cause: the lock\n  oracle: luck\n  finding: f\n  why: w\n": `:1: found the oracle "luck"; allowed: `,
		"\n- system: SY-1\n  cause: the lock\n":                                                            ":2: found no system, scenarios, finding or why",
		"- systems: SY-1\n":                                                                                "line 1: field systems not found",
	} {
		path := filepath.Join(t.TempDir(), "diagnoses.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := report.LoadDiagnoses(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

// committed is what the committed report is made of, without maps and models.
func committed(t *testing.T) *report.Input {
	t.Helper()
	results, err := report.Load("results/cells.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	diagnoses, err := report.LoadDiagnoses("diagnoses.yaml")
	if err != nil {
		t.Fatal(err)
	}
	suite, err := scenarios.Suite()
	if err != nil {
		t.Fatal(err)
	}
	plans, err := report.LoadMinimal("minimal")
	if err != nil {
		t.Fatal(err)
	}
	return &report.Input{Results: results, Diagnoses: diagnoses, Suite: suite, Minimal: plans}
}
