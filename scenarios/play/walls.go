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
			list = append(list, wall{who: n.Name, ahead: n.Offset, ppm: n.RatePPM})
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

// compareWalls notes which wall clocks have come to differ from the first one, or to agree
// with it, since the last comparison. No rate error has changed meanwhile.
func (t *traceReader) compareWalls(at time.Duration) {
	passed := at - t.compared
	t.compared = at
	for i := range t.walls {
		w, first := &t.walls[i], &t.walls[0]
		w.ahead += time.Duration(float64(passed) * float64(w.ppm) / 1e6)
		rate, by, key := w.ppm-first.ppm, w.ahead-first.ahead, "wall "+w.who
		if over := max(by, -by) - t.plan.Lock.WallError; over > 0 {
			since := at
			if rate != 0 { // it grew to this
				since = max(at-time.Duration(float64(over)*1e6/float64(max(rate, -rate))), at-passed)
			}
			t.begin(key, checker.Fact{
				Fact: checker.FactWallDiffers, AtNS: int64(since), Event: int64(max(w.event, first.event)),
				Who: w.who, Clock: checker.ClockWall, DeltaNS: int64(by),
			})
			if f := t.lasting[key]; max(by, -by) > time.Duration(max(f.DeltaNS, -f.DeltaNS)) {
				f.DeltaNS = int64(by) // the largest difference meanwhile
			}
		} else {
			t.end(key, at)
		}
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
	before := t.walls[i].ahead
	change(&t.walls[i])
	t.walls[i].event = event
	if t.walls[i].ahead != before {
		for j, w := range t.walls {
			if i == 0 || i == j {
				t.end("wall "+w.who, at)
			}
		}
	}
	t.compareWalls(at)
}
