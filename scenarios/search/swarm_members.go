package search

import (
	"time"

	"redlocklab/checker"
	"redlocklab/faults"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// drawMembers lets the nodes be fewer servers than they look, or lets clients
// disagree on which they are, in some runs; in the others failovers are what
// breaks A-DISTINCT.
func (w *swarm) drawMembers() {
	nodes := w.Nodes.Names()
	if len(nodes) < 3 {
		return
	}
	switch pick(w.draw, "members", "distinct", "one server", "resized") {
	case "one server":
		// A lock that recognizes its servers refuses such a cluster at the start: there is nothing to find.
		if !declares(w.declaration(), plan.Option{Name: "guard", Value: "true"}) {
			first := w.below("one server", len(nodes)-1)
			w.Nodes.OneServer = nodes[first : first+2]
		}
	case "resized":
		// As while N is changed: some clients know of the nodes that came last, some do not.
		for i := range w.Clients {
			if i == 0 || w.chance(w.Clients[i].Name+" is old", 30) {
				w.Clients[i].Nodes = nodes[:len(nodes)/2+1]
			}
		}
	}
}

// restartResource lets the resource forget, in some runs, which tokens it has seen. It
// stands beside what else is drawn.
func (w *swarm) restartResource() {
	const name = "the resource restarts"
	if !w.breaks(checker.AssumptionCounter) || !w.chance(name, 50) {
		return
	}
	if w.Lock.Fencing == plan.FencingNone {
		w.Lock.Fencing = plan.FencingIdeal
	}
	f := w.named(name).once(&faults.ResourceRestart{Resources: []string{resource}, Forgets: faults.LargestToken})
	f.Name = name
	w.Faults = append(w.Faults, f)
}

// fillDisks leaves nodes that append to files no room, in some runs. A server that exits for
// it comes back when there is room. It stands beside what else is drawn.
func (w *swarm) fillDisks() {
	always := w.Nodes.Persistence == sim.AOFAlways
	if !always && w.Nodes.Persistence != sim.AOFEverySec || !w.chance("disks are full", 10) {
		return
	}
	one := w.named("disks")
	nodes := one.someNodes()
	full := one.lasting(&faults.FillDisk{Nodes: nodes}, 3*w.pace())
	full.Name = "disks are full"
	w.Faults = append(w.Faults, full)
	if always {
		w.Faults = append(w.Faults, faults.Fault{
			Name: "room for the disks", Effect: &faults.Restart{Nodes: nodes},
			Begin: faults.Trigger{When: faults.Pattern{Fault: full.Name, Word: "ended"}, Nth: 1, After: time.Millisecond},
		})
	}
}

// forgetful makes a run in which the counters behind fencing tokens are lost at a
// time when no vote is left to be lost with them (RS-4): one client comes, goes,
// and another one comes. Nothing else goes wrong in it.
func (w *swarm) forgetful() {
	ttl, low := w.Lock.TTL, w.Network.Latency.Low
	w.Nodes.Persistence = sim.NoPersistence
	w.Network = plan.Network{Latency: faults.Span{Low: low, High: 2 * low}}
	w.Lock.Fencing, w.Lock.Retry.Tries = plan.FencingSubject, 0
	if declares(w.declaration(), counting) {
		w.Subjects[0].Options = append(w.Subjects[0].Options, counting)
	}
	for i, name := range []string{"A", "B"} {
		rounds := plan.Step{
			Kind: plan.StepRepeat, Times: 1 + w.below("rounds of "+name, 4),
			Steps: []plan.Step{locking, holding(ttl / 10), releasing, waiting(ttl / 2)},
		}
		start := still(time.Duration(i) * 20 * ttl)
		w.Clients = append(w.Clients, plan.Client{Name: name, Start: start, Steps: []plan.Step{rounds}})
	}
	lost := w.named("counters")
	f := faults.Fault{
		Name: "counters are lost", Effect: &faults.OperatorFlush{Nodes: lost.someNodes()},
		Begin: faults.Trigger{When: faults.Pattern{Subject: "A", Word: "finished"}, Nth: 1, After: 2 * ttl},
	}
	switch pick(lost.draw, "lost by", "crash", "flush", "eviction") {
	case "crash":
		f.Effect = &faults.Crash{Nodes: lost.someNodes(), How: sim.PowerLoss, TimedBy: faults.TrueTime}
		f.End = lost.ends(time.Millisecond, ttl/4)
	case "eviction":
		f.Effect = &faults.Evict{Nodes: lost.someNodes(), Keys: 1}
	}
	w.Faults = faults.Schedule{f}
}

// retrying is a driver that sends a command again when no answer comes.
var retrying = plan.Option{Name: "driver", Value: "retrying"}

// drawDrivers sets go-redis up in other ways than by default, in some runs: with RESP 3, with
// retries of its own, and with small pools that several Lockers of one process share. A
// subject that can be told of retries uses a driver that the laboratory sets up. It stands
// beside what else is drawn.
func (w *swarm) drawDrivers() {
	if !declares(w.declaration(), retrying) {
		return
	}
	if w.chance("resp 3", 20) {
		w.Lock.RESP = 3
	}
	if w.option(retrying.Name, "") == "" && w.chance("driver retries", 10) {
		w.Subjects[0].Options = append(w.Subjects[0].Options, retrying)
	}
	if !w.chance("small pool", 20) {
		return
	}
	w.Lock.Pool = pick(w.draw, "pool", 1, 2, 5, 10)
	for i := range w.Clients {
		if one := w.named(w.Clients[i].Name); one.chance("has Lockers", 75) {
			w.Clients[i].Lockers = 2 + one.below("Lockers", w.Lock.Pool+3)
		}
	}
}
