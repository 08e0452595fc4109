package redlock

import (
	"errors"
	"testing"
)

// A release says "held" only when a majority can have carried the token.
func TestReleaseVerdict(t *testing.T) {
	const deleted, missing, other, notAsked, pending = OutcomeGranted, OutcomeMissing, OutcomeHeldByOther, OutcomeNotAsked, OutcomePending
	none := make([]bool, 5)
	cases := []struct {
		name     string
		outcomes []Outcome
		before   []bool
		want     error
	}{
		{"all deleted", []Outcome{deleted, deleted, deleted, pending, pending}, none, nil},
		{"held on a bare majority", []Outcome{deleted, deleted, deleted, notAsked, notAsked}, none, nil},
		{"two never asked, the first deleted", []Outcome{deleted, pending, pending, notAsked, notAsked}, none, nil},
		{"all gone", []Outcome{missing, missing, missing, pending, pending}, none, ErrLapsed},
		{"gone where it was asked, and one that never carried it", []Outcome{missing, pending, notAsked, missing, pending}, none, ErrLapsed},
		{"a minority carried it", []Outcome{deleted, deleted, missing, notAsked, notAsked}, none, ErrLapsed},
		{"a minority carried it, another took one node", []Outcome{deleted, other, missing, missing, pending}, none, ErrLapsed},
		{"another has a majority", []Outcome{deleted, other, other, other, pending}, none, ErrNotHeld},
		{"another has one node, and nothing was left", []Outcome{missing, other, missing, pending, pending}, none, ErrNotHeld},
		{"released before", []Outcome{deleted, notAsked, notAsked, notAsked, notAsked}, []bool{false, true, true, true, true}, nil},
		{"released before, gone meanwhile where it was asked again", []Outcome{missing, notAsked, notAsked, notAsked, missing}, []bool{false, true, true, true, false}, nil},
	}
	for _, test := range cases {
		outcomes := make([]NodeOutcome, len(test.outcomes))
		for i, outcome := range test.outcomes {
			outcomes[i].Outcome = outcome
		}
		if got := releaseVerdict(outcomes, test.before, 3); !errors.Is(got, test.want) || (got == nil) != (test.want == nil) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}
