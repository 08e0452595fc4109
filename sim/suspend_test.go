package sim_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"redlocklab/sim"
)

// A sleeping host stops its monotonic clock and nothing else; the clock keeps
// the rate error that it had.
func TestSuspensionStopsTheMonotonicClockOnly(t *testing.T) {
	config := five(1, "A")
	config.Processes[0].RatePPM = 100_000
	var before, after [3]time.Duration
	kinds := [3]sim.ClockKind{sim.Wall, sim.Monotonic, sim.Boottime}
	result, err := sim.Run(config, sim.Options{}, func(w *sim.World) error {
		p := w.Process("A")
		read := func(into *[3]time.Duration) func() {
			return func() {
				for i, kind := range kinds {
					into[i] = p.Clock(kind).Read(w.Now())
				}
			}
		}
		w.At(time.Second, read(&before))
		w.At(2*time.Second, func() { p.Suspend("lid") })
		w.At(12*time.Second, func() { p.Wake("lid") })
		w.At(13*time.Second, read(&after))
		p.Go(func(ctx context.Context) { _ = p.Sleep(ctx, 14*time.Second) })
		return nil
	})
	if err != nil || result.Outcome != sim.Finished {
		t.Fatal(err, result)
	}
	// The controller gives every action an instant of its own: a few nanoseconds.
	const grain = time.Microsecond
	for i, want := range [3]time.Duration{13200 * time.Millisecond, 2200 * time.Millisecond, 13200 * time.Millisecond} {
		if got := after[i] - before[i]; (got - want).Abs() > grain {
			t.Errorf("the %s clock advanced by %v, want %v", kinds[i], got, want)
		}
	}
}

// A clean shutdown saves the snapshot that a crash would lose, and saves nothing
// where nothing is ever saved.
func TestCleanShutdownSaves(t *testing.T) {
	for _, test := range []struct {
		persistence sim.Persistence
		end         sim.End
		survives    bool
	}{
		{sim.NoPersistence, sim.Shutdown, false},
		{sim.RDB, sim.ProcessCrash, false},
		{sim.RDB, sim.Shutdown, true},
		{sim.AOFEverySec, sim.PowerLoss, false},
		{sim.AOFEverySec, sim.Shutdown, true},
		{sim.AOFAlways, sim.Shutdown, true},
	} {
		config := five(1, "A")
		config.Nodes[0].Persistence, config.Nodes[0].SnapshotEvery = test.persistence, time.Minute
		var left time.Duration
		_, err := sim.Run(config, sim.Options{}, func(w *sim.World) error {
			p, n := w.Process("A"), w.Node("n1")
			c := clients(w, p)[0]
			p.Go(func(ctx context.Context) {
				c.Set(ctx, "r", "v", time.Minute)
				_ = p.Sleep(ctx, 20*time.Second)
				_ = c.Ping(ctx) // meets the connection that the restart cut
				left = c.PTTL(ctx, "r").Val()
			})
			w.At(100*time.Millisecond, func() { n.Crash(test.end, "") })
			w.At(10*time.Second, func() { n.Restart("") })
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		// What survives has grown 20 s older, 10 of them while the server was down.
		survived := left > 39*time.Second && left < 41*time.Second
		if survived != test.survives {
			t.Errorf("%s, %s: %v left, survives: %v, want %v", test.persistence, test.end, left, survived, test.survives)
		}
	}
}

// TestSleepOfNothing: no time passes, an ended context is told, and no timer of
// the bubble is armed: under the race detector two of them that are due at once
// on two threads end the program.
func TestSleepOfNothing(t *testing.T) {
	played(t, steady("", "A"), func(w *sim.World) {
		p := w.Process("A")
		for range 8 {
			p.Go(func(ctx context.Context) {
				before := w.Now()
				for range 10_000 {
					if err := p.Sleep(ctx, 0); err != nil {
						t.Error(err)
						return
					}
				}
				if passed := w.Now() - before; passed != 0 {
					t.Errorf("%v passed", passed)
				}
				ended, end := context.WithCancel(ctx)
				end()
				if err := p.Sleep(ended, 0); !errors.Is(err, context.Canceled) {
					t.Errorf("an ended context: %v", err)
				}
			})
		}
	})
}
