package search_test

import (
	"encoding/json"
	"slices"
	"testing"

	"redlocklab/checker"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/search"
)

// TestExploredInJournal: a run comes back from the journal with all that a search asks of it.
// The line has the keys that FORMATS.md promises.
func TestExploredInJournal(t *testing.T) {
	margin := int64(-7)
	answers := func(status checker.Status, bug bool) (all checker.Answers) {
		for _, o := range checker.Oracles() {
			all = append(all, checker.Answer{Oracle: o, Status: checker.Holds})
		}
		all[0].Status, all[0].Bug = status, bug
		return all
	}
	for _, c := range []struct {
		name string
		x    search.Explored
		line string
	}{
		{"holds", search.Explored{
			Run: 1, Summary: campaign.Summary{Outcome: campaign.Finished, Answers: answers(checker.Holds, false)},
		},
			`{"run":1,"outcome":{"finished":true}}`},
		{"bug", search.Explored{Run: 2, Summary: campaign.Summary{
			Outcome: campaign.Finished, Answers: answers(checker.Violated, true), Broken: []string{"A-VOTE"},
			LapsedMarginNS: &margin, Points: []string{"p"},
			Causes: &campaign.Causes{
				Replays: 3, Findings: []campaign.FoundCause{{Oracle: checker.Oracles()[0], Kind: "own bug"}},
			},
		}}, `{"run":2,"outcome":{"violated":["overlap"],"unexplained":["overlap"],"broken":["A-VOTE"],"finished":true,` +
			`"lapsed_margin_ns":-7,"moments":["p"],"causes":{"replays":3,"findings":[{"oracle":"overlap","kind":"own bug"}]}}}`},
		{"killed", search.Explored{Run: 3, Summary: campaign.Summary{Failure: "killed"}, Failure: "killed"},
			`{"run":3,"outcome":{"finished":false},"failure":"killed"}`},
	} {
		line, err := json.Marshal(c.x)
		if err != nil || string(line) != c.line {
			t.Errorf("%s: %s, %v; want %s", c.name, line, err, c.line)
		}
		var back search.Explored
		if err := json.Unmarshal(line, &back); err != nil {
			t.Fatal(err)
		}
		was, is := &c.x.Summary, &back.Summary
		if back.Run != c.x.Run || back.Failure != c.x.Failure || is.Decided() != was.Decided() ||
			!slices.Equal(is.Answers.Violated(), was.Answers.Violated()) ||
			!slices.Equal(is.Answers.Bugs(), was.Answers.Bugs()) ||
			!slices.Equal(is.Broken, was.Broken) || !slices.Equal(is.Kinds(), was.Kinds()) ||
			!slices.Equal(is.Points, was.Points) {
			t.Errorf("%s: came back as %+v", c.name, back)
		}
	}
	if err := json.Unmarshal([]byte(`{"run":1,"outcome":{"surprise":true}}`), new(search.Explored)); err == nil {
		t.Error("an unknown key is read")
	}
}
