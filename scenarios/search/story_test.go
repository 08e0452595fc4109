package search_test

import (
	"strings"
	"testing"
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios/play"
	"redlocklab/scenarios/search"
	"redlocklab/sim/explain"
)

// TestStoriesCountVotes: nobody holds without a quorum in the story of a drawn run of a
// right lock. A SET that waited for its connection was once told as one of the next attempt.
func TestStoriesCountVotes(t *testing.T) {
	for seed := range uint64(short(120, 20)) {
		result, err := play.Run(drawn(t, seed, search.Trial{
			Subject: "SY-0", Break: []string{checker.AssumptionVote},
		}), play.RunOptions{Real: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		story, err := explain.NewStory(result.Explained(), explain.StoryOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		if _, err := story.WriteTo(&text); err != nil {
			t.Fatal(err)
		}
		for line := range strings.SplitSeq(strings.Join(strings.Fields(text.String()), " "), ". ") {
			if strings.Contains(line, "is no quorum, and yet") {
				t.Errorf("seed %d: %s", seed, line)
			}
		}
	}
}
