package main

import (
	"errors"
	"os/exec"
	"regexp"
	"testing"
)

// TestMutantsSample looks at the table. Whether SY-10 is healthy is for the
// command's exit code to say, so 0 and 1 are both good here.
func TestMutantsSample(t *testing.T) {
	out, err := exec.Command("simulate", "mutants", "--sample").Output()
	var failed *exec.ExitError
	if err != nil && (!errors.As(err, &failed) || failed.ExitCode() != exitSafety) {
		t.Fatal(err)
	}
	for _, want := range []string{
		`(?m)^blind-release +overlap +200 +[0-9]+ +release deletes`,
		`(?m)^minority-quorum +overlap +200 +[0-9]+ `,
		`(?m)^SY-0 +any +200 +never +healthy$`,
		`(?m)^SY-10 +any +200 `,
	} {
		if !regexp.MustCompile(want).Match(out) {
			t.Errorf("nothing matches %s in:\n%s", want, out)
		}
	}
	if regexp.MustCompile("NOT CAUGHT").Match(out) {
		t.Errorf("a planted bug was not caught:\n%s", out)
	}
}
