package sim_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"redlocklab/redlock"
	"redlocklab/sim"
	"redlocklab/sim/random"
)

// The benchmark answers one question: what do the native scripts save? One attempt is
// an uncontended lock and its release on five nodes, at least 20 messages. Half of its
// requests are scripts: the lock itself is a plain SET. Run it with -cpu 1: attempts are
// per core.

// nativeRelease is release.lua of package redlock for locks that were never
// handed over: the one script that an uncontended attempt runs.
func nativeRelease(k sim.Keyspace, keys, args []string) sim.Answer {
	switch value, ok, wrong := k.Get(keys[0]); {
	case wrong:
		return sim.Failure("WRONGTYPE Operation against a key holding the wrong kind of value")
	case !ok:
		return sim.Integer(-1)
	case value != args[0]:
		return sim.Integer(0)
	}
	k.Del(keys[0])
	return sim.Integer(1)
}

// canned answers what an uncontended attempt asks, in place of an engine.
func canned(args []string) []byte {
	switch strings.ToUpper(args[0]) {
	case "SET":
		return []byte("$-1\r\n")
	case "EVAL", "EVALSHA":
		return []byte(":1\r\n")
	case "HELLO":
		return []byte("-ERR unknown command\r\n") // as an old server: the driver goes on without
	}
	return []byte("+OK\r\n")
}

// attempts plays count attempts in one run of the world.
func attempts(t testing.TB, options sim.Options, count int) *sim.Result {
	config := five(1, "A")
	config.Bounds = sim.Bounds{Events: 1 << 40, Virtual: 1 << 60}
	var failed error
	result, err := sim.Run(config, options, func(w *sim.World) error {
		for _, s := range redlock.Scripts() {
			script := sim.Script{Name: s.Name, Source: s.Source}
			if s.Name == "release" {
				script.Native = nativeRelease
			}
			w.AddScript(script)
		}
		p := w.Processes()[0]
		var nodes []redlock.Node
		for i, c := range clients(w, p) {
			nodes = append(nodes, redlock.Node{Name: w.Nodes()[i].Name, Client: c})
		}
		locker, err := redlock.New(nodes,
			redlock.WithClock(boottime{p}), redlock.WithRandom(random.NewReader(1, "tokens")),
			redlock.WithNodeTimeout(50*time.Millisecond))
		if err != nil {
			return err
		}
		p.OnEnd(func() { _ = locker.Close() })
		p.Go(func(ctx context.Context) {
			for range count {
				lease, err := locker.TryLock(ctx, "r", 10*time.Second)
				if err == nil {
					err = lease.Release(ctx)
				}
				if err != nil {
					failed = err
					return
				}
			}
		})
		return nil
	})
	switch {
	case err != nil:
		t.Fatal(err)
	case failed != nil:
		t.Fatal(failed)
	case result.Outcome != sim.Finished:
		t.Fatal(result.Outcome)
	}
	return result
}

// boottime is the clock of a process as package redlock wants it.
type boottime struct{ process *sim.Process }

func (b boottime) Now() time.Duration { return b.process.Now(sim.Boottime) }

func (b boottime) NewTimer(d time.Duration) redlock.Timer { return b.process.NewTimer(d) }

// TestAttemptIsWhole keeps the benchmark honest: an attempt is a request and a
// reply for acquire and release on each of five nodes, whatever answers.
func TestAttemptIsWhole(t *testing.T) {
	for name, options := range map[string]sim.Options{
		"whole": {}, "lua": {Lua: true},
	} {
		one, more := attempts(t, options, 10), attempts(t, options, 110)
		if got := more.Messages - one.Messages; got != 1000 {
			t.Errorf("%s: 100 attempts are %d requests, want 1000", name, got)
		}
	}
}

// BenchmarkAttempts measures attempts per second of real time. The whole stack
// comes last and carries the ratio to the other one in the same run.
func BenchmarkAttempts(b *testing.B) {
	rates := map[string]float64{}
	for _, stack := range []struct {
		name    string
		options sim.Options
	}{
		{"lua", sim.Options{Lua: true}},
		{"whole", sim.Options{}},
	} {
		b.Run(stack.name, func(b *testing.B) {
			b.ReportAllocs()
			attempts(b, stack.options, b.N)
			rate := float64(b.N) / b.Elapsed().Seconds()
			rates[stack.name] = rate
			b.ReportMetric(rate, "attempts/s")
			if stack.name == "whole" && rates["lua"] > 0 {
				b.ReportMetric(rate/rates["lua"], "times-lua")
			}
		})
	}
}
