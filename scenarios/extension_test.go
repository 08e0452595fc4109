package scenarios_test

import (
	"testing"

	"redlocklab/checker"
	"redlocklab/scenarios/play"
)

// TestFailedExtensionLengthens: a lease whose end moves in an extension that failed
// is believed for longer, whatever the client was told (claim MX-8).
func TestFailedExtensionLengthens(t *testing.T) {
	for row, want := range map[string]checker.Status{"SY-0": checker.Holds, "SY-0 lengthening": checker.Violated} {
		plan, err := named(t, "MX-8-partial").Plan(row, 1)
		if err != nil {
			t.Fatal(err)
		}
		result, err := play.Run(plan, play.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if overlap := result.Verdict.Overlap; overlap.Status != want || overlap.Bug != (want == checker.Violated) {
			t.Errorf("%s: overlap %s, bug %t, want %s", row, overlap.Status, overlap.Bug, want)
		}
	}
}
