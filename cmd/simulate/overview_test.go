package main

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"redlocklab/cmd/simulate/tables"
	"redlocklab/scenarios/plan"
)

// TestOverviewFitsAScreen: what a newcomer sees first has at most 60 lines of at most 100
// columns, with a line for each claim, and three commands. Progress counts as in the minute
// that it may take, however slow this machine is.
func TestOverviewFitsAScreen(t *testing.T) {
	command := exec.Command("simulate")
	command.Dir, command.Env = t.TempDir(), append(os.Environ(), "COLUMNS=100")
	var progress strings.Builder
	command.Stderr = &progress
	start := time.Now()
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, progress.String())
	}
	if n, allowed := strings.Count(string(out), "\n"), 60-int(time.Minute/tables.Silence); n > allowed {
		t.Errorf("%d lines; allowed: %d", n, allowed)
	}
	if n, allowed := strings.Count(progress.String(), "\n"), int(time.Since(start)/tables.Silence); n > allowed {
		t.Errorf("%d lines of progress in %v; allowed: %d", n, time.Since(start), allowed)
	}
	for line := range strings.Lines(string(out) + progress.String()) {
		line = strings.TrimSuffix(line, "\n")
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
