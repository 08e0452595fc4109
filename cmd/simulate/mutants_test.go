package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"testing"

	"redlocklab/scenarios/journal"
)

// TestMutantsSample demands that every planted bug of the sample is caught, that
// the healthy subjects are not, and that the exit code says so.
func TestMutantsSample(t *testing.T) {
	if testing.Short() {
		t.Skip("NOT CHECKED with -short: the sample of planted bugs; go test ./cmd/simulate plays it")
	}
	t.Parallel()
	out, err := exec.Command("simulate", "mutants", "--sample").Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{
		`(?m)^blind-release +overlap +200 +[0-9]+ +release deletes`,
		`(?m)^minority-quorum +overlap +200 +[0-9]+ `,
		`(?m)^SY-0 +any +200 +never +healthy$`,
		`(?m)^SY-10 +any +200 +never +healthy$`,
		`(?m)^SY-10:A-VOTE +any +200 +never +healthy \(runs may break A-VOTE\)$`,
	} {
		if !regexp.MustCompile(want).Match(out) {
			t.Errorf("nothing matches %s in:\n%s", want, out)
		}
	}
	if regexp.MustCompile("NOT CAUGHT").Match(out) {
		t.Errorf("a planted bug was not caught:\n%s", out)
	}
	if rows := bytes.Count(out, []byte("\n")); rows < 10 {
		t.Errorf("only %d rows:\n%s", rows, out)
	}
}

// TestPatchedPackage: a bug that is planted into package redlock itself is found,
// shrunk, saved and replayed in runs of a program that was built with it.
func TestPatchedPackage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir() + "/found"
	out, err := exec.Command("simulate", "shrink", "redlock:quorum-off-by-one", "--out", dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{`(?m)^redlock:quorum-off-by-one: overlap is violated, broken: nothing; first in run [0-9]+, seed `, `(?m)^saved in .*/found; again: `} {
		if !regexp.MustCompile(want).Match(out) {
			t.Errorf("nothing matches %s in:\n%s", want, out)
		}
	}
}

// TestMutantsContinue: what the journal has is not played again; the journal of
// another build is refused.
func TestMutantsContinue(t *testing.T) {
	t.Parallel()
	dir := t.TempDir() + "/D"
	first, err := exec.Command("simulate", "mutants", "half-quorum", "--strategies", "swarm", "--out", dir).Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, first)
	}
	second, err := exec.Command("simulate", "mutants", "--resume", dir).Output()
	if err != nil || string(first) != string(second) {
		t.Errorf("%v: the same journal tells another story:\n%s\n%s", err, first, second)
	}
	path := dir + "/" + journal.File
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	other := regexp.MustCompile(`"program":"[0-9a-f]`).ReplaceAll(text, []byte(`"program":"x`))
	if err := os.WriteFile(path, other, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("simulate", "mutants", "--resume", dir).CombinedOutput()
	if exitStatus(err) != exitUsage || !regexp.MustCompile("another build").Match(out) {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestPatchesNeedGo: without the go command nothing can be planted.
func TestPatchesNeedGo(t *testing.T) {
	path, err := exec.LookPath("simulate")
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(path, "mutants", "redlock:quorum-off-by-one")
	command.Env = append(os.Environ(), "PATH="+t.TempDir())
	out, err := command.CombinedOutput()
	if exitStatus(err) != exitToolMissing || !regexp.MustCompile("needs the go command").Match(out) {
		t.Errorf("%v\n%s", err, out)
	}
}

func exitStatus(err error) int {
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return failed.ExitCode()
	}
	return 0
}
