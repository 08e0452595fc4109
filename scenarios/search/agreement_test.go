package search_test

import (
	"slices"
	"testing"

	"redlocklab/checker"
	"redlocklab/scenarios/campaign"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/search"
)

// TestDisagreements: each way of differing is told from the answers that show it.
func TestDisagreements(t *testing.T) {
	for _, c := range []struct {
		answers search.Answers
		words   string
		ways    []string
	}{
		{search.Answers{}, "all hold", nil},
		{search.Answers{Accessed: true}, "all hold", nil},
		{search.Answers{Overlap: true, Lock: true, Key: true}, "overlap, lock, key", nil},
		{search.Answers{Overlap: true, Lock: true}, "overlap, lock", []string{"quorum-in-spite"}},
		{search.Answers{Overlap: true, Key: true}, "overlap, key", []string{"overlap-without-lock"}},
		{search.Answers{Lock: true}, "lock", []string{"lock-passed-on"}},
		{search.Answers{Key: true}, "key", []string{"key-taken"}},
		{search.Answers{Register: true, Accessed: true}, "register", []string{"register-misbehaves"}},
		{search.Answers{Fenced: true, Tokens: true, Accessed: true}, "fenced, tokens", []string{"only-the-fence-fails", "tokens-fell"}},
		{search.Answers{Fenced: true, Unfenced: true, Counter: true, Overlap: true, Lock: true, Key: true, Accessed: true}, "overlap, lock, key, counter, unfenced, fenced", []string{"fence-fails"}},
		{search.Answers{Tokens: true}, "tokens", []string{"tokens-fell"}},
		{search.Answers{Counter: true, Accessed: true}, "counter", []string{"late-effect"}},
		{search.Answers{Unfenced: true, Fenced: true, Tokens: true, Counter: true, Accessed: true}, "counter, unfenced, fenced, tokens", []string{"late-effect", "tokens-fell"}},
		{search.Answers{Unfenced: true, Counter: true, Accessed: true}, "counter, unfenced", []string{"late-effect", "fence-refused"}},
		{search.Answers{Unfenced: true, Fenced: true, Tokens: true, Accessed: true}, "unfenced, fenced, tokens", []string{"late-effect", "tokens-fell", "obedient-register"}},
		{search.Answers{Overlap: true, Lock: true, Key: true, Accessed: true}, "overlap, lock, key", []string{"harmless-overlap"}},
	} {
		var ways []string
		for _, d := range c.answers.Disagree() {
			ways = append(ways, d.Name)
		}
		if c.answers.String() != c.words || !slices.Equal(ways, c.ways) {
			t.Errorf("%+v: %q, %v; wanted %q, %v", c.answers, c.answers, ways, c.words, c.ways)
		}
	}
}

func TestAnswersOf(t *testing.T) {
	r := campaign.Report{Outcome: campaign.Finished, Sorts: []string{"key", "overlap"}, Oracles: []campaign.OracleStatus{
		{Oracle: plan.OracleOverlap, Status: checker.Violated}, {Oracle: plan.OracleResourceFenced, Status: checker.Holds},
		{Oracle: plan.OracleFencingTokens, Status: checker.Violated},
	}}
	if a, finished := search.AnswersOf(&r, true); !finished || a != (search.Answers{Overlap: true, Key: true, Tokens: true, Accessed: true}) {
		t.Errorf("%+v, %v", a, finished)
	}
	r.Oracles[1].Status = checker.Inconclusive
	if _, finished := search.AnswersOf(&r, true); finished {
		t.Error("an inconclusive run is compared")
	}
	for _, o := range search.AgreementSubjects() {
		if err := o.Validate(); err != nil {
			t.Error(err)
		}
	}
}
