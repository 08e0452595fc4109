package findings

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"redlocklab/checker"
	"redlocklab/faults"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
)

func finding(subject, cause string, runs int) Finding {
	return Finding{Subject: subject, Oracle: "overlap", Cause: cause, Plan: "crash, 2 clients", Runs: runs, Replay: "run " + subject}
}

// TestMerge: findings are the same when subject, oracle, cause and plan are. The first one's
// command stays, the runs add up, and the order does not depend on that of the groups.
func TestMerge(t *testing.T) {
	later := finding("SY-0", "A-VOTE", 3)
	later.Replay = "another command"
	got := merge([]Finding{finding("SY-9", "own bug", 1), finding("SY-0", "A-VOTE", 2), later, finding("SY-0", "A-STEP", 1)})
	want := []Finding{finding("SY-0", "A-STEP", 1), finding("SY-0", "A-VOTE", 5), finding("SY-9", "own bug", 1)}
	if !slices.Equal(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// TestCompare: a finding is new, known or gone by its key, whatever its runs and its command.
func TestCompare(t *testing.T) {
	now := &State{Findings: []Finding{finding("SY-0", "A-VOTE", 2), finding("SY-9", "own bug", 1)}}
	before := &State{Commit: "abc", Findings: []Finding{finding("SY-0", "A-VOTE", 7), finding("SY-2", "own bug", 1)}}
	for _, c := range []struct {
		before *State
		words  []string
		last   string
	}{
		{before, []string{"known", "new", "gone"}, "findings: 1 new, 1 known, 1 gone since abc"},
		{nil, []string{"new", "new"}, "findings: 2 new, 0 known, 0 gone; there is no campaign before"},
	} {
		var text strings.Builder
		now.Compare(&text, c.before)
		lines := strings.Split(strings.TrimSpace(text.String()), "\n")
		var words []string
		for _, line := range lines[:len(lines)-1] {
			words = append(words, strings.Fields(line)[0])
		}
		if !slices.Equal(words, c.words) || lines[len(lines)-1] != c.last {
			t.Errorf("got\n%s", text.String())
		}
	}
}

// TestState: a state file comes back as it was written. What is no such file is an error that
// says what is allowed.
func TestState(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state.json")
	if s, err := Load(path); s != nil || err != nil {
		t.Errorf("no file: %v, %v", s, err)
	}
	was := &State{Version: Version, Commit: "abc", Findings: []Finding{finding("SY-0", "A-VOTE", 2)}}
	if err := was.Write(path); err != nil {
		t.Fatal(err)
	}
	is, err := Load(path)
	if err != nil || is.Commit != "abc" || !slices.Equal(is.Findings, was.Findings) {
		t.Errorf("got %+v, %v", is, err)
	}
	if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), "found no file") {
		t.Errorf("a folder: %v", err)
	}
	for text, want := range map[string]string{
		`{"version":7,"commit":"","findings":[]}`:  "found version 7; allowed: 1",
		`{"version":1,"commit":"","surprises":[]}`: "surprises",
		`{`: "allowed: the file of an earlier campaign",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", text, err, want)
		}
	}
}

// TestWords: a minimal plan is told by its kinds of faults, sorted, and its clients.
func TestWords(t *testing.T) {
	p := &plan.Plan{Clients: make([]plan.Client, 2)}
	p.Faults = faults.Schedule{{Effect: &faults.Pause{}}, {Effect: &faults.Crash{}}}
	if got := inWords(p); got != "crash, pause, 2 clients" {
		t.Errorf("got %q", got)
	}
	if got := inWords(&plan.Plan{Clients: make([]plan.Client, 1)}); got != "no fault, 1 client" {
		t.Errorf("got %q", got)
	}
}

// TestShrinkStops: the error of a group that cannot be shrunk names its command, and no finding
// is returned.
func TestShrinkStops(t *testing.T) {
	groups := []Group{{First: &plan.Plan{Subject: plan.Subject{Name: "SY-0"}}, Replay: "simulate run X"}}
	groups[0].Target.Oracle = checker.OracleOverlap
	steps := 0
	found, err := Shrink(context.Background(), campaign.Settings{Workers: 1, Command: noWorker}, groups, func() {
		steps++
	})
	if err == nil || !strings.HasPrefix(err.Error(), "simulate run X: ") || found != nil || steps != 1 {
		t.Errorf("%v, %v after %d steps", found, err, steps)
	}
}

func noWorker(context.Context, string) (*exec.Cmd, error) { return nil, errors.New("no such program") }
