package tla

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// recorded reads an output of TLC 2.18 on the model of the same name.
func recorded(t *testing.T, name string) Outcome {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	outcome, err := ParseOutcome(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	return outcome
}

func TestParseOutcomeOfRecordedRuns(t *testing.T) {
	for _, test := range []struct {
		name      string
		completed bool
		violated  string
		temporal  bool
		errors    int
	}{
		{name: "MX-11-refusal", completed: true},
		{name: "BA-2", violated: "MutualExclusion"},
		{name: "MX-3-twin", violated: "LateIsRefused"},
		{name: "LV-1-twin", temporal: true},
		{name: "LV-2-twin", temporal: true},
		{name: "parse-error", errors: 1},
	} {
		outcome := recorded(t, test.name)
		if outcome.Completed != test.completed || outcome.Violated != test.violated ||
			outcome.Temporal != test.temporal || len(outcome.Errors) != test.errors {
			t.Errorf("%s: %+v", test.name, outcome)
		}
		if hasCounts := outcome.Distinct > 0 && outcome.Generated >= outcome.Distinct; hasCounts != (test.errors == 0) {
			t.Errorf("%s: counts %d, %d", test.name, outcome.Generated, outcome.Distinct)
		}
	}
}

// A simulation ends without a message of success and without distinct states.
func TestParseOutcomeOfASimulation(t *testing.T) {
	outcome := recorded(t, "MX-1-n5c3-sampled")
	if outcome.Generated != 2985056 || outcome.Completed || len(outcome.Errors) != 0 {
		t.Errorf("%+v", outcome)
	}
}

func TestProgressIsPassedOn(t *testing.T) {
	const output = "@!@!@STARTMSG 2200:0 @!@!@\nProgress(3) at noon: 7 states generated\n@!@!@ENDMSG 2200 @!@!@\n"
	var lines []string
	if _, err := ParseOutcome(strings.NewReader(output), func(line string) {
		lines = append(lines, line)
	}); err != nil {
		t.Fatal(err)
	}
	if len(lines) != 1 || !strings.HasPrefix(lines[0], "Progress(3)") {
		t.Errorf("progress lines: %q", lines)
	}
}

// Each way in which TLC can differ from the manifest must be a problem.
func TestCompareFindsEveryDifference(t *testing.T) {
	holds := Model{Name: "M", Expected: Holds, DistinctStates: 7}
	safety := Model{Name: "M", Expected: Safety, Violates: "Inv", DistinctStates: 7}
	liveness := Model{Name: "M", Expected: Liveness, Violates: "Live"}
	sampled := Model{Name: "M", Expected: Holds, Simulate: &Simulation{}}
	for _, test := range []struct {
		name     string
		model    Model
		outcome  Outcome
		problems int
	}{
		{"holds", holds, Outcome{Completed: true, Distinct: 7}, 0},
		{"holds, another count", holds, Outcome{Completed: true, Distinct: 8}, 1},
		{"holds, killed", holds, Outcome{ExitCode: 137, Distinct: 7}, 2},
		{"holds, exit 0 without the message", holds, Outcome{Distinct: 7}, 1},
		{"holds, violated", holds, Outcome{ExitCode: 12, Violated: "Inv", Distinct: 7}, 3},
		{"holds, an error besides", holds, Outcome{Completed: true, Distinct: 7, Errors: []string{"x"}}, 1},
		{"safety", safety, Outcome{ExitCode: 12, Violated: "Inv", Distinct: 7}, 0},
		{"safety, by an action property", safety, Outcome{ExitCode: 13, Violated: "Inv", Distinct: 7}, 0},
		{"safety, another invariant", safety, Outcome{ExitCode: 12, Violated: "TypeOK", Distinct: 7}, 1},
		{"safety, exit code of success", safety, Outcome{ExitCode: 0, Violated: "Inv", Distinct: 7}, 1},
		{"safety, holds after all", safety, Outcome{Completed: true, Distinct: 7}, 2},
		{"liveness", liveness, Outcome{ExitCode: 13, Temporal: true}, 0},
		{"liveness, safety failed first", liveness, Outcome{ExitCode: 12, Violated: "TypeOK"}, 2},
		{"sampled", sampled, Outcome{Generated: 5}, 0},
		{"sampled nothing", sampled, Outcome{}, 1},
	} {
		if problems := test.model.compare(test.outcome, true); len(problems) != test.problems {
			t.Errorf("%s: %q, expected %d problems", test.name, problems, test.problems)
		}
	}
	if problems := holds.compare(Outcome{Completed: true, Distinct: 8}, false); len(problems) != 0 {
		t.Errorf("another TLC: %q", problems)
	}
}

func FuzzParseOutcome(f *testing.F) {
	text, err := os.ReadFile(filepath.Join("testdata", "LV-2-twin.txt"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	f.Fuzz(func(t *testing.T, text string) {
		outcome, err := ParseOutcome(strings.NewReader(text), nil)
		if err == nil && outcome.Completed && !strings.Contains(text, "STARTMSG") {
			t.Errorf("completed without a message: %q", text)
		}
	})
}
