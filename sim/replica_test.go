package sim_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"redlocklab/sim"
)

// TestPromotedReplica: a replica that lags by 100 ms knows what is older, and
// nothing of what came later: votes are lost, and released ones come back.
func TestPromotedReplica(t *testing.T) {
	for _, test := range []struct {
		name string
		lag  time.Duration
		want string // of the keys old, released and fresh
	}{
		{"no lag", 0, "[v  v]"},
		{"a lag", 100 * time.Millisecond, "[v v ]"},
		{"a long lag", time.Minute, "[  ]"},
	} {
		var got []string
		var before, after string
		result := played(t, steady("", "A"), func(w *sim.World) {
			n := w.Node("n1")
			n.Replicate(test.lag)
			p, c := client(w)
			w.At(second, func() { n.Crash(sim.ProcessCrash, "f") })
			w.At(second+20*time.Millisecond, func() { n.Promote("f") })
			p.Go(func(ctx context.Context) {
				c.Set(ctx, "old", "v", time.Minute)
				c.Set(ctx, "released", "v", time.Minute)
				_ = p.Sleep(ctx, second-50*time.Millisecond-w.Now())
				before = c.Info(ctx, "server").Val()
				c.Del(ctx, "released")
				c.Set(ctx, "fresh", "v", time.Minute)
				_ = p.Sleep(ctx, second+100*time.Millisecond-w.Now())
				c.Ping(ctx) // the old connection is cut
				after = c.Info(ctx, "server").Val()
				for _, key := range []string{"old", "released", "fresh"} {
					got = append(got, c.Get(ctx, key).Val())
				}
			})
		})
		if fmt.Sprint(got) != test.want {
			t.Errorf("%s: the promoted replica has %v, want %s", test.name, got, test.want)
		}
		if id := func(s string) string {
			return strings.Split(s+"\r\n\r\n\r\n\r\n", "\r\n")[3]
		}; id(before) == id(after) || id(after) == "" {
			t.Errorf("%s: the run id stayed %q", test.name, id(before))
		}
		if e := first(t, result, sim.Restart); e.Detail != sim.Promoted || e.Fault != "f" {
			t.Errorf("%s: %s", test.name, e.AppendJSON(nil))
		}
		if forgot, revived := count(result, sim.Forget), count(result, sim.Revive); test.lag == 0 &&
			forgot+revived > 0 || test.lag == 100*time.Millisecond && (forgot != 1 || revived != 1) {
			t.Errorf("%s: %d keys forgotten, %d revived", test.name, forgot, revived)
		}
	}
}

// TestPromoteNeedsAnEnd: nobody promotes the replica of a master that is up.
func TestPromoteNeedsAnEnd(t *testing.T) {
	result := played(t, steady("", "A"), func(w *sim.World) {
		w.Node("n1").Replicate(time.Second)
		w.At(second, func() { w.Node("n1").Promote("f") })
		w.Process("A").Go(func(ctx context.Context) { _ = w.Process("A").Sleep(ctx, 2*second) })
	})
	if count(result, sim.Restart) != 0 {
		t.Error("a replica was promoted beside its master")
	}
}

// TestDrift: a clock follows its drift step by step, and runs true when it ends.
func TestDrift(t *testing.T) {
	rates := []int64{100_000, -100_000, 0, 200_000}
	drift := func(step int) int64 { return rates[step%len(rates)] }
	var readings []time.Duration
	result := played(t, steady("", "A"), func(w *sim.World) {
		n := w.Node("n1")
		w.At(second, func() { n.Clock().SetDrift(drift, second, "f") })
		w.At(6*second, func() { n.Clock().SetDrift(nil, 0, "f") })
		for i := range 9 {
			w.At(time.Duration(i)*second+second/2, func() {
				readings = append(readings, n.Clock().Read(w.Now())-w.Now())
			})
		}
		w.Process("A").Go(func(ctx context.Context) { _ = w.Process("A").Sleep(ctx, 9*second) })
	})
	// The clock is 300 ms ahead from the start; a step of 100,000 ppm adds 100 ms in a second.
	want := []int64{300, 350, 350, 300, 400, 550, 600, 600, 600}
	for i, ms := range want {
		if d := time.Duration(ms) * time.Millisecond; i >= len(readings) || (readings[i]-d).Abs() > time.Microsecond {
			t.Errorf("the clock's errors are %v, want %v ms", readings, want)
			break
		}
	}
	if n := count(result, sim.ClockRate); n != 6 {
		t.Errorf("%d changes of the rate, want 5 steps and the end", n)
	}
}

// TestTwoAddressesOfOneServer: what is set at one is there at the other, and
// whatever is done to either is done to both.
func TestTwoAddressesOfOneServer(t *testing.T) {
	config := five(1, "A")
	config.Nodes = append(config.Nodes[:2:2], sim.NodeConfig{Name: "n3", SameAs: "n2"})
	var got []string
	played(t, config, func(w *sim.World) {
		p := w.Process("A")
		all := clients(w, p)
		w.At(second, func() { w.Node("n3").Crash(sim.ProcessCrash, "f") })
		p.Go(func(ctx context.Context) {
			all[1].Set(ctx, "r", "v", 0)
			for _, c := range all {
				got = append(got, class(c.Do(ctx, "GET", "r")))
			}
			_ = p.Sleep(ctx, 2*second-w.Now())
			for _, c := range all {
				c.Ping(ctx) // an old connection is cut
				got = append(got, fmt.Sprint(c.Ping(ctx).Err() == nil))
			}
		})
	})
	if fmt.Sprint(got) != "[nil v v true false false]" {
		t.Errorf("%v", got)
	}
	for _, wrong := range []string{"n4", "n3", "n1"} { // not there, itself, and then one that is no server of its own
		bad := five(1, "A")
		bad.Nodes[2].SameAs = wrong
		if wrong == "n1" {
			bad.Nodes[1].SameAs, bad.Nodes[2].SameAs = "n1", "n2"
		}
		if err := bad.Validate(); err == nil || !strings.Contains(err.Error(), "earlier nodes that are servers of their own") {
			t.Errorf("same as %s: %v", wrong, err)
		}
	}
}
