package cause_test

import (
	"strings"
	"testing"

	"redlocklab/scenarios"
	"redlocklab/scenarios/cause"
	"redlocklab/scenarios/play"
)

// TestPlantedBugsAreNamed: the kind of bug that a row with a planted bug shows, by the row.
func TestPlantedBugsAreNamed(t *testing.T) {
	suite, err := scenarios.Suite()
	if err != nil {
		t.Fatal(err)
	}
	for row, want := range map[string]string{
		"SY-2 SY-2":                                    "a client deletes another client's key",
		"MX-5-tokens SY-11-redislock":                  "a token that is a prefix of another counts as the same",
		"MX-8-hidden SY-11-redsync set-nx-on-extend":   "an extension sets keys again that had lapsed",
		"MX-8-released SY-11-redsync set-nx-on-extend": "an extension sets keys again after the release",
		"LV-11-cancelled SY-0 careless":                "an attempt that failed leaves its keys behind",
		"LV-11-minority SY-0 careless":                 "an attempt that failed leaves its keys behind",
		"LV-11-refused SY-0":                           "a release leaves keys behind",
		"MX-11-retried SY-0":                           "an attempt is refused by its own key",
		"MX-7-n4 SY-0 half":                            "an acquisition succeeds with keys on fewer nodes than a quorum",
		"MX-5-release SY-0 blind":                      "a client deletes another client's key",
		"MX-8-brief SY-11-redsync":                     "an extension deletes the keys that it should prolong",
		"MX-2 SY-0 without-allowance":                  "the validity leaves too little for clock errors",
	} {
		name, subject, _ := strings.Cut(row, " ")
		found := false
		for _, s := range suite {
			if s.Name != name {
				continue
			}
			for seed := uint64(1); seed <= 20 && !found; seed++ {
				p, err := s.Plan(subject, seed)
				if err != nil {
					t.Fatal(err)
				}
				r, err := play.Run(p, play.RunOptions{})
				if err != nil {
					t.Fatal(err)
				}
				bug := cause.BugOf(r)
				if bug.Kind == "" {
					continue
				}
				found = true
				if bug.Kind != want || bug.Text == "" {
					t.Errorf("%s, seed %d: %q (%s), want %q", row, seed, bug.Kind, bug.Text, want)
				}
			}
		}
		if !found {
			t.Errorf("%s: no bug in 20 seeds", row)
		}
	}
}

// TestNoBug: a run without an unexplained finding has none.
func TestNoBug(t *testing.T) {
	suite, err := scenarios.Suite()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range suite {
		if s.Name != "BA-2" { // its violation is explained
			continue
		}
		p, err := s.Plan("SY-0", 1)
		if err != nil {
			t.Fatal(err)
		}
		r, err := play.Run(p, play.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if bug := cause.BugOf(r); bug.Kind != "" || !r.Violated() {
			t.Errorf("found %+v, violated %t", bug, r.Violated())
		}
	}
}
