package explain_test

import (
	"testing"

	"redlocklab/scenarios"
	"redlocklab/scenarios/play"
	_ "redlocklab/scenarios/subjects"
	"redlocklab/sim/explain"
)

// TestPicturesOfTheSuite draws a run of every scenario with each of its subjects, with
// -short of every scenario with one: no labels touch, none is small, none leaves the
// picture.
func TestPicturesOfTheSuite(t *testing.T) {
	suite, err := scenarios.Suite()
	if err != nil {
		t.Fatal(err)
	}
	drawn := 0
	for _, scenario := range suite {
		subjects := scenario.Subjects
		if testing.Short() {
			subjects = subjects[:1]
		}
		for i := range subjects {
			check(t, scenario, subjects[i].Title())
			drawn++
		}
	}
	if drawn < 50 {
		t.Errorf("only %d pictures were drawn", drawn)
	}
}

func check(t *testing.T, scenario *scenarios.Scenario, subject string) {
	t.Helper()
	plan, err := scenario.Plan(subject, 1)
	if err != nil {
		t.Fatal(err)
	}
	result, err := play.Run(plan, play.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	picture := drawn(t, result.Explained(), explain.StoryOptions{CausalOnly: true})
	checkPicture(t, picture)
	for _, found := range collisions(t, picture) {
		t.Errorf("%s with %s: %s", scenario.Name, subject, found)
	}
}
