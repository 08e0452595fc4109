package play

import (
	"fmt"
	"testing"
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// TestWallsThatDiffer: which wall clocks differ by more than the bound, from when to when, and
// by which event.
func TestWallsThatDiffer(t *testing.T) {
	const ms, s = time.Millisecond, time.Second
	step := func(seq int, at time.Duration, who string, by time.Duration) sim.Event {
		e := sim.Event{Seq: seq, At: at, Kind: sim.ClockStep, Process: who, Detail: "wall", Duration: by}
		if who == "n1" || who == "n2" {
			e.Process, e.Node = "", who
		}
		return e
	}
	rate := func(seq int, at time.Duration, ppm int64) sim.Event {
		return sim.Event{Seq: seq, At: at, Kind: sim.ClockRate, Process: "B", Detail: "wall", PPM: ppm}
	}
	fast := []sim.Event{rate(5, s, 1000), rate(6, 4*s, 0), step(7, 4*s, "B", -time.Minute)}
	other := step(5, s, "B", -time.Minute)
	other.Detail = "monotonic"
	for _, test := range []struct {
		name   string
		ahead  map[string]time.Duration // from the start
		events []sim.Event
		want   string // client, other clock, by, from, until, event
	}{
		{"within the bound", map[string]time.Duration{"B": ms}, nil, ""},
		{"two within it of the true time, and not of each other", map[string]time.Duration{"A": -ms, "B": ms}, nil, "A B 2ms 0s - 0\n"},
		{"ahead from the start", map[string]time.Duration{"B": 4 * s}, nil, "A B 4s 0s - 0\nB n1 -4s 0s - 0\nB n2 -4s 0s - 0\n"},
		{"the first ahead", map[string]time.Duration{"A": 4 * s}, nil, "A B -4s 0s - 0\nA n1 -4s 0s - 0\nA n2 -4s 0s - 0\n"},
		{"clients agree, nodes do not", map[string]time.Duration{"A": 4 * s, "B": 4 * s}, nil,
			"A n1 -4s 0s - 0\nB n1 -4s 0s - 0\nA n2 -4s 0s - 0\nB n2 -4s 0s - 0\n"},
		{"a client stepped", nil, []sim.Event{step(5, s, "A", -time.Minute)}, "A B 1m0s 1s - 5\nA n1 1m0s 1s - 5\nA n2 1m0s 1s - 5\n"},
		{"another of its clocks stepped", nil, []sim.Event{other}, ""},
		{"a node stepped, and back", nil, []sim.Event{step(5, s, "n1", time.Minute), step(6, 2*s, "n1", -time.Minute)}, "A n1 1m0s 1s 2s 5\nB n1 1m0s 1s 2s 5\n"},
		{"fast from 1 s on", nil, fast[:1], "A B 9ms 2s - 5\nB n1 -9ms 2s - 5\nB n2 -9ms 2s - 5\n"},
		{"fast, and then stepped", nil, fast, "A B 3ms 2s 4s 5\nB n1 -3ms 2s 4s 5\nB n2 -3ms 2s 4s 5\n" +
			"A B -59.997s 4s - 7\nB n1 59.997s 4s - 7\nB n2 59.997s 4s - 7\n"},
	} {
		p := &plan.Plan{
			Lock: plan.Lock{WallError: ms}, World: sim.Config{Nodes: []sim.NodeConfig{{Name: "n1"}, {Name: "n2"}}},
		}
		h := &checker.History{Header: checker.Header{EndNS: int64(10 * s), Nodes: []string{"n1", "n2"}}}
		walls := []wall{{who: "A"}, {who: "B"}, {who: "n1", node: true}, {who: "n2", node: true}}
		for i := range walls {
			walls[i].ahead = test.ahead[walls[i].who]
		}
		readTrace(p, func(string) bool { return true }, h, test.events, walls)
		got := ""
		for _, f := range h.Facts {
			if f.Fact != checker.FactWallDiffers {
				continue
			}
			until := "-"
			if f.UntilNS != nil {
				until = time.Duration(*f.UntilNS).String()
			}
			got += fmt.Sprintln(f.Client, f.Who, time.Duration(f.DeltaNS), time.Duration(f.AtNS), until, f.Event)
		}
		if got != test.want {
			t.Errorf("%s:\n%swant\n%s", test.name, got, test.want)
		}
	}
}

func TestWritesDate(t *testing.T) {
	for _, test := range []struct {
		command, detail string
		want            bool
	}{
		{"SET", "SET r t1 NX PXAT 946684800123", true}, {"SET", "set r t1 exat 5", true}, {"SET", "SET r t1 NX PX 10000", false},
		{"PEXPIREAT", "PEXPIREAT r 946684800123", true}, {"PEXPIRE", "PEXPIRE r 10", false},
	} {
		if got := writesDate(&sim.Event{Kind: sim.Send, Command: test.command, Detail: test.detail}); got != test.want {
			t.Errorf("%s: %t, want %t", test.detail, got, test.want)
		}
	}
}
