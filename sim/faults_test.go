package sim_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/sim"
)

// steady is one node at exactly 1 ms each way, and the named processes.
func steady(persistence sim.Persistence, processes ...string) sim.Config {
	c := five(1, processes...)
	c.Nodes = []sim.NodeConfig{
		{Name: "n1", Persistence: persistence, SnapshotEvery: 10 * time.Second, Offset: 300 * time.Millisecond},
	}
	c.Network.Latency = sim.Latency{Min: time.Millisecond, Max: time.Millisecond}
	return c
}

// played runs a world with its events kept.
func played(t *testing.T, config sim.Config, build func(w *sim.World)) *sim.Result {
	t.Helper()
	result, err := sim.Run(config, sim.Options{Keep: true}, func(w *sim.World) error {
		build(w)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range result.Events {
		if e.Seq != i+1 || i > 0 && e.At < result.Events[i-1].At {
			t.Fatalf("event %d is out of order: %s", i+1, e.AppendJSON(nil))
		}
	}
	return result
}

// client makes a go-redis client of the first process for the first node.
func client(w *sim.World) (*sim.Process, *redis.Client) {
	p := w.Processes()[0]
	return p, clients(w, p)[0]
}

func count(result *sim.Result, kind sim.Kind) int {
	n := 0
	for _, e := range result.Events {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

func first(t *testing.T, result *sim.Result, kind sim.Kind) sim.Event {
	t.Helper()
	i := slices.IndexFunc(result.Events, func(e sim.Event) bool { return e.Kind == kind })
	if i < 0 {
		t.Fatalf("no event %s", kind)
	}
	return result.Events[i]
}

// near reports whether two times differ by what the controller's own instants take.
func near(a, b time.Duration) bool { return (a - b).Abs() < time.Microsecond }

// TestNodeClockDrivesTTLs: a key with 10 s to live, set at about 1 s, ends when
// the node's clock shows its deadline. Redis keeps absolute deadlines.
func TestNodeClockDrivesTTLs(t *testing.T) {
	for _, test := range []struct {
		name string
		act  func(n *sim.Node)
		want time.Duration // from the execution to the end of the key, with the act 4 s after it
	}{
		{"nothing", func(*sim.Node) {}, 10 * time.Second},
		{"forwards", func(n *sim.Node) { n.Clock().Step(3*time.Second, "f") }, 7 * time.Second},
		{"forwards past the end", func(n *sim.Node) { n.Clock().Step(time.Minute, "f") }, 4 * time.Second},
		{"backwards by less than has passed", func(n *sim.Node) { n.Clock().Step(-3*time.Second, "f") }, 13 * time.Second},
		{"backwards by more than has passed", func(n *sim.Node) { n.Clock().Step(-5*time.Second, "f") }, 15 * time.Second},
		{"back and forth", func(n *sim.Node) { n.Clock().Step(-5*time.Second, "f"); n.Clock().Step(5*time.Second, "f") }, 10 * time.Second},
		{"twice as fast", func(n *sim.Node) { n.Clock().SetRate(1_000_000, "f") }, 7 * time.Second},
		{"half as fast", func(n *sim.Node) { n.Clock().SetRate(-500_000, "f") }, 16 * time.Second},
	} {
		result := played(t, steady("", "A"), func(w *sim.World) {
			p, c := client(w)
			w.Observe(func(e sim.Event) {
				if e.Kind == sim.Execute && e.Command == "SET" {
					w.At(e.At+4*time.Second, func() { test.act(w.Node("n1")) })
				}
			})
			p.Go(func(ctx context.Context) {
				_ = p.Sleep(ctx, time.Second)
				c.Set(ctx, "r", "v", 10*time.Second)
				_ = p.Sleep(ctx, 20*time.Second)
			})
		})
		set := result.Events[slices.IndexFunc(result.Events, func(e sim.Event) bool {
			return e.Kind == sim.Execute && e.Command == "SET"
		})]
		if got := first(t, result, sim.Expire).At - set.At; !near(got, test.want) {
			t.Errorf("%s: the key lived %v, want %v", test.name, got, test.want)
		}
	}
}

// TestPersistence: what each mode keeps of a key that was set 5.5 s into the
// run, when the node ends at once or 2 s later and restarts.
func TestPersistence(t *testing.T) {
	for _, test := range []struct {
		mode  sim.Persistence
		end   sim.End
		delay time.Duration
		keeps bool
	}{
		{sim.NoPersistence, sim.ProcessCrash, 2 * time.Second, false},
		{sim.NoPersistence, sim.PowerLoss, 2 * time.Second, false},
		{sim.AOFAlways, sim.ProcessCrash, 0, true},
		{sim.AOFAlways, sim.PowerLoss, 0, true},
		{sim.AOFEverySec, sim.ProcessCrash, 0, true},
		{sim.AOFEverySec, sim.PowerLoss, 0, false},
		{sim.AOFEverySec, sim.PowerLoss, 2 * time.Second, true},
		{sim.RDB, sim.ProcessCrash, 2 * time.Second, false},
		{sim.RDB, sim.PowerLoss, 2 * time.Second, false},
		{sim.RDB, sim.PowerLoss, 6 * time.Second, true},
	} {
		name := fmt.Sprintf("%s, %s after %v", test.mode, test.end, test.delay)
		result := played(t, steady(test.mode, "A"), func(w *sim.World) {
			p, c := client(w)
			w.Observe(func(e sim.Event) {
				if e.Kind == sim.Execute && e.Command == "SET" {
					w.At(e.At+test.delay, func() { w.Node("n1").Crash(test.end, "f") })
					w.At(e.At+test.delay+time.Millisecond, func() { w.Node("n1").Restart("f") })
				}
			})
			p.Go(func(ctx context.Context) {
				_ = p.Sleep(ctx, 5500*time.Millisecond)
				c.Set(ctx, "r", "v", time.Minute)
				_ = p.Sleep(ctx, 10*time.Second)
			})
		})
		if forgot := count(result, sim.Forget) == 1; forgot == test.keeps {
			t.Errorf("%s: kept %v, want %v", name, !forgot, test.keeps)
		}
		if !test.keeps {
			e := first(t, result, sim.Forget)
			if want := time.Minute - test.delay - time.Millisecond; e.Key != "r" || e.Value != "v" || !near(e.TTL, want) {
				t.Errorf("%s: forgot %s = %s with %v left, want r = v with %v", name, e.Key, e.Value, e.TTL, want)
			}
		}
	}
}

// TestRevive: power loss brings a deleted key back when the deletion was not synced.
func TestRevive(t *testing.T) {
	result := played(t, steady(sim.AOFEverySec, "A"), func(w *sim.World) {
		p, c := client(w)
		w.Observe(func(e sim.Event) {
			if e.Kind == sim.Execute && e.Command == "DEL" {
				w.Node("n1").Crash(sim.PowerLoss, "f") // by an observer of its own execution
				w.At(e.At+time.Second, func() { w.Node("n1").Restart("f") })
			}
		})
		p.Go(func(ctx context.Context) {
			c.Set(ctx, "r", "v", time.Minute)
			c.HSet(ctx, "h", "field", "1")
			_ = p.Sleep(ctx, 2500*time.Millisecond)
			c.Del(ctx, "r", "h")
			_ = p.Sleep(ctx, 3*time.Second)
		})
	})
	var revived []string
	for _, e := range result.Events {
		if e.Kind == sim.Revive {
			revived = append(revived, e.Key+"="+e.Value)
		}
	}
	if got := fmt.Sprint(revived); got != "[h=(hash) r=v]" {
		t.Errorf("revived %s", got)
	}
	if n := count(result, sim.Expire); n != 0 {
		t.Errorf("%d keys ended on a node that was down", n)
	}
}

// TestExpiryWhileDown shows that a key whose time ran out while its node was down
// has expired, and was not forgotten.
func TestExpiryWhileDown(t *testing.T) {
	result := played(t, steady(sim.AOFAlways, "A"), func(w *sim.World) {
		p, c := client(w)
		n := w.Nodes()[0]
		p.Go(func(ctx context.Context) {
			_ = c.Set(ctx, "r", "A", 200*time.Millisecond).Err()
			_ = p.Sleep(ctx, time.Second)
		})
		w.At(100*time.Millisecond, func() { n.Crash(sim.ProcessCrash, "") })
		w.At(500*time.Millisecond, func() { n.Restart("") })
	})
	if expired := first(t, result, sim.Expire); expired.Key != "r" || !near(expired.At, 500*time.Millisecond) {
		t.Errorf("expired %+v, want r at the restart", expired)
	}
	if n := count(result, sim.Forget); n != 0 {
		t.Errorf("%d keys forgotten, want none", n)
	}
}

// TestRestartInfo: a restart changes the run id and begins the uptime anew, in
// seconds of the wall clock, each rounded down: with the clock 0.3 s ahead of a
// full second, 0.8 s of age read 1.
func TestRestartInfo(t *testing.T) {
	var infos []string
	played(t, steady("", "A"), func(w *sim.World) {
		p, c := client(w)
		w.At(time.Second, func() { w.Node("n1").Crash(sim.ProcessCrash, ""); w.Node("n1").Restart("") })
		p.Go(func(ctx context.Context) {
			infos = append(infos, c.Info(ctx, "server").Val())
			_ = p.Sleep(ctx, 1750*time.Millisecond)
			c.Ping(ctx) // the old connection is cut
			infos = append(infos, c.Info(ctx, "server").Val())
		})
	})
	if len(infos) != 2 || infos[0] == "" {
		t.Fatalf("%q", infos)
	}
	if id := func(s string) string { return strings.Split(s, "\r\n")[3] }; id(infos[0]) == id(infos[1]) {
		t.Errorf("the run id stayed %s", id(infos[0]))
	}
	if !strings.Contains(infos[1], "uptime_in_seconds:1\r\n") {
		t.Errorf("%s; want 1 s at an age of about 0.75 s", infos[1])
	}
}

// TestPauseDefers: replies, timers and operations of a paused process wait for
// its gate, and come in their order; a reply that arrived in time is no timeout.
func TestPauseDefers(t *testing.T) {
	var order []string
	var value string
	var failed error
	result := played(t, steady("", "A"), func(w *sim.World) {
		p, c := client(w)
		note := func(s string) { order = append(order, s) }
		w.Observe(func(e sim.Event) {
			if e.Kind == sim.Execute && e.Command == "ECHO" {
				p.Pause("f") // the reply is on its way
				w.At(e.At+10*time.Second, func() { note("resume"); p.Resume("f") })
			}
		})
		p.Go(func(ctx context.Context) {
			c.Ping(ctx)
			alarm := p.NewTimer(time.Second)
			value, failed = c.Echo(ctx, "hello").Result() // the driver's deadline is 203 ms
			note("reply")
			<-alarm.C()
			note("timer")
		})
	})
	if failed != nil || value != "hello" || fmt.Sprint(order) != "[resume reply timer]" {
		t.Errorf("%q, %v, order %v", value, failed, order)
	}
	if e := first(t, result, sim.Timer); e.At > 2*time.Second {
		t.Errorf("the timer fired at %v, although nothing stopped its clock", e.At)
	}
}

// TestDialGivenUpWhilePaused: a context that ends during a pause ends the dial
// when the process goes on, and nobody keeps the connection.
func TestDialGivenUpWhilePaused(t *testing.T) {
	var failed error
	config := steady("", "A")
	config.Network.Latency = sim.Latency{Min: time.Second, Max: time.Second}
	result := played(t, config, func(w *sim.World) {
		p := w.Process("A")
		w.At(10*time.Millisecond, func() { p.Pause("") })
		w.At(500*time.Millisecond, func() { p.Resume("") })
		p.Go(func(ctx context.Context) {
			ctx, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
			defer cancel()
			_, failed = p.Dial(ctx, "tcp", w.Node("n1").Address)
			_ = p.Sleep(context.Background(), 5*time.Second)
		})
	})
	if !errors.Is(failed, context.DeadlineExceeded) || count(result, sim.Connect) != 0 {
		t.Errorf("%v, %d connections", failed, count(result, sim.Connect))
	}
}

// TestThreeClocks: each clock has its own steps; timers follow the monotonic one.
func TestThreeClocks(t *testing.T) {
	config := steady("", "A")
	config.Processes[0].WallOffset, config.Processes[0].BoottimeOffset = time.Hour, time.Minute
	var woke, wall, monotonic, boottime time.Duration
	played(t, config, func(w *sim.World) {
		p := w.Process("A")
		w.At(time.Second, func() {
			p.Clock(sim.Wall).Step(-time.Minute, "")
			p.Clock(sim.Monotonic).SetRate(-500_000, "")
		})
		p.Go(func(context.Context) {
			<-p.NewTimer(2 * time.Second).C()
			woke, wall, monotonic, boottime = w.Now(), p.Now(sim.Wall), p.Now(sim.Monotonic), p.Now(sim.Boottime)
		})
	})
	if !near(woke, 3*time.Second) || !near(wall, 59*time.Minute+3*time.Second) || !near(monotonic, 2*time.Second) ||
		!near(boottime, 63*time.Second) {
		t.Errorf("woke at %v: wall %v, monotonic %v, boottime %v", woke, wall, monotonic, boottime)
	}
}

// TestCrashedProcess: what it had sent still arrives, nobody gets the answer, and
// nothing that it would do afterwards happens.
func TestCrashedProcess(t *testing.T) {
	went := false
	result := played(t, steady("", "A"), func(w *sim.World) {
		p, c := client(w)
		w.Observe(func(e sim.Event) {
			if e.Kind == sim.Send && e.Command == "SET" {
				p.Crash("f")
			}
		})
		p.Go(func(ctx context.Context) {
			went = c.Set(ctx, "r", "v", time.Minute).Err() == nil
			p.Record(sim.Event{Kind: sim.Done})
		})
	})
	executed := slices.ContainsFunc(result.Events, func(e sim.Event) bool {
		return e.Kind == sim.Execute && e.Command == "SET"
	})
	if went || !executed || count(result, sim.Done) != 0 || result.Outcome != sim.Finished {
		t.Errorf("answered %v, executed %v, %s", went, executed, result.Outcome)
	}
	if e := first(t, result, sim.Drop); !strings.Contains(e.Detail, "closed") {
		t.Errorf("the answer: %s", e.Detail)
	}
}
