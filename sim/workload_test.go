package sim_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"redlocklab/sim"
)

// second is when the tests begin: by then the connections are up.
const second = time.Second

// executions lists when which command about a key was executed, rounded to milliseconds.
func executions(result *sim.Result) []string {
	var list []string
	for _, e := range result.Events {
		if e.Kind == sim.Execute && e.Key != "" {
			list = append(list, fmt.Sprint((e.At-second).Round(time.Millisecond), " ", e.Key))
		}
	}
	return list
}

// TestOneRequestAtATime: two processes ask a node that works 10 ms on each
// request, or that stops and goes on, or both.
func TestOneRequestAtATime(t *testing.T) {
	ten := func(*sim.Message) time.Duration { return 10 * time.Millisecond }
	for _, test := range []struct {
		name string
		act  func(w *sim.World, n *sim.Node)
		want string // executions
	}{
		{"well", func(*sim.World, *sim.Node) {}, "[1ms a 1ms b]"},
		{"slow", func(_ *sim.World, n *sim.Node) { n.SetService(ten, "f") }, "[11ms a 21ms b]"},
		{"slow twice", func(_ *sim.World, n *sim.Node) { n.SetService(ten, "f"); n.SetService(ten, "g") }, "[21ms a 41ms b]"},
		{"no longer slow", func(w *sim.World, n *sim.Node) {
			n.SetService(ten, "f")
			w.At(second+5*time.Millisecond, func() { n.SetService(nil, "f") })
		}, "[11ms a 11ms b]"},
		{"stopped", func(w *sim.World, n *sim.Node) {
			n.Stop("f")
			w.At(second+50*time.Millisecond, func() { n.Continue("f") })
		}, "[50ms a 50ms b]"},
		{"stopped by two", func(w *sim.World, n *sim.Node) {
			n.Stop("f")
			n.Stop("g")
			w.At(second+50*time.Millisecond, func() { n.Continue("f") })
			w.At(second+70*time.Millisecond, func() { n.Continue("g") })
		}, "[70ms a 70ms b]"},
		{"stopped at work", func(w *sim.World, n *sim.Node) {
			n.SetService(ten, "f")
			w.At(second+8*time.Millisecond, func() { n.Stop("g") })
			w.At(second+40*time.Millisecond, func() { n.Continue("g") })
		}, "[50ms a 60ms b]"},
		{"crashed over it", func(w *sim.World, n *sim.Node) {
			n.Stop("f")
			w.At(second+50*time.Millisecond, func() { n.Crash(sim.ProcessCrash, "g"); n.Restart("g") })
		}, "[]"},
	} {
		result := played(t, steady("", "A", "B"), func(w *sim.World) {
			w.At(second-time.Millisecond, func() { test.act(w, w.Node("n1")) })
			for i, p := range w.Processes() {
				c := clients(w, p)[0]
				p.Go(func(ctx context.Context) {
					c.Ping(ctx)
					_ = p.Sleep(ctx, second-w.Now()+time.Duration(i)*10*time.Microsecond)
					c.Set(ctx, string(rune('a'+i)), "v", 0)
				})
			}
		})
		if got := fmt.Sprint(executions(result)); got != test.want {
			t.Errorf("%s: executed %s, want %s", test.name, got, test.want)
		}
	}
}

// TestTrickle: a reply of four bytes that comes byte by byte, 10 ms apart, has
// arrived with its last byte; a deadline in between finds it incomplete.
func TestTrickle(t *testing.T) {
	for _, test := range []struct {
		pace     time.Duration
		complete bool
	}{{10 * time.Millisecond, true}, {time.Second, false}} {
		var failed error
		result := played(t, steady("", "A"), func(w *sim.World) {
			w.At(second, func() {
				w.AddRule(sim.Rule{
					Name: "drip", Fault: "f",
					Decide: func(m *sim.Message) sim.Ruling {
						return sim.Ruling{Action: sim.Trickle, Delay: test.pace}
					},
				})
			})
			p, c := client(w)
			p.Go(func(ctx context.Context) {
				c.Ping(ctx)
				_ = p.Sleep(ctx, second)
				failed = c.Incr(ctx, "n").Err()
			})
		})
		if (failed == nil) != test.complete {
			t.Errorf("at %v for a byte: %v", test.pace, failed)
		}
		if !test.complete {
			continue
		}
		last := result.Events[len(result.Events)-1]
		for _, e := range result.Events {
			if e.Kind == sim.Execute {
				last = e
			}
			if e.Kind == sim.Reply && e.Command == "INCR" && !near(e.At-last.At, time.Millisecond+3*test.pace) {
				t.Errorf("the reply took %v", e.At-last.At)
			}
		}
	}
}

// TestResetConnections: the client learns at once, and a new connection works.
func TestResetConnections(t *testing.T) {
	var failed, again error
	result := played(t, steady("", "A"), func(w *sim.World) {
		p, c := client(w)
		w.At(second+10*time.Millisecond, func() {
			w.ResetConnections(func(process, node string) bool { return process == p.Name && node == "n1" }, "f")
		})
		p.Go(func(ctx context.Context) {
			c.Ping(ctx)
			w.At(second-time.Millisecond, func() { w.Node("n1").Stop("g") })
			_ = p.Sleep(ctx, second-w.Now())
			failed = c.Set(ctx, "r", "v", 0).Err()
			w.At(w.Now(), func() { w.Node("n1").Continue("g") })
			again = c.Ping(ctx).Err()
		})
	})
	if !errors.Is(failed, syscall.ECONNRESET) || again != nil {
		t.Errorf("the request in flight: %v; the next: %v", failed, again)
	}
	if at := first(t, result, sim.Reset).At; !near(at, second+10*time.Millisecond) {
		t.Errorf("reset at %v", at)
	}
	if slices.ContainsFunc(result.Events, func(e sim.Event) bool { return e.Kind == sim.Execute && e.Command == "SET" }) {
		t.Error("what waited on the connection was executed all the same")
	}
}

// TestOldConnectionsAreReset: a server that is back after a power loss knows
// nothing of its old connections, and its kernel says so to whoever uses one.
func TestOldConnectionsAreReset(t *testing.T) {
	var failed error
	var took time.Duration
	played(t, steady("", "A"), func(w *sim.World) {
		p, c := client(w)
		n := w.Node("n1")
		w.At(50*time.Millisecond, func() { n.Crash(sim.PowerLoss, "f") })
		w.At(60*time.Millisecond, func() { n.Restart("f") })
		p.Go(func(ctx context.Context) {
			c.Ping(ctx)
			_ = p.Sleep(ctx, 100*time.Millisecond)
			start := w.Now()
			failed, took = c.Ping(ctx).Err(), w.Now()-start
		})
	})
	if !errors.Is(failed, syscall.ECONNRESET) || !near(took, 2*time.Millisecond) {
		t.Errorf("a request on an old connection ended after %v with: %v", took, failed)
	}
}

// TestSlowProcess: every arrival is noticed late, in order; the clocks are right.
func TestSlowProcess(t *testing.T) {
	var took []string
	played(t, steady("", "A"), func(w *sim.World) {
		p, c := client(w)
		p.Go(func(ctx context.Context) {
			for range 3 {
				start := p.Now(sim.Boottime)
				c.Ping(ctx)
				took = append(took, (p.Now(sim.Boottime) - start).Round(time.Millisecond).String())
				w.At(w.Now(), func() {
					if len(took) == 1 {
						p.SetNotice(func(n int) time.Duration { return time.Duration(n) * 5 * time.Millisecond }, "f")
					} else {
						p.SetNotice(nil, "f")
					}
				})
				_ = p.Sleep(ctx, 10*time.Millisecond)
			}
		})
	})
	if got := strings.Join(took, " "); got != "6ms 7ms 2ms" { // the first one dials and says HELLO
		t.Errorf("pings took %s", got)
	}
}

// TestOverlappingPauses: the gate opens when the last of two faults is over.
func TestOverlappingPauses(t *testing.T) {
	result := played(t, steady("", "A"), func(w *sim.World) {
		p := w.Process("A")
		w.At(10*time.Millisecond, func() { p.Pause("f") })
		w.At(20*time.Millisecond, func() { p.Suspend("g") })
		w.At(30*time.Millisecond, func() { p.Resume("f") })
		w.At(70*time.Millisecond, func() { p.Wake("g") })
		p.Go(func(ctx context.Context) { _ = p.Sleep(ctx, 15*time.Millisecond) })
	})
	if n, at := count(result, sim.Resume), first(t, result, sim.Resume).At; n != 1 || !near(at, 70*time.Millisecond) {
		t.Errorf("%d times resumed, first at %v", n, at)
	}
}

// TestTheLatestClockErrorHolds: faults that overlap, a frozen clock between them.
func TestTheLatestClockErrorHolds(t *testing.T) {
	var rates []int64
	result := played(t, steady("", "A"), func(w *sim.World) {
		n := w.Node("n1")
		for i, act := range []func(){
			func() { n.Clock().SetRate(100, "f") }, func() { n.Clock().SetRate(-30, "g") },
			func() { n.Clock().SetRate(-1_000_000, "h") },
			func() { n.Clock().EndRate("h") }, func() { n.Clock().EndRate("f") },
		} {
			w.At(time.Duration(i)*time.Millisecond, act)
		}
		p := w.Process("A")
		p.Go(func(ctx context.Context) { _ = p.Sleep(ctx, 15*time.Millisecond) })
	})
	for _, e := range result.Events {
		if e.Kind == sim.ClockRate {
			rates = append(rates, e.PPM)
		}
	}
	if got := fmt.Sprint(rates); got != "[100 -30 -1000000 -30 -30]" {
		t.Errorf("the clock erred by %s", got)
	}
}

// TestRatesOfOneClock: the fault that began last holds, whatever rate it has: no
// error at all counts as one, and a drift keeps its place with each step.
func TestRatesOfOneClock(t *testing.T) {
	const ms = time.Millisecond
	swing := func(step int) int64 { return []int64{500, 0, -500, 0}[step%4] }
	for _, test := range []struct {
		name string
		acts [4]func(c clock) // at 1, 2, 3 and 4.5 ms; a drift's steps come every millisecond
		want string
	}{
		{"right", [4]func(clock){
			func(c clock) { c.set(200, "f") }, func(c clock) { c.set(0, "g") },
			func(c clock) { c.end("g") }, func(c clock) { c.end("f") },
		}, "[200 0 200 0]"},
		{"a drift after a rate", [4]func(clock){
			func(c clock) { c.set(200, "f") }, func(c clock) { c.drift(swing, "g") },
			nil, func(c clock) { c.drift(nil, "g") },
		}, "[200 500 0 -500 200]"},
		{"a rate after a drift", [4]func(clock){
			func(c clock) { c.drift(swing, "g") }, func(c clock) { c.set(200, "f") },
			nil, func(c clock) { c.drift(nil, "g"); c.end("f") },
		}, "[500 200 200 200 200 200 0]"},
	} {
		for _, whose := range []string{"n1", "A"} {
			result := played(t, steady("", "A"), func(w *sim.World) {
				c := clock{
					set:   func(ppm int64, fault string) { w.Node("n1").Clock().SetRate(ppm, fault) },
					end:   func(fault string) { w.Node("n1").Clock().EndRate(fault) },
					drift: func(d sim.Drift, fault string) { w.Node("n1").Clock().SetDrift(d, ms, fault) },
				}
				p := w.Process("A")
				if whose == "A" {
					c = clock{
						set:   func(ppm int64, fault string) { p.Clock(sim.Boottime).SetRate(ppm, fault) },
						end:   func(fault string) { p.Clock(sim.Boottime).EndRate(fault) },
						drift: func(d sim.Drift, fault string) { p.Clock(sim.Boottime).SetDrift(d, ms, fault) },
					}
				}
				for i, at := range []time.Duration{ms, 2 * ms, 3 * ms, 4*ms + ms/2} {
					if act := test.acts[i]; act != nil {
						w.At(at, func() { act(c) })
					}
				}
				p.Go(func(ctx context.Context) { _ = p.Sleep(ctx, 15*ms) })
			})
			var rates []int64
			for _, e := range result.Events {
				if e.Kind == sim.ClockRate {
					rates = append(rates, e.PPM)
				}
			}
			if got := fmt.Sprint(rates); got != test.want {
				t.Errorf("%s, the clock of %s: it erred by %s, want %s", test.name, whose, got, test.want)
			}
		}
	}
}

// clock is what a fault can do to the rate of one.
type clock struct {
	set   func(ppm int64, fault string)
	end   func(fault string)
	drift func(d sim.Drift, fault string)
}
