package main

import (
	"os/exec"
	"regexp"
	"testing"
)

// TestMutantsSample demands that every planted bug of the sample is caught, that
// the healthy subjects are not, and that the exit code says so.
func TestMutantsSample(t *testing.T) {
	out, err := exec.Command("simulate", "mutants", "--sample").Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{
		`(?m)^blind-release +overlap +200 +[0-9]+ +release deletes`,
		`(?m)^minority-quorum +overlap +200 +[0-9]+ `,
		`(?m)^SY-0 +any +200 +never +healthy$`,
		`(?m)^SY-10 +any +200 +never +healthy$`,
	} {
		if !regexp.MustCompile(want).Match(out) {
			t.Errorf("nothing matches %s in:\n%s", want, out)
		}
	}
	if regexp.MustCompile("NOT CAUGHT").Match(out) {
		t.Errorf("a planted bug was not caught:\n%s", out)
	}
}
