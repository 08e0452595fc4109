package scenarios_test

import (
	"strings"
	"testing"

	"redlocklab/scenarios"
	"redlocklab/scenarios/explain"
)

// TestStoryOfFencedAcquisition: a command that changes a counter beside the lock's key
// is told by what it did with the lock.
func TestStoryOfFencedAcquisition(t *testing.T) {
	result := playSuite(t, "RP-5-durable", "SY-10", 1)
	story, err := explain.NewStory(scenarios.Explained(result.Plan, result.History, &result.Verdict, result.Events), explain.StoryOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var told strings.Builder
	if _, err := story.WriteTo(&told); err != nil {
		t.Fatal(err)
	}
	if text := told.String(); strings.Contains(text, "(also)") || strings.Contains(text, "and yet") || !strings.Contains(text, "is a quorum, A holds") {
		t.Errorf("it is told wrongly:\n%s", text)
	}
}
