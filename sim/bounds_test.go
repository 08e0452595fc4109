package sim_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"redlocklab/sim"
)

// TestBounds: a run that does not end by itself ends at each of its bounds, and says at which.
func TestBounds(t *testing.T) {
	busy := func(p *sim.Process) func(context.Context) {
		return func(ctx context.Context) {
			for p.Sleep(ctx, time.Millisecond) == nil {
				p.Record(sim.Event{Kind: sim.Call})
			}
		}
	}
	waits := func(*sim.Process) func(context.Context) { return func(ctx context.Context) { <-ctx.Done() } }
	blocked := func(*sim.Process) func(context.Context) { return func(context.Context) { select {} } }
	leaks := func(*sim.Process) func(context.Context) { return func(context.Context) { go func() { select {} }() } }
	stubborn := func(p *sim.Process) func(context.Context) {
		p.OnEnd(func() { select {} })
		return func(context.Context) {}
	}
	for _, test := range []struct {
		name string
		run  func(*sim.Process) func(context.Context)
		set  func(*sim.Config, *sim.Options)
		want sim.Outcome
	}{
		{"events", busy, func(c *sim.Config, _ *sim.Options) { c.Bounds.Events = 100 }, sim.EventBound},
		{"bytes", busy, func(c *sim.Config, _ *sim.Options) { c.Bounds.Bytes, c.Bounds.Events = 20_000, 1<<40 }, sim.ByteBound},
		{"virtual time", busy, func(c *sim.Config, _ *sim.Options) { c.Bounds.Virtual = time.Second }, sim.VirtualBound},
		{"virtual time, nothing happens", waits, func(*sim.Config, *sim.Options) {}, sim.VirtualBound},
		{"real time", busy, func(c *sim.Config, o *sim.Options) {
			o.Real, c.Bounds.Events = 10*time.Millisecond, 1<<40
			c.Bounds.Virtual = 1 << 60
		}, sim.RealBound},
		{"processor time", busy, func(c *sim.Config, o *sim.Options) {
			o.Processor, c.Bounds.Events = 10*time.Millisecond, 1<<40
			c.Bounds.Virtual = 1 << 60
		}, sim.ProcessorBound},
		{"blocked for ever, at a bound", blocked, func(*sim.Config, *sim.Options) {}, sim.VirtualBound},
		{"a goroutine leaks", leaks, func(*sim.Config, *sim.Options) {}, sim.Stuck},
		{"a clean-up never returns", stubborn, func(*sim.Config, *sim.Options) {}, sim.Stuck},
	} {
		config, options := steady("", "A"), sim.Options{}
		test.set(&config, &options)
		result, err := sim.Run(config, options, func(w *sim.World) error {
			p := w.Process("A")
			p.Go(test.run(p))
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		} else if result.Outcome != test.want || result.Hash == "" {
			t.Errorf("%s: %s, want %s", test.name, result.Outcome, test.want)
		}
	}
}

// TestCrashedProcessWaitsForATimer: the run is over all the same.
func TestCrashedProcessWaitsForATimer(t *testing.T) {
	result, err := sim.Run(steady("", "A"), sim.Options{}, func(w *sim.World) error {
		p := w.Process("A")
		p.Go(func(context.Context) { <-p.NewTimer(time.Hour).C() })
		w.At(time.Millisecond, func() { p.Crash("") })
		return nil
	})
	if err != nil || result.Outcome != sim.Finished {
		t.Errorf("%+v, %v", result, err)
	}
}

// TestBuildFails: the error comes back, and no code of a process runs.
func TestBuildFails(t *testing.T) {
	want, ran := errors.New("no"), false
	_, err := sim.Run(steady("", "A"), sim.Options{}, func(w *sim.World) error {
		w.Process("A").Go(func(context.Context) { ran = true })
		return want
	})
	if !errors.Is(err, want) || ran {
		t.Errorf("%v, ran %v", err, ran)
	}
}

// TestSameInstant: what a process does by its own clock at an instant comes
// before what the controller does at it, in every repetition.
func TestSameInstant(t *testing.T) {
	for range 30 {
		result := played(t, steady("", "A"), func(w *sim.World) {
			p := w.Process("A")
			w.At(100*time.Millisecond, func() { p.Pause("") })
			w.At(200*time.Millisecond, func() { p.Resume("") })
			p.Go(func(ctx context.Context) {
				_ = p.Sleep(ctx, 100*time.Millisecond)
				p.Record(sim.Event{Kind: sim.Done})
			})
		})
		if done, pause := first(t, result, sim.Done), first(t, result, sim.Pause); done.Seq > pause.Seq {
			t.Fatal("the pause came first")
		}
	}
}
