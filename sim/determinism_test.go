package sim_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"redlocklab/sim"
)

const compareDelete = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`

// nativeCompareDelete is compareDelete for keys that hold strings.
func nativeCompareDelete(k sim.Keyspace, keys, args []string) sim.Answer {
	if value, ok, _ := k.Get(keys[0]); !ok || value != args[0] {
		return sim.Integer(0)
	}
	k.Del(keys[0])
	return sim.Integer(1)
}

// contended plays three processes that contend as a usual library does: five
// goroutines per round, tokens from crypto/rand, real timers of the bubble, the
// same fixed latency on all links, and every fault that the world knows.
func contended(t testing.TB, seed uint64, options sim.Options) *sim.Result {
	config := five(seed, "A", "B", "C")
	config.Network = sim.NetworkConfig{
		Latency: sim.Latency{Min: time.Millisecond, Max: time.Millisecond}, LossPPM: 10_000,
	}
	result, err := sim.Run(config, options, func(w *sim.World) error {
		w.AddScript(sim.Script{Name: "release", Source: compareDelete, Native: nativeCompareDelete})
		w.At(30*time.Millisecond, func() { w.Process("A").Pause("pause") })
		w.At(50*time.Millisecond, func() { w.Process("A").Resume("pause") })
		w.At(60*time.Millisecond, func() { w.Node("n2").Crash(sim.ProcessCrash, "crash") })
		w.At(80*time.Millisecond, func() { w.Node("n2").Restart("crash") })
		w.At(90*time.Millisecond, func() { w.Node("n3").Clock().Step(-time.Second, "step") })
		w.At(100*time.Millisecond, func() { w.Process("B").Clock(sim.Monotonic).SetRate(100_000, "rate") })
		for _, p := range w.Processes() {
			all := clients(w, p)
			p.Go(func(ctx context.Context) {
				for round := range 6 {
					bytes := make([]byte, 20)
					_, _ = rand.Read(bytes)
					token := fmt.Sprintf("%x", bytes)
					each := func(f func(ctx context.Context, i int) bool) int {
						ctx, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
						defer cancel()
						var mu sync.Mutex
						var group sync.WaitGroup
						votes := 0
						for i := range all {
							group.Go(func() {
								if f(ctx, i) {
									mu.Lock()
									votes++
									mu.Unlock()
								}
							})
						}
						group.Wait()
						return votes
					}
					votes := each(func(ctx context.Context, i int) bool {
						ok, err := all[i].SetNX(ctx, "r", token, 500*time.Millisecond).Result()
						return err == nil && ok
					})
					if votes >= 3 {
						p.Record(sim.Event{
							Kind: sim.Acquired, Resource: "r", Value: token, Lease: fmt.Sprint(p.Name, round),
						})
					}
					each(func(ctx context.Context, i int) bool {
						return all[i].Eval(ctx, compareDelete, []string{"r"}, token).Err() == nil
					})
					_ = p.Sleep(ctx, 10*time.Millisecond) // all three wake at one instant
				}
			})
		}
		return nil
	})
	if err != nil || result.Outcome != sim.Finished {
		t.Fatal(err, result)
	}
	return result
}

// TestSameTrace: one configuration, one trace, whatever schedules the goroutines.
func TestSameTrace(t *testing.T) {
	repetitions := 50
	if testing.Short() {
		repetitions = 10
	}
	want := contended(t, 1, sim.Options{Keep: true})
	if other := contended(t, 2, sim.Options{}); other.Hash == want.Hash {
		t.Fatal("two seeds, one trace")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for i := range repetitions {
		processors := []int{1, 2, 4}[i%3]
		runtime.GOMAXPROCS(processors)
		got := contended(t, 1, sim.Options{Keep: true})
		if got.Hash == want.Hash {
			continue
		}
		for j := range min(len(got.Events), len(want.Events)) {
			if got.Events[j] != want.Events[j] {
				t.Fatalf("repetition %d on %d processors differs first in\n%s\n%s", i, processors, want.Events[j].AppendJSON(nil), got.Events[j].AppendJSON(nil))
			}
		}
		t.Fatalf("repetition %d on %d processors is a part of the other", i, processors)
	}
}

// TestLuaAndNativeAgree: the native twin changes nothing in the trace.
func TestLuaAndNativeAgree(t *testing.T) {
	for seed := range uint64(5) {
		native, lua := contended(t, seed, sim.Options{}), contended(t, seed, sim.Options{Lua: true})
		if native.Hash != lua.Hash || native.Count == 0 {
			t.Errorf("seed %d: native %s, Lua %s", seed, native.Hash, lua.Hash)
		}
	}
}

// TestGateOpensForOneAfterTheOther: goroutines that a pause held up go on an
// instant apart where anything tells them apart. Two that read from one node
// until their deadlines would otherwise dial it at one instant, and either could
// get either connection.
func TestGateOpensForOneAfterTheOther(t *testing.T) {
	result := played(t, steady("", "A"), func(w *sim.World) {
		p := w.Process("A")
		for i := range 2 {
			p.Go(func(ctx context.Context) {
				connection, err := p.Dial(ctx, "tcp", w.Nodes()[0].Address)
				if err != nil {
					t.Error(err)
					return
				}
				_ = connection.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
				if _, err := connection.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("reader %d: %v", i, err)
				}
				_, _ = p.Dial(ctx, "tcp", w.Nodes()[0].Address)
			})
		}
		w.At(30*time.Millisecond, func() { p.Pause("") })
		w.At(100*time.Millisecond, func() { p.Resume("") })
	})
	var dials []time.Duration
	for _, e := range result.Events {
		if e.Kind == sim.Dial {
			dials = append(dials, e.At)
		}
	}
	if len(dials) != 4 || dials[2] < 100*time.Millisecond || dials[3] <= dials[2] {
		t.Errorf("dials at %v, want two, and after the pause two at instants of their own", dials)
	}
}

// TestScriptCache: EVALSHA, SCRIPT LOAD, SCRIPT EXISTS, SCRIPT FLUSH and a restart see one
// cache, whoever runs the script.
func TestScriptCache(t *testing.T) {
	hashes := map[bool]string{}
	for _, lua := range []bool{false, true} {
		var got []string
		result, err := sim.Run(steady("", "A"), sim.Options{Lua: lua}, func(w *sim.World) error {
			w.AddScript(sim.Script{Name: "release", Source: compareDelete, Native: nativeCompareDelete})
			p, c := client(w)
			sha := sim.SHA1(compareDelete)
			p.Go(func(ctx context.Context) {
				run := func() { got = append(got, fmt.Sprint(c.EvalSha(ctx, sha, []string{"r"}, "x").Err() == nil)) }
				run()
				c.ScriptLoad(ctx, compareDelete)
				run()
				c.ScriptFlush(ctx)
				run()
				c.Eval(ctx, compareDelete, []string{"r"}, "x")
				got = append(got, fmt.Sprint(c.ScriptExists(ctx, sha).Val()[0]))
				pipe := c.TxPipeline()
				pipe.Set(ctx, "r", "x", time.Minute)
				answer := pipe.EvalSha(ctx, sha, []string{"r"}, "x")
				_, err := pipe.Exec(ctx)
				got = append(got, fmt.Sprint(answer.Val(), err))
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if want := "[false true false true 1 <nil>]"; fmt.Sprint(got) != want {
			t.Errorf("Lua %v: %v, want %s", lua, got, want)
		}
		hashes[lua] = result.Hash
	}
	if hashes[false] != hashes[true] {
		t.Error("two traces")
	}
}
