package play

import (
	"slices"
	"strings"
	"time"

	"redlocklab/checker"
	"redlocklab/sim"
)

// wall is a wall clock that a lock which writes times of day relies on (A-WALL).
type wall struct {
	who   string
	ahead time.Duration // of true time
	ppm   int64         // its rate error
	event int           // the last that stepped it or changed its rate; 0: none
	node  bool
}

// walls returns the wall clocks that must agree: those of the clients, and those of the
// nodes if keys expire by them. A lock that reads true time has the clock of the run.
// There are none if the lock neither declares that it writes times of day, nor does it.
func (r *Referee) walls(events []sim.Event) []wall {
	if !r.can.WritesDates && !slices.ContainsFunc(events, func(e sim.Event) bool { return writesDate(&e) }) {
		return nil
	}
	var list []wall
	for i, p := range r.plan.World.Processes {
		w := wall{who: p.Name, ahead: p.WallOffset, ppm: p.RatePPM}
		if r.clients[i].clock == sim.True {
			w.who, w.ahead, w.ppm = "", 0, 0
		}
		list = append(list, w)
	}
	for _, n := range r.plan.World.Nodes {
		if !r.can.Timeless && n.SameAs == "" && r.uses(n.Name) {
			list = append(list, wall{who: n.Name, ahead: n.Offset, ppm: n.RatePPM, node: true})
		}
	}
	return list
}

// writesDate reports whether a client sends a command that sets an expiry at a time of day.
func writesDate(e *sim.Event) bool {
	if e.Kind != sim.Send {
		return false
	}
	switch e.Command {
	case "PEXPIREAT", "EXPIREAT":
		return true
	case "SET", "GETEX":
		return slices.ContainsFunc(strings.Fields(e.Detail), func(word string) bool {
			return strings.EqualFold(word, "PXAT") || strings.EqualFold(word, "EXAT")
		})
	}
	return false
}

// compareWalls notes which wall clocks have come to differ, or to agree, since the last
// comparison: each client's from each other one. Two nodes are not compared, because a node
// reads no time that another has written. No rate error has changed meanwhile.
func (t *traceReader) compareWalls(at time.Duration) {
	passed := at - t.compared
	t.compared = at
	for i := range t.walls {
		t.walls[i].ahead += time.Duration(float64(passed) * float64(t.walls[i].ppm) / 1e6)
	}
	for i := range t.walls {
		for j := range t.walls[:i] {
			if !t.walls[j].node {
				t.compareWall(&t.walls[j], &t.walls[i], at, passed)
			}
		}
	}
}

// between is the key of the fact that a clock differs from a client's.
func between(client, w *wall) string { return "wall " + client.who + " " + w.who }

func (t *traceReader) compareWall(client, w *wall, at, passed time.Duration) {
	rate, by, key := w.ppm-client.ppm, w.ahead-client.ahead, between(client, w)
	over := max(by, -by) - t.plan.Lock.WallError
	if over <= 0 {
		t.end(key, at)
		return
	}
	since := at
	if rate != 0 { // it grew to this
		since = max(at-time.Duration(float64(over)*1e6/float64(max(rate, -rate))), at-passed)
	}
	t.begin(key, checker.Fact{
		Fact: checker.FactWallDiffers, AtNS: int64(since), Event: int64(max(w.event, client.event)),
		Who: w.who, Client: client.who, Clock: checker.ClockWall, DeltaNS: int64(by),
	})
	if f := t.lasting[key]; max(by, -by) > time.Duration(max(f.DeltaNS, -f.DeltaNS)) {
		f.DeltaNS = int64(by) // the largest difference meanwhile
	}
}

// wallChanged notes that a wall clock was stepped, or that its rate error changed. A
// difference that a step makes is a fact of its own, with the step's event.
func (t *traceReader) wallChanged(who string, at time.Duration, event int, change func(w *wall)) {
	i := slices.IndexFunc(t.walls, func(w wall) bool { return w.who == who })
	if i < 0 {
		return
	}
	t.compareWalls(at)
	changed, before := &t.walls[i], t.walls[i].ahead
	change(changed)
	changed.event = event
	if changed.ahead != before {
		for j := range t.walls {
			t.end(between(changed, &t.walls[j]), at)
			t.end(between(&t.walls[j], changed), at)
		}
	}
	t.compareWalls(at)
}
