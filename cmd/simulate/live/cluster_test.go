package live

import (
	"testing"
	"time"

	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// TestLatenessDoesNotAddUp: a machine that is late makes nothing later that follows
// from it (a reply's latency counts from when its request was due), nor does the run
// end before what was due in it has happened.
func TestLatenessDoesNotAddUp(t *testing.T) {
	cl := newCluster(&plan.Plan{
		World: sim.Config{Bounds: sim.Bounds{Events: 10, Virtual: time.Minute}, Drain: 100 * time.Millisecond},
	})
	var due []time.Duration
	cl.At(10*time.Millisecond, func() {
		time.Sleep(150 * time.Millisecond) // longer than the drain
		cl.after(30*time.Millisecond, func() { due = append(due, cl.due) })
	})
	if _, err := cl.loop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(due) != 1 || due[0] != 40*time.Millisecond {
		t.Errorf("due at %v, want 40ms", due)
	}
}
