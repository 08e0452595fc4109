package sim_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"redlocklab/sim"
)

// five returns a world of five nodes and the named processes.
func five(seed uint64, processes ...string) sim.Config {
	c := sim.Config{
		Seed:    seed,
		Network: sim.NetworkConfig{Latency: sim.Latency{Min: time.Millisecond, Max: 3 * time.Millisecond}},
		Bounds:  sim.Bounds{Events: 1_000_000, Virtual: time.Hour},
		Drain:   100 * time.Millisecond,
	}
	for i := range 5 {
		c.Nodes = append(c.Nodes, sim.NodeConfig{Name: fmt.Sprintf("n%d", i+1), Age: time.Hour})
	}
	for _, p := range processes {
		c.Processes = append(c.Processes, sim.ProcessConfig{Name: p})
	}
	return c
}

var timeouts = sim.Timeouts{Dial: 101 * time.Millisecond, Read: 203 * time.Millisecond, Write: 307 * time.Millisecond}

// clients makes one go-redis client per node for a process.
func clients(w *sim.World, p *sim.Process) []*redis.Client {
	var all []*redis.Client
	for _, n := range w.Nodes() {
		c := redis.NewClient(sim.DriverOptions(n.Address, p.Dial, timeouts))
		p.OnEnd(func() { c.Close() })
		all = append(all, c)
	}
	return all
}

func TestPlainCommands(t *testing.T) {
	var got []string
	result, err := sim.Run(five(1, "A", "B"), sim.Options{Keep: true}, func(w *sim.World) error {
		for _, p := range w.Processes() {
			all := clients(w, p)
			p.Go(func(ctx context.Context) {
				for _, c := range all {
					ok, err := c.SetNX(ctx, "r", p.Name, time.Second).Result()
					got = append(got, fmt.Sprint(p.Name, ok, err))
				}
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range result.Events {
		t.Log(string(e.AppendJSON(nil)))
	}
	t.Log(got, result.Outcome, result.Hash, result.End)
	if result.Outcome != sim.Finished || len(got) != 10 {
		t.Fatalf("%v: %d answers, want 10", result.Outcome, len(got))
	}
}
