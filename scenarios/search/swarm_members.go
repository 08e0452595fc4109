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
func drawMembers(d draw, s *plan.Scenario, o Trial) {
	nodes := s.Nodes.Names()
	if len(nodes) < 3 {
		return
	}
	switch pick(d, "members", "distinct", "one server", "resized") {
	case "one server":
		// A lock that recognizes its servers refuses such a cluster at the start: there is nothing to find.
		if !declares(o.declaration(), plan.Option{Name: "guard", Value: "true"}) {
			first := d.below("one server", len(nodes)-1)
			s.Nodes.OneServer = nodes[first : first+2]
		}
	case "resized":
		// As while N is changed: some clients know of the nodes that came last, some do not.
		for i := range s.Clients {
			if i == 0 || d.chance(s.Clients[i].Name+" is old", 30) {
				s.Clients[i].Nodes = nodes[:len(nodes)/2+1]
			}
		}
	}
}

// restartResource lets the resource forget, in some runs, which tokens it has seen. It
// stands beside what else is drawn.
func restartResource(d draw, s *plan.Scenario, o Trial) {
	if !o.breaks(checker.AssumptionCounter) || !d.chance("the resource restarts", 50) {
		return
	}
	if s.Lock.Fencing == plan.FencingNone {
		s.Lock.Fencing = plan.FencingIdeal
	}
	s.Faults = append(s.Faults, faults.Fault{
		Name: "the resource restarts", Begin: newSwarm(d, s, o).begin("the resource restarts"),
		Effect: &faults.ResourceRestart{Resources: []string{resource}, Forgets: faults.LargestToken},
	})
}

// fillDisks leaves nodes that append to files no room, in some runs. A server that exits for
// it comes back when there is room. It stands beside what else is drawn.
func fillDisks(d draw, s *plan.Scenario, o Trial) {
	always := s.Nodes.Persistence == sim.AOFAlways
	if !always && s.Nodes.Persistence != sim.AOFEverySec || !d.chance("disks are full", 10) {
		return
	}
	w := newSwarm(d, s, o)
	nodes := w.someNodes("disks")
	full := w.lasting("disks", &faults.FillDisk{Nodes: nodes}, 3*w.ttl)
	full.Name = "disks are full"
	s.Faults = append(s.Faults, full)
	if always {
		s.Faults = append(s.Faults, faults.Fault{
			Name: "room for the disks", Effect: &faults.Restart{Nodes: nodes},
			Begin: faults.Trigger{When: faults.Pattern{Fault: full.Name, Word: "ended"}, Nth: 1, After: time.Millisecond},
		})
	}
}

// forgetful makes a run in which the counters behind fencing tokens are lost at a
// time when no vote is left to be lost with them (RS-4): one client comes, goes,
// and another one comes. Nothing else goes wrong in it.
func forgetful(d draw, s *plan.Scenario, o Trial) {
	ttl, low := s.Lock.TTL, s.Network.Latency.Low
	still := func(of time.Duration) faults.Span { return faults.Span{Low: of, High: of} }
	s.Nodes.Persistence = sim.NoPersistence
	s.Network = plan.Network{Latency: faults.Span{Low: low, High: 2 * low}}
	s.Lock.Fencing, s.Lock.Retry.Tries = plan.FencingSubject, 0
	if option := counting; declares(o.declaration(), option) {
		s.Subjects[0].Options = append(s.Subjects[0].Options, option)
	}
	round := []plan.Step{
		{Kind: plan.StepLock, Resource: resource}, {Kind: plan.StepHold, Duration: still(ttl / 10)},
		{Kind: plan.StepRelease, Resource: resource}, {Kind: plan.StepWait, Duration: still(ttl / 2)},
	}
	rounds := func(name string) []plan.Step {
		return []plan.Step{{Kind: plan.StepRepeat, Times: 1 + d.below("rounds of "+name, 4), Steps: round}}
	}
	s.Clients = []plan.Client{
		{Name: "A", Steps: rounds("A")},
		{Name: "B", Start: still(20 * ttl), Steps: rounds("B")},
	}
	w := newSwarm(d, s, o)
	var effect faults.Effect = &faults.OperatorFlush{Nodes: w.someNodes("counters")}
	ending := faults.Ending{}
	switch pick(d, "counters lost by", "crash", "flush", "eviction") {
	case "crash":
		effect = &faults.Crash{Nodes: w.someNodes("counters"), How: sim.PowerLoss, TimedBy: faults.TrueTime}
		ending = faults.Ending{Ends: true, For: w.between("counters for", time.Millisecond, ttl/4)}
	case "eviction":
		effect = &faults.Evict{Nodes: w.someNodes("counters"), Keys: 1}
	}
	s.Faults = faults.Schedule{{
		Name: "counters are lost", Effect: effect, End: ending,
		Begin: faults.Trigger{When: faults.Pattern{Subject: "A", Word: "finished"}, Nth: 1, After: 2 * ttl},
	}}
}

// retrying is a driver that sends a command again when no answer comes.
var retrying = plan.Option{Name: "driver", Value: "retrying"}

// drawDrivers sets go-redis up in other ways than by default, in some runs: with RESP 3, with
// retries of its own, and with small pools that several Lockers of one process share. A
// subject that can be told of retries uses a driver that the laboratory sets up. It stands
// beside what else is drawn.
func drawDrivers(d draw, s *plan.Scenario, o Trial) {
	if !declares(o.declaration(), retrying) {
		return
	}
	if d.chance("resp 3", 20) {
		s.Lock.RESP = 3
	}
	if o.option(retrying.Name, "") == "" && d.chance("driver retries", 10) {
		s.Subjects[0].Options = append(s.Subjects[0].Options, retrying)
	}
	if !d.chance("small pool", 20) {
		return
	}
	s.Lock.Pool = pick(d, "pool", 1, 2, 5, 10)
	for i := range s.Clients {
		if d.chance(s.Clients[i].Name+" has Lockers", 75) {
			s.Clients[i].Lockers = 2 + d.below(s.Clients[i].Name+" Lockers", s.Lock.Pool+3)
		}
	}
}
