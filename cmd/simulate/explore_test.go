package main

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/journal"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/search"
)

// TestExplorationCode: a violation that is the lock's own bug fails an exploration,
// whatever else broke; it is a finding of its own.
func TestExplorationCode(t *testing.T) {
	overlap := func(bug bool) checker.Answers {
		return checker.Answers{{Oracle: checker.OracleOverlap, Status: checker.Violated, Bug: bug}}
	}
	for _, test := range []struct {
		name             string
		run              campaign.Summary
		found, expecting int // exit codes: as it is, and with --expect violated
	}{
		{"nothing", campaign.Summary{Answers: checker.Answers{{Oracle: checker.OracleOverlap, Status: checker.Holds}}}, exitExpected, exitSafety},
		{"nothing broken", campaign.Summary{Answers: overlap(true)}, exitSafety, exitSafety},
		{"explained", campaign.Summary{Answers: overlap(false), Broken: []string{"A-VOTE"}}, exitExpected, exitExpected},
		{"broken, and not why", campaign.Summary{Answers: overlap(true), Broken: []string{"A-WORK"}}, exitSafety, exitExpected},
	} {
		e := &search.Exploration{}
		test.run.Outcome = campaign.Finished
		e.Take(search.Explored{Run: 1, Summary: test.run}, &plan.Plan{})
		for _, f := range e.Findings() {
			if does := strings.HasSuffix(f.Target.String(),
				"which is not its cause"); does != (len(test.run.Broken) > 0 && len(test.run.Answers.Bugs()) > 0) {
				t.Errorf("%s is told as %s", test.name, f.Target)
			}
		}
		if code := explorationCode(e, false, true, 0); code != test.found {
			t.Errorf("%s: exit %d, want %d", test.name, code, test.found)
		}
		if code := explorationCode(e, true, true, 0); code != test.expecting {
			t.Errorf("%s with --expect violated: exit %d, want %d", test.name, code, test.expecting)
		}
	}
}

// TestExploreContinuesAfterShrinking: interrupted while it shrinks its findings, explore keeps its
// runs and names the command that continues.
func TestExploreContinuesAfterShrinking(t *testing.T) {
	p := &program{out: io.Discard, err: io.Discard}
	spec := explorationSpec{Strategy: search.StrategyNames()[0], Seed: 1, Runs: 1, Options: search.Trial{Subject: "SY-0"}}
	f := &exploreFlags{explorationSpec: spec}
	draw, err := search.Start(spec.Strategy, spec.Options)
	if err != nil {
		t.Fatal(err)
	}
	drawn, err := draw(1)
	if err != nil {
		t.Fatal(err)
	}
	e := &search.Exploration{Draw: draw, First: 1, Runs: 1, Known: map[int]search.Explored{}}
	e.Take(search.Explored{Run: 1, Summary: campaign.Summary{
		Outcome: campaign.Finished,
		Answers: checker.Answers{{Oracle: checker.OracleOverlap, Status: checker.Violated, Bug: true}},
	}}, drawn)
	t.Chdir(t.TempDir())
	kept := journal.New("explore", &spec)
	if err := kept.KeepIn("D"); err != nil {
		t.Fatal(err)
	}
	if err := (&playFlags{scripts: "native", workers: 1, runLimit: time.Second}).apply(p); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	code, message := codeOf(p.showExploration(ctx, f, e, kept))
	if code != exitInterrupted || !strings.Contains(message, "./simulate explore --resume D") {
		t.Errorf("exit %d: %s", code, message)
	}
}
