package search

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"redlocklab/checker"
	"redlocklab/faults"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// maker draws one fault of a kind.
type maker struct {
	// breaks is the assumption that the fault may break; empty is none.
	breaks string
	draw   func(w *swarm) faults.Fault
}

// makers are the faults that can be drawn. An effect stands twice where its
// size, or what the nodes keep on disk, decides what it breaks. Most last for three paces at most.
var makers = []maker{
	{"", (*swarm).crash},
	{"", func(w *swarm) faults.Fault {
		cut := &faults.Partition{Clients: w.oneClient(), Nodes: w.someNodes(), Direction: w.direction()}
		return w.lasting(cut, 3*w.pace())
	}},
	{"", func(w *swarm) faults.Fault {
		return w.lasting(&faults.Lose{
			ProbabilityPPM: pick[int64](w.draw, "lose", 50_000, 200_000, 500_000), Clients: w.oneClient(),
			Nodes: w.someNodes(), Direction: w.direction(),
		}, 5*w.pace())
	}},
	{"", (*swarm).delay},
	{"", func(w *swarm) faults.Fault { return w.lasting(&faults.Pause{Clients: w.oneClient()}, 2*w.pace()) }},
	{"", func(w *swarm) faults.Fault { return w.once(&faults.ClientCrash{Clients: w.oneClient()}) }},
	{"", (*swarm).wallStep},
	// Suspending breaks nothing for a lock whose clock counts it.
	{"", func(w *swarm) faults.Fault { return w.lasting(&faults.Suspend{Clients: w.oneClient()}, 2*w.pace()) }},
	{"", func(w *swarm) faults.Fault { return w.nodeRate(rateErrorPPM, rateErrorPPM, -rateErrorPPM) }},
	{"", func(w *swarm) faults.Fault { return w.clientRate(-rateErrorPPM, -rateErrorPPM, rateErrorPPM) }},
	{checker.AssumptionVote, (*swarm).crash},
	// It makes keys expire too early.
	{checker.AssumptionStep, func(w *swarm) faults.Fault {
		return w.once(&faults.NodeClockStep{Nodes: w.someNodes(), By: w.stepBy()})
	}},
	// It makes a client believe for too long.
	{checker.AssumptionStep, func(w *swarm) faults.Fault {
		return w.once(&faults.ClientClockStep{Clients: w.oneClient(), Clock: w.clock(), By: -w.stepBy()})
	}},
	{checker.AssumptionRate, func(w *swarm) faults.Fault { return w.nodeRate(50_000, 200_000, 1_000_000) }},
	{checker.AssumptionRate, func(w *swarm) faults.Fault { return w.clientRate(-50_000, -200_000, -500_000) }},
	{checker.AssumptionOwner, (*swarm).operator}, {checker.AssumptionWork, (*swarm).pauseBeforeWrite},
	{checker.AssumptionHeal, (*swarm).endless},
	{"", func(w *swarm) faults.Fault {
		return w.lasting(&faults.Refuse{Nodes: w.someNodes(), As: pick(w.draw, "as", sim.Reasons()...)}, 3*w.pace())
	}},
	{"", func(w *swarm) faults.Fault {
		return w.lasting(&faults.StopNode{Nodes: w.someNodes()}, pick(w.draw, "longest", w.pace()/20, 2*w.pace()))
	}},
	{"", func(w *swarm) faults.Fault {
		return w.lasting(&faults.SlowNode{Nodes: w.someNodes(), By: w.upTo(w.pace() / 50)}, 3*w.pace())
	}},
	{"", func(w *swarm) faults.Fault {
		return w.lasting(&faults.SlowClient{Clients: w.oneClient(), By: w.upTo(w.pace() / 50)}, 3*w.pace())
	}},
	{"", func(w *swarm) faults.Fault { return w.lasting(&faults.BlackHole{Nodes: w.someNodes()}, 3*w.pace()) }},
	{"", func(w *swarm) faults.Fault { // slow enough that some answers come after their time
		slow := w.upTo(w.pace() / 1000)
		return w.lasting(&faults.Drip{Pace: slow, Clients: w.oneClient(), Nodes: w.someNodes()}, 3*w.pace())
	}},
	{"", func(w *swarm) faults.Fault {
		return w.once(&faults.Reset{Clients: w.oneClient(), Nodes: w.someNodes()})
	}},
	{"", func(w *swarm) faults.Fault { return w.once(&faults.ScriptFlush{Nodes: w.someNodes()}) }},
	// The drifts stand from the start, as the rates do, and never err by more.
	{"", func(w *swarm) faults.Fault {
		e := &faults.NodeClockDrift{Nodes: w.someNodes()}
		e.Shape, e.PPM, e.Period = w.drift()
		return faults.Fault{Effect: e}
	}},
	{"", func(w *swarm) faults.Fault {
		e := &faults.ClientClockDrift{Clients: w.oneClient(), Clock: w.clock()}
		e.Shape, e.PPM, e.Period = w.drift()
		return faults.Fault{Effect: e}
	}},
	{"", func(w *swarm) faults.Fault { // between what every machine has and what a loaded one has
		late := w.upTo(pick(w.draw, "late by", 100*time.Microsecond, w.pace()/50))
		return w.lasting(&faults.LateTimers{Clients: w.oneClient(), By: late}, 3*w.pace())
	}},
	{checker.AssumptionDistinct, (*swarm).move},
	{checker.AssumptionVote, func(w *swarm) faults.Fault { // a kill forgets what is younger than the sync that runs
		by := w.between("by", 10*time.Millisecond, 3*time.Second)
		return w.lasting(&faults.SlowDisk{Nodes: w.someNodes(), By: by}, 3*w.pace())
	}},
	{checker.AssumptionOwner, func(w *swarm) faults.Fault { return w.once(&faults.Evict{Nodes: w.someNodes(), Keys: 1}) }},
	{checker.AssumptionDistinct, (*swarm).failover},
}

// drawFaults draws which kinds of faults this run knows at all, and then the
// faults: a run that knows few kinds goes deeper into them.
func (w *swarm) drawFaults(kindsPercent int) faults.Schedule {
	var harmless, harmful []maker
	for i, m := range makers {
		switch {
		case i == 0 && w.breaks(checker.AssumptionVote):
			// Where votes may be forgotten, every crash is one that may.
		case m.breaks == "" && w.chance(fmt.Sprintf("kind %d", i), kindsPercent):
			harmless = append(harmless, m)
		case m.breaks != "" && w.breaks(m.breaks):
			harmful = append(harmful, m)
		}
	}
	schedule := faults.Schedule{}
	for i := range w.below("faults", 7) {
		knob := fmt.Sprintf("fault %d", i+1)
		from := harmless
		if len(harmful) > 0 && (len(harmless) == 0 || w.chance(knob+" breaks", 60)) {
			from = harmful
		}
		if len(from) == 0 {
			break
		}
		one := w.named(knob)
		f := one.again(pick(w.draw, knob, from...).draw(one))
		if w.tidy() && losesUnseen(f, w.Lock) {
			continue
		}
		f.Name = fmt.Sprintf("%s %d", strings.ReplaceAll(faults.KindOf(f.Effect), "_", " "), i+1)
		schedule = append(schedule, f)
	}
	if w.tidy() && w.chance("overtaken", 40) {
		schedule = append(schedule, w.named("overtaken").overtaken())
	}
	if len(w.Nodes.Names()) > 2 && w.chance("minority", 20) {
		f := w.named("minority").minority()
		if len(w.Nodes.OneServer) > 0 {
			// A-DISTINCT is about leases: until there was one, a cluster that has fewer servers
			// than it looks broke nothing.
			f.Begin = faults.Trigger{When: faults.Pattern{Subject: "any", Word: "acquired"}, Nth: 1, After: f.Begin.After}
		}
		schedule = append(schedule, f)
	}
	return schedule
}

// applicable leaves out the faults that cannot have an effect in a topology, such as one
// on a link between a client and a node that it does not know. What is drawn does not
// know who was drawn to know which nodes.
func applicable(schedule faults.Schedule, t faults.Topology) faults.Schedule {
	problems := schedule.Problems(t)
	kept := faults.Schedule{}
	for i, f := range schedule {
		if !slices.ContainsFunc(problems, func(p faults.Problem) bool { return p.Index == i }) {
			kept = append(kept, f)
		}
	}
	return kept
}

// again lets a fault begin again in some runs: by time, or at each further match
// of its trigger. What never ends, or ends a client, does not.
func (w *swarm) again(f faults.Fault) faults.Fault {
	repeatable := f.End.Ends
	switch f.Effect.(type) {
	case *faults.NodeClockStep, *faults.ClientClockStep, *faults.OperatorDelete, *faults.OperatorFlush, *faults.Evict,
		*faults.ScriptFlush, *faults.Reset:
		repeatable = true
	}
	if !repeatable || !w.chance("again", 25) {
		return f
	}
	f.Again.Times = 2 + w.below("times", 3)
	if f.Begin.When.IsZero() || w.chance("by time", 50) {
		f.Again.Every = f.End.For + w.between("every", w.pace()/4, 3*w.pace())
	}
	return f
}

// begin draws when a fault begins: at some time, or soon after something that
// matters to a lock.
func (w *swarm) begin() faults.Trigger {
	if w.chance("timed", 40) {
		return faults.Trigger{At: w.between("at", 0, 5*w.pace())}
	}
	pattern := faults.Pattern{Subject: pick(w.draw, "whose", w.clients()...), Word: "acquired"}
	if w.chance("on call", 40) {
		pattern.Word, pattern.Operation = "called", "acquire"
	}
	after := pick(w.draw, "how soon", w.pace()/100, w.pace()/10, w.pace())
	return faults.Trigger{When: pattern, Nth: 1 + w.below("nth", 3), After: w.between("after", 0, after)}
}

// once is a fault that only begins.
func (w *swarm) once(e faults.Effect) faults.Fault { return faults.Fault{Effect: e, Begin: w.begin()} }

// lasting is a fault that ends: what never heals makes every run alike.
func (w *swarm) lasting(e faults.Effect, longest time.Duration) faults.Fault {
	return faults.Fault{Effect: e, Begin: w.begin(), End: w.ends(time.Millisecond, longest)}
}

func (w *swarm) ends(low, high time.Duration) faults.Ending {
	return faults.Ending{Ends: true, For: w.between("for", low, high)}
}

func (w *swarm) someNodes() []string { return some(w.draw, "nodes", w.Nodes.Names(), w.Nodes.Count) }
func (w *swarm) oneClient() []string { return []string{pick(w.draw, "client", w.clients()...)} }

func (w *swarm) direction() faults.Direction {
	return pick(w.draw, "direction", faults.Both, faults.Requests, faults.Replies)
}

// clock is the one that the subject reads.
func (w *swarm) clock() sim.ClockKind { return sim.ClockKind(w.option("clock", string(sim.Boottime))) }

func (w *swarm) stepBy() time.Duration { return w.between("by", w.pace()/4, 3*w.pace()) }

func (w *swarm) drift() (faults.Shape, int64, time.Duration) {
	return pick(w.draw, "shape", faults.Periodic, faults.NonIdeal),
		pick[int64](w.draw, "ppm", rateErrorPPM, -rateErrorPPM), w.between("period", w.pace(), 20*w.pace())
}

// upTo draws a span of a fault that slows something down.
func (w *swarm) upTo(most time.Duration) faults.Span {
	low := w.between("by", time.Microsecond, most)
	return faults.Span{Low: low, High: 2 * low}
}

func (w *swarm) crash() faults.Fault {
	how := pick(w.draw, "end", sim.ProcessCrash, sim.PowerLoss)
	crash := &faults.Crash{Nodes: w.someNodes(), How: how, TimedBy: faults.TrueTime}
	if w.chance("loads", 30) {
		crash.Loading = w.between("loading", time.Millisecond, w.pace()/2)
	}
	return w.lasting(crash, pick(w.draw, "longest", w.pace()/50, 2*w.pace()))
}

func (w *swarm) delay() faults.Fault {
	low := w.between("by", w.pace()/100, pick(w.draw, "at most", w.pace()/10, 3*w.pace()/2))
	return w.lasting(&faults.Delay{
		By: faults.Span{Low: low, High: 2 * low}, ProbabilityPPM: pick[int64](w.draw, "probability", 200_000, 1_000_000),
		Clients: w.oneClient(), Nodes: w.someNodes(), Direction: w.direction(),
	}, 3*w.pace())
}

// overtaken holds up what a client sends to some nodes when it begins to acquire, until after
// what it sends next.
func (w *swarm) overtaken() faults.Fault {
	client, nodes := w.oneClient(), w.Nodes.Names()
	low := w.between("by", w.Lock.NodeTimeout/4, w.Lock.NodeTimeout)
	return faults.Fault{
		Name:   "overtaken",
		Effect: &faults.Delay{By: faults.Span{Low: low, High: 2 * low}, ProbabilityPPM: 1_000_000, Clients: client, Nodes: some(w.draw, "nodes", nodes, (len(nodes)+1)/2), Direction: faults.Requests},
		Begin:  faults.Trigger{When: faults.Pattern{Subject: client[0], Word: "called", Operation: "acquire"}, Nth: 1 + w.below("nth", 3)},
		End:    w.ends(time.Millisecond, w.pace()/10),
	}
}

// wallStep steps a clock that locks have no business with. It breaks nothing for
// those that leave it alone.
func (w *swarm) wallStep() faults.Fault {
	by := w.stepBy()
	if w.chance("back", 75) {
		by = -by
	}
	return w.once(&faults.ClientClockStep{Clients: w.oneClient(), Clock: sim.Wall, By: by})
}

// pauseBeforeWrite stops a holder between its look at the lease and the write.
func (w *swarm) pauseBeforeWrite() faults.Fault {
	client := w.oneClient()
	return faults.Fault{
		Effect: &faults.Pause{Clients: client},
		Begin:  faults.Trigger{When: faults.Pattern{Subject: client[0], Word: "called", Operation: "write"}, Nth: 1 + w.below("nth", 2), After: w.between("after", 0, w.pace()/200)},
		End:    w.ends(w.pace()/2, 3*w.pace()),
	}
}

func (w *swarm) operator() faults.Fault {
	if w.chance("flush", 50) {
		return w.once(&faults.OperatorFlush{Nodes: w.someNodes()})
	}
	return w.once(&faults.OperatorDelete{Nodes: w.someNodes(), Resources: []string{resource}})
}

// The rates stand from the start, for an error within a run adds a step to none.
func (w *swarm) nodeRate(ppm ...int64) faults.Fault {
	nodes := w.someNodes()
	if w.chance("everywhere", 50) {
		nodes = w.Nodes.Names()
	}
	return faults.Fault{Effect: &faults.NodeClockRate{Nodes: nodes, PPM: pick(w.draw, "ppm", ppm...)}}
}

func (w *swarm) clientRate(ppm ...int64) faults.Fault {
	rate := pick(w.draw, "ppm", ppm...)
	return faults.Fault{Effect: &faults.ClientClockRate{Clients: w.oneClient(), Clock: w.clock(), PPM: rate}}
}

// move makes an address lead to the server of another node.
func (w *swarm) move() faults.Fault {
	nodes := w.Nodes.Names()
	from := w.below("from", len(nodes))
	to := (from + 1 + w.below("to", max(len(nodes)-1, 1))) % len(nodes)
	return w.lasting(&faults.Move{Nodes: nodes[from : from+1], To: nodes[to : to+1]}, 3*w.pace())
}

// failover promotes replicas that may have missed votes, in other processes or in the old ones.
func (w *swarm) failover() faults.Fault {
	lag := w.between("lag", w.pace()/100, pick(w.draw, "lag at most", w.pace()/10, 2*w.pace()))
	longest := pick(w.draw, "longest", w.pace()/50, w.pace())
	if w.chance("comes back", 50) {
		return w.lasting(&faults.Demote{Nodes: w.someNodes(), Lag: lag}, longest)
	}
	return w.lasting(&faults.Failover{Nodes: w.someNodes(), Lag: lag}, longest)
}

// endless cuts every client off from a majority, or ends a majority, for good.
func (w *swarm) endless() faults.Fault {
	nodes := w.Nodes.Names()
	return w.once(w.cutOrDead(nodes[:len(nodes)/2+1]))
}

// minority ends a minority for good: whatever comes then must go on without it.
func (w *swarm) minority() faults.Fault {
	nodes := w.Nodes.Names()
	f := w.once(w.cutOrDead(some(w.draw, "nodes", nodes, (len(nodes)-1)/2)))
	f.Name = "minority"
	return f
}

func (w *swarm) cutOrDead(nodes []string) faults.Effect {
	if w.chance("cut", 50) {
		return &faults.Partition{Clients: []string{faults.All}, Nodes: nodes, Direction: w.direction()}
	}
	return &faults.Crash{Nodes: nodes, How: sim.PowerLoss, TimedBy: faults.TrueTime}
}

// clients are the names of those that were drawn so far.
func (w *swarm) clients() []string {
	return plan.Texts(w.Clients, func(c plan.Client) string { return c.Name })
}
