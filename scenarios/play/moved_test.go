package play

import (
	"fmt"
	"testing"
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// TestAddressesThatMove: the set of nodes changes when a command to an address goes to another
// server than the one before, by connections of before or after a move; not when it moves.
func TestAddressesThatMove(t *testing.T) {
	move := sim.Event{Seq: 7, Kind: sim.Moved, Node: "n1", Detail: "n2"}
	back := sim.Event{Seq: 8, Kind: sim.Moved, Node: "n1"}
	dial := func(conn int, server, address string) sim.Event {
		return sim.Event{Kind: sim.Dial, Process: "A", Node: server, Conn: conn, Detail: address}
	}
	send := func(at int, conn int, server, key string) sim.Event {
		return sim.Event{
			At: time.Duration(at), Kind: sim.Send, Process: "A", Node: server, Conn: conn, Key: key, Command: "SET",
		}
	}
	own, moved := dial(1, "n1", ""), dial(2, "n2", "n1")
	for _, test := range []struct {
		name   string
		events []sim.Event
		want   string // when, by which event, the server before, the nodes now
	}{
		{"nobody dials", []sim.Event{own, send(1, 1, "n1", "r"), move, send(2, 1, "n1", "r"), back}, ""},
		{"no command about a key", []sim.Event{own, move, moved, send(1, 2, "n2", "")}, ""},
		{"the first connection", []sim.Event{move, moved, send(1, 2, "n2", "r"), send(2, 2, "n2", "r")}, "1 7 n1 [n2 n3]\n"},
		{"a new connection, then the old one", []sim.Event{own, send(1, 1, "n1", "r"), move, moved, send(2, 2, "n2", "r"), send(3, 1, "n1", "r")},
			"2 7 n1 [n2 n3]\n3 7 n2 [n1 n2 n3]\n"},
		{"kept after it moved back", []sim.Event{own, move, moved, back, send(3, 1, "n1", "r"), send(4, 2, "n2", "r")}, "4 8 n1 [n2 n3]\n"},
	} {
		p := &plan.Plan{World: sim.Config{Nodes: []sim.NodeConfig{{Name: "n1"}, {Name: "n2"}, {Name: "n3"}}}}
		h := &checker.History{Header: checker.Header{EndNS: 10, Nodes: []string{"n1", "n2", "n3"}}}
		readTrace(p, func(string) bool { return true }, h, test.events, nil)
		got := ""
		for _, f := range h.Facts {
			if f.Fact == checker.FactMembership {
				got += fmt.Sprintf("%d %d %s %v\n", f.AtNS, f.Event, f.Node, f.Nodes)
			}
		}
		if got != test.want {
			t.Errorf("%s: found\n%swant\n%s", test.name, got, test.want)
		}
	}
}
