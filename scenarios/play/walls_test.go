package play

import (
	"testing"
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// TestWallsThatDiffer: from when to when the wall clocks differ by more than the bound, and
// by which event.
func TestWallsThatDiffer(t *testing.T) {
	const ms = time.Millisecond
	for _, test := range []struct {
		name        string
		ahead       time.Duration // of B's clock, from the start
		events      []sim.Event
		from, until time.Duration // until -1: to the end of the run; from -1: never
		event       int
	}{
		{"within the bound", ms, nil, -1, -1, 0},
		{"ahead from the start", 4 * time.Second, nil, 0, -1, 0},
		{"behind from the start", -2 * ms, nil, 0, -1, 0},
		{"stepped", 0, []sim.Event{{Seq: 5, At: time.Second, Kind: sim.ClockStep, Process: "B", Detail: "wall", Duration: -time.Minute}}, time.Second, -1, 5},
		{"another clock stepped", 0, []sim.Event{{Seq: 5, At: time.Second, Kind: sim.ClockStep, Process: "B", Detail: "monotonic", Duration: -time.Minute}}, -1, -1, 0},
		{"the node stepped, and back", 0, []sim.Event{
			{Seq: 5, At: time.Second, Kind: sim.ClockStep, Node: "n1", Detail: "wall", Duration: time.Minute},
			{Seq: 6, At: 2 * time.Second, Kind: sim.ClockStep, Node: "n1", Detail: "wall", Duration: -time.Minute},
		}, time.Second, 2 * time.Second, 5},
		{"fast, and then stepped", 0, []sim.Event{
			{Seq: 5, At: time.Second, Kind: sim.ClockRate, Process: "B", Detail: "wall", PPM: 1000},
			{Seq: 6, At: 4 * time.Second, Kind: sim.ClockRate, Process: "B", Detail: "wall"},
			{Seq: 7, At: 4 * time.Second, Kind: sim.ClockStep, Process: "B", Detail: "wall", Duration: -time.Minute},
		}, 4 * time.Second, -1, 7},
		{"fast from 1 s on", 0, []sim.Event{{Seq: 5, At: time.Second, Kind: sim.ClockRate, Process: "B", Detail: "wall", PPM: 1000}}, 2 * time.Second, -1, 5},
	} {
		p := &plan.Plan{Lock: plan.Lock{WallError: ms}, World: sim.Config{Nodes: []sim.NodeConfig{{Name: "n1"}}}}
		h := &checker.History{Header: checker.Header{EndNS: int64(10 * time.Second), Nodes: []string{"n1"}}}
		readTrace(p, func(string) bool { return true }, h, test.events, []wall{{who: "A"}, {who: "B", ahead: test.ahead}, {who: "n1"}}, nil)
		var found []checker.Fact
		for _, f := range h.Facts {
			if f.Fact == checker.FactWallDiffers {
				found = append(found, f)
			}
		}
		if test.from < 0 {
			if len(found) > 0 {
				t.Errorf("%s: found %+v", test.name, found)
			}
			continue
		}
		if test.name == "fast, and then stepped" {
			if len(found) == 2 && found[0].UntilNS != nil && *found[0].UntilNS == int64(4*time.Second) && found[0].DeltaNS == int64(3*ms) && found[0].Event == 5 {
				found = found[1:]
			}
			if got := time.Duration(found[0].DeltaNS); got != -time.Minute+3*ms {
				t.Errorf("%s: by %v", test.name, got)
			}
		}
		if len(found) != 1 || found[0].AtNS != int64(test.from) || found[0].Event != int64(test.event) ||
			(found[0].UntilNS == nil) != (test.until < 0) || found[0].UntilNS != nil && *found[0].UntilNS != int64(test.until) {
			t.Errorf("%s: found %+v", test.name, found)
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
