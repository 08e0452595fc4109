package sim_test

import (
	"context"
	"testing"
	"time"

	"redlocklab/sim"
)

// What waits for a node's clock comes when the clock shows it: later when it is
// set back, at once when it is set forward, and once only.
func TestWaitingForANodesClock(t *testing.T) {
	for _, test := range []struct {
		name string
		do   func(w *sim.World, n *sim.Node) // at 1 s
		want time.Duration
	}{
		{"left alone", func(*sim.World, *sim.Node) {}, 10 * time.Second},
		{"set forward", func(_ *sim.World, n *sim.Node) { n.Clock().Step(3*time.Second, "") }, 7 * time.Second},
		{"set far forward", func(_ *sim.World, n *sim.Node) { n.Clock().Step(time.Minute, "") }, time.Second},
		{"set back", func(_ *sim.World, n *sim.Node) { n.Clock().Step(-3*time.Second, "") }, 13 * time.Second},
		{"twice as fast", func(_ *sim.World, n *sim.Node) { n.Clock().SetRate(1_000_000, "") }, 5500 * time.Millisecond},
		{"stopped for 2 s", func(w *sim.World, n *sim.Node) {
			n.Clock().SetRate(-1_000_000, "")
			w.At(w.Now()+2*time.Second, func() { n.Clock().SetRate(0, "") })
		}, 12 * time.Second},
	} {
		var came []time.Duration
		_, err := sim.Run(five(1, "A"), sim.Options{}, func(w *sim.World) error {
			n := w.Node("n1")
			n.WhenClockAdvanced(10*time.Second, func() { came = append(came, w.Now()) })
			w.At(time.Second, func() { test.do(w, n) })
			w.Process("A").Go(func(ctx context.Context) { _ = w.Process("A").Sleep(ctx, 20*time.Second) })
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		// The controller gives every action an instant of its own: a few nanoseconds.
		if len(came) != 1 || (came[0]-test.want).Abs() > time.Microsecond {
			t.Errorf("%s: came at %v, want %v", test.name, came, test.want)
		}
	}
}
