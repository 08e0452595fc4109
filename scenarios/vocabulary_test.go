package scenarios

import (
	"slices"
	"testing"

	"redlocklab/checker"
	"redlocklab/faults"
)

// causedOtherwise are the assumptions that something else than a fault can
// break: tokens, delays and extensions are the subject's, sets of nodes, clocks that are ahead and what
// the holder does too late are the scenario's.
var causedOtherwise = []string{"A-TOKEN", "A-RANDOM", "A-BOUNDED", "A-TRIES", "A-DISTINCT", "A-WORK", "A-COUNTER", "A-HEAL", "A-WALL"}

// Package faults names assumptions without importing the checker, which declares them.
func TestFaultsNameTheCheckersAssumptions(t *testing.T) {
	for _, kind := range faults.Kinds() {
		for _, id := range kind.Breaks {
			if !slices.Contains(checker.Assumptions(), id) {
				t.Errorf("%s breaks %q, which is not an assumption", kind.Name, id)
			}
		}
	}
}

// Every kind of fault has a scenario, and both forms of repetition have; and no scenario expects an
// assumption to be broken that none of its
// faults says it can break.
func TestTheSuiteUsesTheWholeVocabulary(t *testing.T) {
	suite, err := Suite()
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, s := range suite {
		can := slices.Clone(causedOtherwise)
		for _, f := range s.Faults {
			used[faults.KindOf(f.Effect)] = true
			used["every"] = used["every"] || f.Again.Every > 0
			used["repeat"] = used["repeat"] || f.Again.Times > 0 && f.Again.Every == 0
			for _, k := range faults.Kinds() {
				if k.Name == faults.KindOf(f.Effect) {
					can = append(can, k.Breaks...)
					if k.Name == "crash" { // its restart may be timed by a clock that is stepped
						can = append(can, "A-STEP")
					}
				}
			}
		}
		for _, subject := range s.Subjects {
			for _, broken := range subject.Broken {
				if !slices.Contains(can, broken) {
					t.Errorf("%s: %s expects %s to be broken, and no fault of it says that it can", s.Name, subject.Title(), broken)
				}
			}
		}
	}
	for _, k := range faults.Kinds() {
		if !used[k.Name] {
			t.Errorf("no scenario uses %s", k.Name)
		}
	}
	if !used["every"] || !used["repeat"] {
		t.Error("no scenario lets a fault begin again, by time or by matches")
	}
}
