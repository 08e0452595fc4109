package sim

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// TestWallClocksBeginAtTimeNow: a node whose clock has no offset shows what time.Now
// returns, so that PXAT of a lock that reads package time means what it says.
func TestWallClocksBeginAtTimeNow(t *testing.T) {
	config := Config{
		Seed: 1, Nodes: []NodeConfig{{Name: "n1", Offset: 300 * time.Microsecond}},
		Processes: []ProcessConfig{{Name: "A", WallOffset: 300 * time.Microsecond}},
		Network:   NetworkConfig{Latency: Latency{Min: time.Microsecond, Max: time.Microsecond}},
		Bounds:    Bounds{Events: 1000, Virtual: time.Minute},
	}
	_, err := Run(config, Options{}, func(w *World) error {
		p := w.Process("A")
		p.Go(func(ctx context.Context) {
			client := redis.NewClient(DriverOptions(w.Nodes()[0].Address, p.Dial, Timeouts{
				Dial: time.Second, Read: time.Second, Write: time.Second,
			}))
			p.OnEnd(func() { _ = client.Close() })
			before := time.Now()
			text, err := client.Do(ctx, "SET", "k", "v", "PXAT",
				strconv.FormatInt(before.Add(time.Second).UnixMilli(), 10)).Result()
			if err != nil || text != "OK" {
				t.Errorf("SET PXAT: %v, %v", text, err)
			}
			if left, err := client.PTTL(ctx, "k").Result(); err != nil || left < 990*time.Millisecond ||
				left > time.Second {
				t.Errorf("a key that is to live for 1 s has %v left, %v", left, err)
			}
			if wall, now := p.Now(Wall), time.Now(); wall-now.Sub(epoch) > time.Millisecond || now.Sub(epoch) > wall {
				t.Errorf("the wall clock shows %v, time.Now is %v after its beginning", wall, now.Sub(epoch))
			}
		})
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
