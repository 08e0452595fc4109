package main

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"redlocklab/scenarios/plan"
)

// TestOverviewFitsAScreen: what a newcomer sees first, both streams, has at most 60 lines
// of at most 100 columns, with a line for each claim, and three commands.
func TestOverviewFitsAScreen(t *testing.T) {
	command := exec.Command("simulate")
	command.Dir, command.Env = t.TempDir(), append(os.Environ(), "COLUMNS=100")
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) > 60 {
		t.Errorf("%d lines; allowed: 60", len(lines))
	}
	for _, line := range lines {
		if n := utf8.RuneCountInString(line); n > 100 {
			t.Errorf("%d columns; allowed: 100: %s", n, line)
		}
	}
	for _, claim := range plan.Claims() {
		if claim.Kind != plan.KindSystem && !regexp.MustCompile("(?m)^"+claim.ID+" .*(holds|not with|alone|measured|true).*$").Match(out) {
			t.Errorf("no verdict about %s in\n%s", claim.ID, out)
		}
	}
	for _, want := range []string{
		`(?m)^BA-2 .* 2 holders holds +2 holders true: A-VOTE$`, `(?m)^MX-1 .* holds +holds +holds +holds$`, `(?m)^LV-4 .* late +holds +holds +true: A-RANDOM$`,
		`(?m)^RP-4 .* - +holds +- +holds$`, `(?m)^MX-8 .* holds +holds +own bug +not with redsync$`,
	} {
		if !regexp.MustCompile(want).Match(out) {
			t.Errorf("found no %s in\n%s", want, out)
		}
	}
	if n := strings.Count(string(out), "\n  ./simulate "); n != 3 {
		t.Errorf("%d commands to go on with; want 3", n)
	}
}

func TestShortTextsOfClaimsFit(t *testing.T) {
	for _, claim := range plan.Claims() {
		if n := utf8.RuneCountInString(claim.Short); n == 0 || n > 43 {
			t.Errorf("%s: %d columns; allowed: 1 to 43", claim.ID, n)
		}
	}
}
