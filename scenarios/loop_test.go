package scenarios_test

import (
	"flag"
	"runtime"
	"testing"

	"redlocklab/scenarios"
	"redlocklab/scenarios/matrix"
	"redlocklab/scenarios/overlay"
	"redlocklab/scenarios/play"
	"redlocklab/sim"
)

var loopRuns = flag.Int("loop", 200, "how many runs TestOneProcessPlaysManyRuns plays")

// TestOneProcessPlaysManyRuns plays runs of all cells one after the other in this process, as a
// researcher's loop does: what a run leaves behind in the driver's or in Go's process-wide
// pools must not end the next one. It goes through the cells with strides, so that a few
// runs meet many scenarios and systems. The researcher's loop: go test ./scenarios -run ManyRuns -loop 10000.
func TestOneProcessPlaysManyRuns(t *testing.T) {
	suite, err := scenarios.Suite()
	if err != nil {
		t.Fatal(err)
	}
	var cells []matrix.Cell
	for _, cell := range matrix.Cells(suite) {
		if cell.NotApplicable == "" && cell.Subject.Patch() == overlay.Carried {
			cells = append(cells, cell)
		}
	}
	runs := *loopRuns
	if testing.Short() {
		runs = min(runs, 50) // the race detector's memory of stacks does not survive many more
	}
	stride := max(len(cells)/runs, 1)
	outcomes, systems := map[string]int{}, map[string]bool{}
	for i := range runs {
		at := i * stride
		cell, seed := cells[at%len(cells)], uint64(at/len(cells)+1)
		p, err := cell.Scenario.Plan(cell.Subject.Title(), seed)
		if err != nil {
			t.Fatal(err)
		}
		result, err := play.Run(p, play.RunOptions{})
		if err != nil {
			t.Fatalf("run %d: %s %s seed %d: %v", i+1, cell.Scenario.Name, cell.Subject.Title(), seed, err)
		}
		outcomes[result.Outcome]++
		systems[cell.Subject.Name] = true
		if result.Outcome == string(sim.Stuck) {
			t.Errorf("run %d: %s %s seed %d is stuck", i+1, cell.Scenario.Name, cell.Subject.Title(), seed)
		}
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	t.Logf("%d runs of %d cells, %d systems: %v; %d MB in use, %d MB from the system", runs, len(cells), len(systems), outcomes, memory.HeapAlloc>>20, memory.Sys>>20)
	if len(systems) < 10 {
		t.Errorf("only %d systems were played", len(systems))
	}
}
