package play_test

import (
	"flag"
	"runtime"
	"testing"

	"redlocklab/scenarios/file"
	"redlocklab/scenarios/play"
	"redlocklab/sim"
)

var crowd = flag.Int64("crowd", 10_000_000, "bytes of trace at which TestACrowdEndsAtItsBytes ends; 0: the default bound")

// TestACrowdEndsAtItsBytes: 50 clients that retry every 50 ms for 10 minutes end at the bound
// of bytes, and the run that is judged holds no more memory than the bound promises: 1 GB
// for the default. With `-crowd 0` it plays up to the default.
func TestACrowdEndsAtItsBytes(t *testing.T) {
	before := live()
	s, err := file.Parse("LV-1.yaml", []byte(`claim: LV-1
title: a crowd
story: A crowd wants one lock.
lock: { ttl: 10s, retry: { delay: 50ms } }
clients:
  A: { count: 50, steps: [ { repeat: { for: 10m, steps: [ { lock: r }, { hold: 9s }, { release: r } ] } } ] }
seeds: 1
subjects: { SY-0: { expect: { overlap: holds }, broken: [], runs: all } }
bounds: { virtual: 20m, events: 1000000000 }
`))
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Plan("SY-0", 1)
	if err != nil {
		t.Fatal(err)
	}
	p.World.Bounds.Bytes = *crowd
	bound := *crowd
	if bound == 0 {
		bound = sim.DefaultBytes
	}
	result, err := play.Run(p, play.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if result.Outcome != string(sim.ByteBound) {
		t.Fatalf("the run ended with %q after %d events; want %q", result.Outcome, len(result.Events), sim.ByteBound)
	}
	held := live() - before
	t.Logf("%d events, %d MB of trace, %d MB held", len(result.Events), bound>>20, held>>20)
	if most := bound * 1000 / 150; held > most {
		t.Errorf("the run holds %d bytes for %d bytes of trace; allowed: %d", held, bound, most)
	}
	runtime.KeepAlive(result)
}

// live is how many bytes are in use.
func live() int64 {
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return int64(memory.HeapAlloc)
}
