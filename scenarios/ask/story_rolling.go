package ask

import (
	"fmt"
	"slices"
	"time"

	"redlocklab/faults"
	"redlocklab/sim"
)

// rolling has every server restarted once, one after the other, each away for t.x: those first that
// another majority needs, the first of them at the variant's moment.
func (q *Question) rolling(t *story) {
	t.drift(t.facts.NodeRate, t.facts.ClientRate)
	t.cut()
	if t.setup.Disk == "pod" { // an update replaces pods
		t.Nodes.Persistence = sim.NoPersistence
	}
	order := slices.Clone(t.victims)
	for _, n := range slices.Concat(t.majority, t.Nodes.Names()) {
		if !slices.Contains(order, n) {
			order = append(order, n)
		}
	}
	gap := max(time.Nanosecond, t.setup.RollingGap)
	var places []string
	for i, n := range order {
		name := fmt.Sprintf("restart %d", i+1)
		stop := &faults.Crash{Nodes: []string{n}, How: sim.Shutdown, TimedBy: faults.TrueTime}
		t.strike(name, stop, after(time.Duration(t.x)))
		if i > 0 {
			back := faults.Pattern{Subject: order[i-1], Word: "restarted"}
			t.Faults[len(t.Faults)-1].Begin = faults.Trigger{When: back, After: gap}
		}
		places = append(places, "faults."+name+".restart_after")
	}
	t.parameter(q, places...)
	t.wait("B comes when it is back", t.last(), "restarted")
	whole := time.Duration(len(order)) * (time.Duration(t.x) + gap)
	t.Clients[0].Steps = append(slices.Clip(t.Clients[0].Steps), pause(whole+time.Second))
	t.Bounds.Virtual += whole
}

// suspend has the machine of the holder sleep for t.x. B comes when a key has expired.
func (q *Question) suspend(t *story) {
	t.drift(t.facts.NodeRate, t.facts.ClientRate)
	t.cut()
	t.strike("A's machine sleeps", &faults.Suspend{Clients: []string{"A"}}, after(time.Duration(t.x)))
	t.parameter(q, "faults.A's machine sleeps.for")
	t.wait("B comes when a key has expired", "any", "expired")
}
