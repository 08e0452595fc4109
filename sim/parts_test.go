package sim

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// rerate changes the configured rate error of a clock.
func rerate(clock *Clock, at time.Duration, ppm int64) {
	clock.change(at, 0, func() { clock.errors.set("", ppm) })
}

// TestClockInverse: WhenReads gives the first instant at which the clock shows a
// reading, whatever steps and rates it had, and says so when it never will.
func TestClockInverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		clock := newClock(time.Duration(rapid.IntRange(-1000, 1000).Draw(t, "offset")),
			rapid.Int64Range(-900_000, 900_000).Draw(t, "ppm"))
		at := time.Duration(0)
		for range rapid.IntRange(0, 4).Draw(t, "changes") {
			at += time.Duration(rapid.IntRange(0, 500).Draw(t, "later"))
			if rapid.Bool().Draw(t, "step") {
				clock.change(at, time.Duration(rapid.IntRange(-800, 800).Draw(t, "by")), func() {})
			} else {
				rerate(clock, at, rapid.Int64Range(-1_000_000, 900_000).Draw(t, "rate"))
			}
		}
		after := time.Duration(rapid.IntRange(0, 2500).Draw(t, "after"))
		reading := readAt(clock, after) + time.Duration(rapid.IntRange(-500, 500).Draw(t, "ahead"))
		got, ok := clock.WhenReads(reading, after)
		// The naive answer looks at every instant; no rate here is slow enough to need more.
		const horizon = 20_000
		want, found := time.Duration(0), false
		for i := after; i < horizon; i++ {
			if readAt(clock, i) >= reading {
				want, found = i, true
				break
			}
		}
		if found && (!ok || got != want) || !found && ok && got < horizon {
			t.Fatalf("reading %d after %d: got %d %v, want %d %v", reading, after, got, ok, want, found)
		}
	})
}

// TestFrozenClock: a frozen clock reads the same for ever, and goes on from there.
func TestFrozenClock(t *testing.T) {
	clock := newClock(0, 0)
	rerate(clock, time.Second, -1_000_000)
	if got := clock.Read(time.Hour); got != time.Second {
		t.Errorf("frozen at 1s, it reads %v", got)
	}
	if at, ok := clock.WhenReads(time.Second+1, 0); ok {
		t.Errorf("a frozen clock reads more at %v", at)
	}
	rerate(clock, time.Hour, 0)
	if at, ok := clock.WhenReads(2*time.Second, 0); !ok || at != time.Hour+time.Second {
		t.Errorf("it goes on to 2s at %v, %v", at, ok)
	}
}

// TestQueue: the heap against a sorted slice.
func TestQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q queue
		var all []*action
		for i := range rapid.IntRange(1, 60).Draw(t, "operations") {
			switch {
			case len(all) > 0 && rapid.IntRange(0, 2).Draw(t, "what") == 0:
				at := rapid.IntRange(0, len(all)-1).Draw(t, "which")
				if got := q.remove(all[at].index); got != all[at] || got.index != -1 {
					t.Fatal("removed another action")
				}
				all = slices.Delete(all, at, at+1)
			default:
				a := &action{
					at:   time.Duration(rapid.IntRange(0, 5).Draw(t, "at")),
					rank: rankOf(rankMessage, rapid.IntRange(0, 3).Draw(t, "owner"), i),
				}
				q.push(a)
				all = append(all, a)
			}
			slices.SortFunc(all, func(a, b *action) int {
				return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.rank, b.rank))
			})
			if len(all) > 0 && q.peek() != all[0] || len(all) == 0 && q.peek() != nil {
				t.Fatal("the head is not the least")
			}
		}
	})
}

// TestEventJSON: AppendJSON writes what encoding/json writes.
func TestEventJSON(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "<&>", "\u2028\u2029", "a\xffb", "\x00\x1f\x7f", `"\`, "\b\f\n\r\t", "\ufffd"}))
	rapid.Check(t, func(t *rapid.T) {
		e := Event{
			Seq: rapid.Int().Draw(t, "seq"), At: time.Duration(rapid.Int64().Draw(t, "at")), Kind: Kind(text.Draw(t, "kind")),
			Process: text.Draw(t, "process"), Node: text.Draw(t, "node"), Conn: rapid.Int().Draw(t, "conn"),
			Message: rapid.IntRange(-1, 1).Draw(t, "message"), Command: text.Draw(t, "command"), Key: text.Draw(t, "key"),
			Value: text.Draw(t, "value"), TTL: time.Duration(rapid.IntRange(-1, 1).Draw(t, "ttl")), Resource: text.Draw(t, "resource"),
			Lease: text.Draw(t, "lease"), Duration: time.Duration(rapid.Int64().Draw(t, "duration")), PPM: rapid.Int64().Draw(t, "ppm"),
			Detail: text.Draw(t, "detail"), Fault: text.Draw(t, "fault"),
		}
		want, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if got := e.AppendJSON(nil); !bytes.Equal(got, want) {
			t.Fatalf("got  %s\nwant %s", got, want)
		}
	})
}

const plainMain = `package main

import (
	"fmt"
	"time"

	"redlocklab/sim"
)

func main() {
	latency := sim.Latency{Min: time.Millisecond, Max: time.Millisecond}
	result, err := sim.Run(sim.Config{
		Nodes: []sim.NodeConfig{{Name: "n1"}}, Network: sim.NetworkConfig{Latency: latency},
		Bounds: sim.Bounds{Events: 100, Virtual: time.Hour}, Drain: time.Minute,
	}, sim.Options{}, func(*sim.World) error { return nil })
	fmt.Print(result.Outcome, " ", result.End, " ", err)
}
`

// TestBubble: virtual time outside go test, which nothing promises.
func TestBubble(t *testing.T) {
	if testing.Short() {
		t.Skip("NOT CHECKED with -short: that a bubble works in a plain binary")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(plainMain), 0o600); err != nil {
		t.Fatal(err)
	}
	output, err := exec.Command("go", "run", file).CombinedOutput()
	if err != nil || string(output) != "finished 1m0s <nil>" {
		t.Fatalf("%v: %s", err, output)
	}
}

// readAt is what a clock showed at any true time.
func readAt(c *Clock, at time.Duration) time.Duration {
	i := len(c.segments) - 1
	for i > 0 && c.segments[i].from > at {
		i--
	}
	return c.segments[i].read(at)
}
