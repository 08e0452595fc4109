package redlock

import (
	"errors"
	"testing"
)

// A release says "held" only when a majority can have carried the token.
func TestClassifyRelease(t *testing.T) {
	const deleted, missing, other = OutcomeGranted, OutcomeMissing, OutcomeHeldByOther
	const notAsked, pending = OutcomeNotAsked, OutcomePending
	cases := []struct {
		name     string
		outcomes []NodeOutcome
		lapsed   bool
		want     error
	}{
		{"all deleted", []NodeOutcome{deleted, deleted, deleted, pending, pending}, false, nil},
		{"held on a bare majority", []NodeOutcome{deleted, deleted, deleted, notAsked, notAsked}, false, nil},
		{"two never asked, the first deleted", []NodeOutcome{deleted, pending, pending, notAsked, notAsked}, false, nil},
		{"lapsed, and deleted on a minority only", []NodeOutcome{deleted, pending, pending, notAsked, notAsked}, true, ErrLapsed},
		{"lapsed, but still on a majority", []NodeOutcome{deleted, deleted, deleted, pending, pending}, true, ErrLapsed},
		{"all gone", []NodeOutcome{missing, missing, missing, pending, pending}, false, ErrLapsed},
		{"gone where it was asked, and one that never carried it", []NodeOutcome{missing, pending, notAsked, missing, pending}, false, ErrLapsed},
		{"a minority carried it", []NodeOutcome{deleted, deleted, missing, notAsked, notAsked}, false, ErrLapsed},
		{"a minority carried it, another took one node", []NodeOutcome{deleted, other, missing, missing, pending}, false, ErrLapsed},
		{"another has a majority", []NodeOutcome{deleted, other, other, other, pending}, false, ErrNotHeld},
		{"another has one node, and nothing was left", []NodeOutcome{missing, other, missing, pending, pending}, false, ErrNotHeld},
		{"released before", []NodeOutcome{deleted, deleted, deleted, deleted, deleted}, false, nil},
		{"released before, gone meanwhile where it was asked again", []NodeOutcome{missing, deleted, deleted, deleted, missing}, false, nil},
	}
	for _, test := range cases {
		outcomes := make([]NodeReport, len(test.outcomes))
		for i, outcome := range test.outcomes {
			outcomes[i].Outcome = outcome
		}
		if got := classifyRelease(outcomes, 3, test.lapsed); !errors.Is(got, test.want) ||
			(got == nil) != (test.want == nil) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}
