package main

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"redlocklab/scenarios/search"
)

// TestAgree: the oracles differ on drawn runs only in ways that are explained.
func TestAgree(t *testing.T) {
	out, err := exec.Command("simulate", "agree", "--runs", "120").Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{`(?m)^120 runs from seed 1$`, `(?m)^[1-9][0-9]* .* all hold +unused +they agree$`, `(?m) overlap, lock, key `} {
		if !regexp.MustCompile(want).Match(out) {
			t.Errorf("nothing matches %s in:\n%s", want, out)
		}
	}
}

// TestDisagreementsAreExplained: what is called explained is explained.
func TestDisagreementsAreExplained(t *testing.T) {
	text, err := os.ReadFile("../../scenarios/search/ORACLES.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range search.Disagreements() {
		if told := strings.Contains(string(text), "| `"+d.Name+"` |"); told != d.Explained {
			t.Errorf("%s: explained %v, in ORACLES.md %v", d.Name, d.Explained, told)
		}
	}
}
