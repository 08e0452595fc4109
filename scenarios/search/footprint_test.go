package search_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios/cause"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/play"
	"redlocklab/scenarios/search"
)

var footprintRuns = flag.Int("footprints", 40, "how many violated runs TestFootprintsAgree decides; with -v it prints how often footprints and causes differ")

// footprintSeed lets parts of a long comparison play one after the other, or beside each other.
var footprintSeed = flag.Uint64("footprintseed", 0, "the first seed of TestFootprintsAgree, which prints the first that it left")

// mostMedianReplays is what the causes of a violated run may cost in the median.
const mostMedianReplays = 3

// difference names how what explains a finding in the history (footprints) differs
// from what caused it in replays (causes). It is empty where both say the same.
func difference(footprints, causes []string) string {
	more := slices.ContainsFunc(footprints, func(id string) bool { return !slices.Contains(causes, id) })
	less := slices.ContainsFunc(causes, func(id string) bool { return !slices.Contains(footprints, id) })
	switch {
	case more && len(causes) == 0:
		return "touched-own-bug"
	case less && len(footprints) == 0:
		return "distant-cause"
	case more && less:
		return "other-cause"
	case more:
		return "touched-too"
	case less:
		return "distant-helper"
	}
	return ""
}

// TestFootprintsAgree decides violated runs in both ways: by what breaks touched in
// the history, and by replays without them. They differ only in the ways that
// ORACLES.md names. Without a planted bug each finding has a cause.
func TestFootprintsAgree(t *testing.T) {
	text, err := os.ReadFile("ORACLES.md")
	if err != nil {
		t.Fatal(err)
	}
	replay := func(p *plan.Plan) (*play.Result, error) { return play.Run(p, play.RunOptions{Real: time.Minute}) }
	ways, findings, runs, undecided, replays := map[string]int{}, 0, 0, 0, []int(nil)
	subjects, seed := agreementSubjects(), *footprintSeed
	for ; runs < *footprintRuns && seed < *footprintSeed+uint64(*footprintRuns)*200; seed++ {
		p, err := search.Swarm(seed, subjects[seed%uint64(len(subjects))])
		if err != nil {
			t.Fatal(err)
		}
		run, err := replay(p)
		if err != nil {
			t.Fatal(err)
		}
		if len(run.Verdict.Answers().Violated()) == 0 {
			continue
		}
		runs++
		answer := cause.Decide(run, replay, cause.Options{})
		replays = append(replays, answer.Replays)
		for _, finding := range answer.Findings {
			if finding.Undecided != "" {
				undecided++
				continue
			}
			findings++
			if subject := subjects[seed%uint64(len(subjects))]; len(subject.Settings) == 0 && finding.OwnBug() {
				t.Errorf("seed %d, %+v: %s: nothing broken caused it: %s", seed, subject, finding.Sort, finding.Text)
			}
			way := difference(finding.Ledger, finding.Assumptions())
			if way == "" {
				continue
			}
			line := fmt.Sprintf("%s: %s by footprints %v, by causes %v", way, finding.Sort, finding.Ledger, finding.Assumptions())
			if ways[line]++; ways[line] <= 3 {
				t.Logf("seed %d, %+v: %s", seed, subjects[seed%uint64(len(subjects))], line)
			}
			if !strings.Contains(string(text), "| `"+way+"` |") {
				t.Errorf("seed %d: %s is not told in ORACLES.md", seed, way)
			}
		}
	}
	if runs < *footprintRuns || runs == 0 {
		t.Fatalf("%d violated runs, want %d", runs, *footprintRuns)
	}
	differing := 0
	for _, way := range slices.Sorted(maps.Keys(ways)) {
		t.Logf("%6d %s", ways[way], way)
		differing += ways[way]
	}
	slices.Sort(replays)
	if median := replays[len(replays)/2]; median > mostMedianReplays {
		t.Errorf("%d replays in the median, want at most %d", median, mostMedianReplays)
	}
	t.Logf("%d violated runs before seed %d, %d findings, %d differ, %d undecided; replays for a run: %d in the median, %d at most",
		runs, seed, findings, differing, undecided, replays[len(replays)/2], replays[len(replays)-1])
}

func TestDifference(t *testing.T) {
	const vote, work = checker.AssumptionVote, checker.AssumptionWork
	for _, c := range []struct {
		footprints, causes []string
		want               string
	}{
		{nil, nil, ""},
		{[]string{vote}, []string{vote}, ""},
		{[]string{vote}, nil, "touched-own-bug"},
		{nil, []string{vote}, "distant-cause"},
		{[]string{vote, work}, []string{vote}, "touched-too"},
		{[]string{vote}, []string{vote, work}, "distant-helper"},
		{[]string{work}, []string{vote}, "other-cause"},
	} {
		if got := difference(c.footprints, c.causes); got != c.want {
			t.Errorf("%v, %v: %q, want %q", c.footprints, c.causes, got, c.want)
		}
	}
}
