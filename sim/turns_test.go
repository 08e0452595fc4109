package sim_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"redlocklab/sim"
)

// ends plays code of one process that has several goroutines, and returns the true times
// at which they ended.
func ends(
	t *testing.T, goroutines int, build func(w *sim.World, p *sim.Process, i int) func(context.Context),
) []time.Duration {
	t.Helper()
	at := make([]time.Duration, goroutines)
	result := played(t, five(1, "A"), func(w *sim.World) {
		p := w.Process("A")
		for i := range goroutines {
			f := build(w, p, i)
			p.Go(func(ctx context.Context) {
				f(ctx)
				at[i] = w.Now()
			})
		}
	})
	if result.Outcome != sim.Finished {
		t.Fatal(result.Outcome)
	}
	return at
}

// TestTimersTakeTurns: timers that a clock makes due at one instant fire one after the
// other, by their due readings and then by when they were armed.
func TestTimersTakeTurns(t *testing.T) {
	for _, frozen := range []bool{false, true} {
		at := ends(t, 3, func(w *sim.World, p *sim.Process, i int) func(context.Context) {
			if frozen && i == 0 { // nothing fires meanwhile
				w.At(time.Millisecond, func() { p.Pause("pause") })
				w.At(time.Second, func() { p.Resume("pause") })
			}
			return func(ctx context.Context) {
				_ = p.Sleep(ctx, time.Duration(i)*time.Microsecond)
				<-p.NewTimer(10*time.Millisecond - time.Duration(i)*time.Microsecond).C()
			}
		})
		if !slices.IsSorted(at) || at[0] == at[1] || at[1] == at[2] || at[2]-at[0] > time.Microsecond {
			t.Errorf("frozen %v: the timers fired at %v", frozen, at)
		}
	}
}

// TestTimeLimitsTakeTurns: reads and dials whose time is over at one instant fail one after
// the other, in the order of the nodes.
func TestTimeLimitsTakeTurns(t *testing.T) {
	lose := func(m *sim.Message) sim.Ruling {
		if m.Direction == sim.ToProcess {
			return sim.Ruling{Action: sim.Lose}
		}
		return sim.Ruling{}
	}
	for _, dials := range []bool{false, true} {
		at := ends(t, 5, func(w *sim.World, p *sim.Process, i int) func(context.Context) {
			if i == 0 {
				w.At(50*time.Millisecond, func() { w.AddRule(sim.Rule{Name: "cut", Decide: lose}) })
			}
			address := w.Node(fmt.Sprintf("n%d", i+1)).Address
			return func(ctx context.Context) {
				if dials {
					_ = p.Sleep(ctx, 60*time.Millisecond)
					limited, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
					defer cancel()
					if _, err := p.Dial(limited, "tcp", address); err == nil {
						t.Error("a dial succeeded without an answer")
					}
					return
				}
				c, err := p.Dial(ctx, "tcp", address)
				if err != nil {
					t.Error(err)
					return
				}
				_ = p.Sleep(ctx, 60*time.Millisecond-w.Now())
				_ = c.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
				if _, err := c.Read(make([]byte, 1)); err == nil {
					t.Error("a read succeeded without an answer")
				}
			}
		})
		for i := 1; i < len(at); i++ {
			if at[i] <= at[i-1] || at[i]-at[0] > time.Microsecond {
				t.Errorf("dials %v: time was over at %v", dials, at)
				break
			}
		}
	}
}

// TestPacketsOfOneInstantHaveAnOrder: packets that arrive at one instant have an order, whatever
// else waits in the queue.
func TestPacketsOfOneInstantHaveAnOrder(t *testing.T) {
	config := five(1, "A", "B", "C", "D", "E")
	config.Network = sim.NetworkConfig{Latency: sim.Latency{Min: time.Millisecond, Max: time.Millisecond}}
	result := played(t, config, func(w *sim.World) {
		for i, p := range w.Processes() {
			p.Go(func(ctx context.Context) {
				for range 2 * i { // the shape of the queue is chance's
					defer p.NewTimer(time.Duration(10+i) * time.Millisecond).Stop()
				}
				if _, err := p.Dial(ctx, "tcp", w.Node("n1").Address); err != nil {
					t.Error(err)
				}
				_ = p.Sleep(ctx, 50*time.Millisecond)
			})
		}
		w.At(20*time.Millisecond, func() { w.Node("n1").Crash(sim.ProcessCrash, "crash") })
	})
	var order []int
	for _, e := range result.Events {
		if e.Kind == sim.Reset {
			order = append(order, e.Conn)
		}
	}
	if !slices.Equal(order, []int{1, 2, 3, 4, 5}) {
		t.Errorf("the connections were reset in the order %v", order)
	}
}
