package sim_test

import (
	"context"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/sim"
)

// TestDueEffects ends a node long after the last command that it has executed, and asks what
// it keeps. What was due in between has happened at its own time.
func TestDueEffects(t *testing.T) {
	const second, half, tenth = time.Second, time.Second / 2, time.Second / 10
	type moment struct {
		at time.Duration
		do func(n *sim.Node)
	}
	back := func(d time.Duration) func(*sim.Node) { return func(n *sim.Node) { n.Clock().Step(-d, "") } }
	end := func(how sim.End) func(*sim.Node) { return func(n *sim.Node) { n.Crash(how, "") } }
	stop := func(n *sim.Node) { n.Stop("") }
	carry := func(n *sim.Node) { n.Continue("") }
	for _, test := range []struct {
		name    string
		mode    sim.Persistence
		set     time.Duration // SET r a PX 10000
		moments []moment
		kept    bool
	}{
		{"the key ends after the snapshot that was due", sim.RDB, 55 * second,
			[]moment{{69 * second, back(8 * second)}, {70 * second, end(sim.ProcessCrash)}}, true},
		{"and before the one that was not", sim.RDB, 45 * second,
			[]moment{{69 * second, back(20 * second)}, {70 * second, end(sim.ProcessCrash)}}, false},
		{"no snapshot is due without a change", sim.RDB, 55 * second,
			[]moment{{129 * second, back(68 * second)}, {130 * second, end(sim.ProcessCrash)}}, true},
		{"a stopped server takes no snapshot", sim.RDB, 55 * second,
			[]moment{{59 * second, stop}, {62 * second, end(sim.ProcessCrash)}}, false},
		{"it takes it when it continues", sim.RDB, 55 * second,
			[]moment{{59 * second, stop}, {61 * second, carry}, {62 * second, end(sim.ProcessCrash)}}, true},
		{"the end of a key is synced within a second", sim.AOFEverySec, 5 * second,
			[]moment{{16*second + half, back(5 * second)}, {17 * second, end(sim.PowerLoss)}}, false},
		{"and not at once", sim.AOFEverySec, 5*second + 2*tenth,
			[]moment{{15*second + 3*tenth, back(5 * second)}, {15*second + 9*tenth, end(sim.PowerLoss)}}, true},
		{"the kill of the process keeps the end of a key", sim.AOFEverySec, 5*second + 2*tenth,
			[]moment{{15*second + 3*tenth, back(5 * second)}, {15*second + 9*tenth, end(sim.ProcessCrash)}}, false},
		{"a stopped server syncs nothing", sim.AOFEverySec, 5*second + 2*tenth,
			[]moment{{5*second + half, stop}, {8 * second, end(sim.PowerLoss)}}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			config := sim.Config{
				Seed:      1,
				Nodes:     []sim.NodeConfig{{Name: "n1", Persistence: test.mode, SnapshotEvery: time.Minute}},
				Processes: []sim.ProcessConfig{{Name: "A"}},
				Network:   sim.NetworkConfig{Latency: sim.Latency{Min: time.Millisecond, Max: 2 * time.Millisecond}},
				Bounds:    sim.Bounds{Events: 10_000, Virtual: time.Hour},
			}
			found := "nothing"
			_, err := sim.Run(config, sim.Options{}, func(w *sim.World) error {
				n, p := w.Node("n1"), w.Process("A")
				last := test.moments[len(test.moments)-1].at
				for _, m := range test.moments {
					w.At(m.at, func() { m.do(n) })
				}
				w.At(last+time.Millisecond, func() { n.Restart("") })
				p.Go(func(ctx context.Context) {
					ask := func(args ...any) string {
						c := redis.NewClient(sim.DriverOptions(n.Address, p.Dial, timeouts))
						defer func() { _ = c.Close() }()
						return reply(c.Do(ctx, args...).Result())
					}
					_ = p.Sleep(ctx, test.set)
					ask("SET", "r", "a", "PX", "10000")
					_ = p.Sleep(ctx, last+time.Second/2-w.Now())
					found = ask("GET", "r")
				})
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if want := map[bool]string{true: `"a"`, false: "nil"}[test.kept]; found != want {
				t.Errorf("after the restart, GET r answers %s; want %s", found, want)
			}
		})
	}
}
