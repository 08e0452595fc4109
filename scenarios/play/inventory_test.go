package play_test

import (
	"testing"

	"redlocklab/checker"
	"redlocklab/scenarios"
	"redlocklab/scenarios/matrix"
	"redlocklab/scenarios/play"
)

// RS-3 counts: of two sales one is lost without a fence and with a fence on
// writes, none with a fence at every access, which refuses the late one.
func TestInventoryCountsLostSales(t *testing.T) {
	result := playSuite(t, "RS-3", "SY-0", 1)
	want := map[checker.Register]struct{ lost, refused, left int64 }{
		checker.RegisterUnfenced:     {1, 0, 9},
		checker.RegisterFencedWrites: {1, 0, 9},
		checker.RegisterFenced:       {0, 1, 9},
	}
	left := map[checker.Register]int64{}
	for _, start := range result.History.Header.Registers {
		left[start.Register] = start.Value
	}
	for _, access := range result.History.Accesses {
		if access.Action == checker.ActionWrite && access.Accepted {
			left[access.Register] = *access.Value
		}
	}
	for _, r := range result.Verdict.Resource.Registers {
		w := want[r.Register]
		if int64(r.LostUpdates) != w.lost || int64(r.Refused) != w.refused || left[r.Register] != w.left {
			t.Errorf("%s: %d lost, %d refused, %d left of 10; want %+v", r.Register, r.LostUpdates, r.Refused, left[r.Register], w)
		}
	}
	if len(result.Verdict.Resource.Registers) != 3 {
		t.Errorf("%d registers", len(result.Verdict.Resource.Registers))
	}
}

// Three clients that sell five items each leave 85 of 100 in every store when
// nobody stands still.
func TestInventoryIsRightWithoutPauses(t *testing.T) {
	result := playSuite(t, "RS-3-calm", "SY-10", 1)
	last := map[checker.Register]int64{}
	for _, access := range result.History.Accesses {
		if access.Action == checker.ActionWrite {
			last[access.Register] = *access.Value
		}
	}
	for _, register := range []checker.Register{
		checker.RegisterUnfenced, checker.RegisterFencedWrites, checker.RegisterFenced,
	} {
		if last[register] != 85 {
			t.Errorf("%s: %d left, want 85", register, last[register])
		}
	}
}

// playSuite plays one seed of a scenario of the suite.
func playSuite(t *testing.T, name, subject string, seed uint64) *play.Result {
	t.Helper()
	suite, err := scenarios.Suite()
	if err != nil {
		t.Fatal(err)
	}
	for _, cell := range matrix.Cells(suite) {
		if cell.Scenario.Name != name || cell.Subject.Title() != subject {
			continue
		}
		plan, err := cell.Scenario.Plan(subject, seed)
		if err != nil {
			t.Fatal(err)
		}
		result, err := play.Run(plan, play.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	t.Fatalf("the suite has no %s with %s", name, subject)
	return nil
}
