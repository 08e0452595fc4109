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

// maker draws one fault of a kind. The world around it is in the swarm.
type maker struct {
	// breaks is the assumption that the fault may break; empty is none.
	breaks string
	draw   func(w *swarm, knob string) faults.Fault
}

// swarm is what faults are drawn for.
type swarm struct {
	draw
	nodes, clients []string
	ttl, timeout   time.Duration
	clock          sim.ClockKind // that the subject reads
}

// makers are the faults that can be drawn. An effect stands twice where its
// size, or what the nodes keep on disk, decides what it breaks.
var makers = []maker{
	{"", (*swarm).crash}, {"", (*swarm).partition}, {"", (*swarm).lose}, {"", (*swarm).delay},
	{"", (*swarm).pause}, {"", (*swarm).clientCrash}, {"", (*swarm).wallStep}, {"", (*swarm).suspend},
	{"", smallNodeRate}, {"", smallClientRate},
	{checker.AssumptionVote, (*swarm).crash}, {checker.AssumptionStep, (*swarm).nodeStep},
	{checker.AssumptionStep, (*swarm).clientStep},
	{checker.AssumptionRate, largeNodeRate}, {checker.AssumptionRate, largeClientRate},
	{checker.AssumptionOwner, (*swarm).operator}, {checker.AssumptionWork, (*swarm).pauseBeforeWrite},
	{checker.AssumptionHeal, (*swarm).endless},
	{"", (*swarm).refuse}, {"", (*swarm).stop}, {"", (*swarm).slowNode}, {"", (*swarm).slowClient},
	{"", (*swarm).blackHole}, {"", (*swarm).drip}, {"", (*swarm).reset}, {"", (*swarm).scriptFlush},
	{"", smallNodeDrift}, {"", smallClientDrift},
	{"", (*swarm).lateTimers}, {checker.AssumptionDistinct, (*swarm).move}, {checker.AssumptionVote, (*swarm).slowDisk},
	{checker.AssumptionOwner, (*swarm).evict}, {checker.AssumptionDistinct, (*swarm).failover},
}

func newSwarm(d draw, s *plan.Scenario, o Trial) *swarm {
	w := &swarm{
		draw: d, nodes: s.Nodes.Names(), ttl: pace(d, s, o), timeout: s.Lock.NodeTimeout,
		clock: sim.ClockKind(o.option("clock", string(sim.Boottime))),
	}
	for _, c := range s.Clients {
		w.clients = append(w.clients, c.Name)
	}
	return w
}

// drawFaults draws which kinds of faults this run knows at all, and then the
// faults: a run that knows few kinds goes deeper into them.
func drawFaults(d draw, s *plan.Scenario, o Trial, kindsPercent int) faults.Schedule {
	w := newSwarm(d, s, o)
	var harmless, harmful []maker
	for i, m := range makers {
		switch {
		case i == 0 && o.breaks(checker.AssumptionVote):
			// Where votes may be forgotten, every crash is one that may.
		case m.breaks == "" && d.chance(fmt.Sprintf("kind %d", i), kindsPercent):
			harmless = append(harmless, m)
		case m.breaks != "" && o.breaks(m.breaks):
			harmful = append(harmful, m)
		}
	}
	schedule := faults.Schedule{}
	for i := range d.below("faults", 7) {
		knob := fmt.Sprintf("fault %d", i+1)
		from := harmless
		if len(harmful) > 0 && (len(harmless) == 0 || d.chance(knob+" breaks", 60)) {
			from = harmful
		}
		if len(from) == 0 {
			break
		}
		f := w.again(knob, pick(d, knob, from...).draw(w, knob))
		if tidy(d, o) && losesUnseen(f, s.Lock) {
			continue
		}
		f.Name = fmt.Sprintf("%s %d", strings.ReplaceAll(faults.KindOf(f.Effect), "_", " "), i+1)
		schedule = append(schedule, f)
	}
	if tidy(d, o) && d.chance("overtaken", 40) {
		schedule = append(schedule, w.overtaken())
	}
	if len(w.nodes) > 2 && d.chance("minority", 20) {
		f := w.minority("minority")
		if len(s.Nodes.OneServer) > 0 {
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

// begin draws when a fault begins: at some time, or soon after something that
// matters to a lock.
func (w *swarm) begin(knob string) faults.Trigger {
	if w.chance(knob+" timed", 40) {
		return faults.Trigger{At: w.between(knob+" at", 0, 5*w.ttl)}
	}
	pattern := faults.Pattern{Subject: pick(w.draw, knob+" whose", w.clients...), Word: "acquired"}
	if w.chance(knob+" on call", 40) {
		pattern.Word, pattern.Operation = "called", "acquire"
	}
	after := pick(w.draw, knob+" how soon", w.ttl/100, w.ttl/10, w.ttl)
	return faults.Trigger{When: pattern, Nth: 1 + w.below(knob+" nth", 3), After: w.between(knob+" after", 0, after)}
}

// lasting is a fault that ends: what never heals makes every run alike.
func (w *swarm) lasting(knob string, e faults.Effect, longest time.Duration) faults.Fault {
	return faults.Fault{Effect: e, Begin: w.begin(knob), End: faults.Ending{
		Ends: true, For: w.between(knob+" for", time.Millisecond, longest),
	}}
}

func (w *swarm) someNodes(knob string) []string {
	return some(w.draw, knob+" nodes", w.nodes, len(w.nodes))
}

func (w *swarm) oneClient(knob string) []string {
	return []string{pick(w.draw, knob+" client", w.clients...)}
}

func (w *swarm) direction(knob string) faults.Direction {
	return pick(w.draw, knob+" direction", faults.Both, faults.Requests, faults.Replies)
}

func (w *swarm) crash(knob string) faults.Fault {
	// Read from a line, so that what is not drawn has its default.
	f, err := faults.ParseLine("{name: crash, crash: n1, at: 0s}")
	if err != nil {
		panic(err) // the line is our own
	}
	crash := f.Effect.(*faults.Crash)
	crash.Nodes, crash.How = w.someNodes(knob), pick(w.draw, knob+" end", sim.ProcessCrash, sim.PowerLoss)
	if w.chance(knob+" loads", 30) {
		crash.Loading = w.between(knob+" loading", time.Millisecond, w.ttl/2)
	}
	return w.lasting(knob, crash, pick(w.draw, knob+" longest", w.ttl/50, 2*w.ttl))
}

func (w *swarm) partition(knob string) faults.Fault {
	return w.lasting(knob, &faults.Partition{
		Clients: w.oneClient(knob), Nodes: w.someNodes(knob), Direction: w.direction(knob),
	}, 3*w.ttl)
}

func (w *swarm) lose(knob string) faults.Fault {
	e := &faults.Lose{
		ProbabilityPPM: pick[int64](w.draw, knob+" lose", 50_000, 200_000, 500_000), Clients: w.oneClient(knob),
		Nodes: w.someNodes(knob), Direction: w.direction(knob),
	}
	return w.lasting(knob, e, 5*w.ttl)
}

func (w *swarm) delay(knob string) faults.Fault {
	low := w.between(knob+" by", w.ttl/100, pick(w.draw, knob+" at most", w.ttl/10, 3*w.ttl/2))
	e := &faults.Delay{
		By: faults.Span{Low: low, High: 2 * low}, ProbabilityPPM: pick[int64](w.draw, knob+" probability", 200_000, 1_000_000),
		Clients: w.oneClient(knob), Nodes: w.someNodes(knob), Direction: w.direction(knob),
	}
	return w.lasting(knob, e, 3*w.ttl)
}

// overtaken holds up what a client sends to some nodes when it begins to acquire, until after
// what it sends next.
func (w *swarm) overtaken() faults.Fault {
	const knob = "overtaken"
	client := w.oneClient(knob)
	low := w.between(knob+" by", w.timeout/4, w.timeout)
	return faults.Fault{
		Name:   knob,
		Effect: &faults.Delay{By: faults.Span{Low: low, High: 2 * low}, ProbabilityPPM: 1_000_000, Clients: client, Nodes: some(w.draw, knob+" nodes", w.nodes, (len(w.nodes)+1)/2), Direction: faults.Requests},
		Begin:  faults.Trigger{When: faults.Pattern{Subject: client[0], Word: "called", Operation: "acquire"}, Nth: 1 + w.below(knob+" nth", 3)},
		End:    faults.Ending{Ends: true, For: w.between(knob+" for", time.Millisecond, w.ttl/10)},
	}
}

func (w *swarm) pause(knob string) faults.Fault {
	return w.lasting(knob, &faults.Pause{Clients: w.oneClient(knob)}, 2*w.ttl)
}

func (w *swarm) clientCrash(knob string) faults.Fault {
	return faults.Fault{Effect: &faults.ClientCrash{Clients: w.oneClient(knob)}, Begin: w.begin(knob)}
}

// wallStep steps a clock that locks have no business with. It breaks nothing for
// those that leave it alone.
func (w *swarm) wallStep(knob string) faults.Fault {
	by := w.stepBy(knob)
	if w.chance(knob+" back", 75) {
		by = -by
	}
	return faults.Fault{
		Effect: &faults.ClientClockStep{Clients: w.oneClient(knob), Clock: sim.Wall, By: by},
		Begin:  w.begin(knob),
	}
}

// suspend breaks nothing for a lock whose clock counts it.
func (w *swarm) suspend(knob string) faults.Fault {
	return w.lasting(knob, &faults.Suspend{Clients: w.oneClient(knob)}, 2*w.ttl)
}

// pauseBeforeWrite stops a holder between its look at the lease and the write.
func (w *swarm) pauseBeforeWrite(knob string) faults.Fault {
	client := w.oneClient(knob)
	return faults.Fault{
		Effect: &faults.Pause{Clients: client},
		Begin:  faults.Trigger{When: faults.Pattern{Subject: client[0], Word: "called", Operation: "write"}, Nth: 1 + w.below(knob+" nth", 2), After: w.between(knob+" after", 0, w.ttl/200)},
		End:    faults.Ending{Ends: true, For: w.between(knob+" for", w.ttl/2, 3*w.ttl)},
	}
}

func (w *swarm) operator(knob string) faults.Fault {
	nodes := w.someNodes(knob)
	if w.chance(knob+" flush", 50) {
		return faults.Fault{Effect: &faults.OperatorFlush{Nodes: nodes}, Begin: w.begin(knob)}
	}
	return faults.Fault{
		Effect: &faults.OperatorDelete{Nodes: nodes, Resources: []string{resource}}, Begin: w.begin(knob),
	}
}

func (w *swarm) stepBy(knob string) time.Duration {
	return w.between(knob+" by", w.ttl/4, 3*w.ttl)
}

// nodeStep makes keys expire too early.
func (w *swarm) nodeStep(knob string) faults.Fault {
	return faults.Fault{
		Effect: &faults.NodeClockStep{Nodes: w.someNodes(knob), By: w.stepBy(knob)}, Begin: w.begin(knob),
	}
}

// clientStep makes a client believe for too long.
func (w *swarm) clientStep(knob string) faults.Fault {
	return faults.Fault{
		Effect: &faults.ClientClockStep{Clients: w.oneClient(knob), Clock: w.clock, By: -w.stepBy(knob)},
		Begin:  w.begin(knob),
	}
}

// The rates stand from the start, for an error within a run adds a step to none.
func smallNodeRate(w *swarm, knob string) faults.Fault {
	return w.nodeRate(knob, pick[int64](w.draw, knob+" ppm", rateErrorPPM, rateErrorPPM, -rateErrorPPM))
}

func smallClientRate(w *swarm, knob string) faults.Fault {
	return w.clientRate(knob, pick[int64](w.draw, knob+" ppm", -rateErrorPPM, -rateErrorPPM, rateErrorPPM))
}

func largeNodeRate(w *swarm, knob string) faults.Fault {
	return w.nodeRate(knob, pick[int64](w.draw, knob+" ppm", 50_000, 200_000, 1_000_000))
}

func largeClientRate(w *swarm, knob string) faults.Fault {
	return w.clientRate(knob, pick[int64](w.draw, knob+" ppm", -50_000, -200_000, -500_000))
}

func (w *swarm) nodeRate(knob string, ppm int64) faults.Fault {
	nodes := w.someNodes(knob)
	if w.chance(knob+" everywhere", 50) {
		nodes = w.nodes
	}
	return faults.Fault{Effect: &faults.NodeClockRate{Nodes: nodes, PPM: ppm}}
}

func (w *swarm) clientRate(knob string, ppm int64) faults.Fault {
	return faults.Fault{Effect: &faults.ClientClockRate{Clients: w.oneClient(knob), Clock: w.clock, PPM: ppm}}
}
