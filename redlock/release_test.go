package redlock

import (
	"errors"
	"testing"
)

// A release says "held" only when a majority can have carried the token.
func TestClassifyRelease(t *testing.T) {
	const deleted, missing, other, notAsked, pending = OutcomeGranted, OutcomeMissing, OutcomeHeldByOther, OutcomeNotAsked, OutcomePending
	const none = 0
	cases := []struct {
		name     string
		outcomes []NodeOutcome
		before   uint64
		lapsed   bool
		want     error
	}{
		{"all deleted", []NodeOutcome{deleted, deleted, deleted, pending, pending}, none, false, nil},
		{"held on a bare majority", []NodeOutcome{deleted, deleted, deleted, notAsked, notAsked}, none, false, nil},
		{"two never asked, the first deleted", []NodeOutcome{deleted, pending, pending, notAsked, notAsked}, none, false, nil},
		{"lapsed, and deleted on a minority only", []NodeOutcome{deleted, pending, pending, notAsked, notAsked}, none, true, ErrLapsed},
		{"lapsed, but still on a majority", []NodeOutcome{deleted, deleted, deleted, pending, pending}, none, true, ErrLapsed},
		{"all gone", []NodeOutcome{missing, missing, missing, pending, pending}, none, false, ErrLapsed},
		{"gone where it was asked, and one that never carried it", []NodeOutcome{missing, pending, notAsked, missing, pending}, none, false, ErrLapsed},
		{"a minority carried it", []NodeOutcome{deleted, deleted, missing, notAsked, notAsked}, none, false, ErrLapsed},
		{"a minority carried it, another took one node", []NodeOutcome{deleted, other, missing, missing, pending}, none, false, ErrLapsed},
		{"another has a majority", []NodeOutcome{deleted, other, other, other, pending}, none, false, ErrNotHeld},
		{"another has one node, and nothing was left", []NodeOutcome{missing, other, missing, pending, pending}, none, false, ErrNotHeld},
		{"released before", []NodeOutcome{deleted, notAsked, notAsked, notAsked, notAsked}, 0b11110, false, nil},
		{"released before, gone meanwhile where it was asked again", []NodeOutcome{missing, notAsked, notAsked, notAsked, missing}, 0b01110, false, nil},
	}
	for _, test := range cases {
		outcomes := make([]NodeReport, len(test.outcomes))
		for i, outcome := range test.outcomes {
			outcomes[i].Outcome = outcome
		}
		if got := classifyRelease(outcomes, test.before, 3, test.lapsed); !errors.Is(got, test.want) || (got == nil) != (test.want == nil) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}
