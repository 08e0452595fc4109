package ask

import (
	"fmt"
	"slices"
	"time"

	"redlocklab/checker"
	"redlocklab/faults"
	"redlocklab/scenarios/plan"
	"redlocklab/scenarios/rules"
	"redlocklab/sim"
)

// story is a question's scenario in the making.
type story struct {
	plan.Scenario
	variant
	setup    *Setup
	facts    rules.Facts
	x        int64    // the searched number
	majority []string // the nodes that A reaches
	victims  []string // those of them that another majority needs
}

func (q *Question) plan(s *Setup, v variant, x int64) (*plan.Plan, error) {
	scenario, err := q.scenario(s, v, x)
	if err != nil {
		return nil, err
	}
	return scenario.PlanOf(scenario.Subjects[0], v.seed), nil
}

// tries are how often a client asks: its moment is chosen, so further attempts find nothing new. Of
// 30 drawn setups twelve attempts and five give the same borders; most events were attempts.
const tries = 4

func (q *Question) scenario(s *Setup, v variant, x int64) (*plan.Scenario, error) {
	played, _ := s.Notes()
	s = &played
	subject := s.subject()
	subject.Unstated, subject.Runs, subject.Expect = true, plan.RunsAll, map[checker.Oracle]checker.Status{}
	for _, oracle := range checker.Oracles() {
		subject.Expect[oracle] = checker.Holds
	}
	t := &story{Scenario: plan.Default(), variant: v, setup: s, x: x}
	t.facts, _ = s.facts(q, true)
	t.Name, t.Claim, t.Title, t.Story = q.Claim+"-"+q.Name, q.Claim, q.Title, q.Story
	t.Nodes = plan.Nodes{Count: s.Nodes, Persistence: sim.Persistence(s.kept())}
	t.Lock.TTL, t.Lock.NodeTimeout, t.Network.Latency = s.TTL, s.nodeTimeout(), v.latency
	t.Lock.Retry = plan.Retry{Delay: plan.Span{Low: 4 * v.latency.High, High: 8 * v.latency.High}, Tries: tries}
	all := t.Nodes.Names()
	all = append(all[v.turn:len(all):len(all)], all[:v.turn]...)
	t.majority = all[:t.facts.Quorum()]
	t.victims = t.majority[len(t.majority)-t.facts.Victims():]
	a := plan.Client{Name: "A", Start: exactly(t.starts()), Steps: t.holder()}
	t.Clients = []plan.Client{a, {Name: "B", Steps: t.contender()}}
	t.Subjects, t.Seeds = []plan.Subject{subject}, plan.Seeds{First: 1, Last: 200}
	t.Bounds.Virtual = max(t.Bounds.Virtual, 12*s.TTL+time.Minute)
	if q.kind == plan.DurationParameter {
		t.Bounds.Virtual = max(t.Bounds.Virtual, 12*s.TTL+4*time.Duration(x)+time.Minute)
	}
	q.tell(q, t)
	return &t.Scenario, plan.JoinProblems(append(t.EvaluateBounds(), t.Validate(nil)...))
}

// starts is when A begins: later than a warm contender, and during an fsync where that is
// what is asked.
func (t *story) starts() time.Duration {
	switch {
	case t.slowDisk:
		return 1100 * time.Millisecond
	case t.warm:
		return max(500*time.Millisecond, 100*t.latency.High) // of a few round trips
	}
	return 10 * time.Millisecond
}

// holder are the steps of A: it holds for longer than its lease lasts, and extends or
// releases it where the fault waits for that.
func (t *story) holder() []plan.Step {
	long, short := hold(2*t.setup.TTL), hold(t.setup.TTL/2)
	switch t.moment {
	case atExtension:
		return locked(short, plan.Step{Kind: plan.StepExtend, Resource: "r"}, long)
	case atRelease:
		return slices.Concat(locked(short), []plan.Step{pause(time.Millisecond)}, locked(long))
	}
	return locked(long)
}

// contender are the steps of B. It asks again later, when keys run out.
func (t *story) contender() []plan.Step {
	again := append(locked(hold(t.setup.TTL/8)), pause(t.setup.TTL/4))
	steps := []plan.Step{pause(20 * time.Millisecond), {Kind: plan.StepRepeat, Times: 4, Steps: again}}
	if t.warm {
		other := []plan.Step{{Kind: plan.StepTryLock, Resource: "w"}, {Kind: plan.StepRelease, Resource: "w"}}
		return append(other, steps...)
	}
	return steps
}

func exactly(d time.Duration) plan.Span { return plan.Span{Low: d, High: d} }

func pause(d time.Duration) plan.Step { return plan.Step{Kind: plan.StepWait, Duration: exactly(d)} }

func hold(d time.Duration) plan.Step { return plan.Step{Kind: plan.StepHold, Duration: exactly(d)} }

// locked are the steps of a client that does something while it holds the lock.
func locked(steps ...plan.Step) []plan.Step {
	return slices.Concat([]plan.Step{{Kind: plan.StepLock, Resource: "r"}}, steps,
		[]plan.Step{{Kind: plan.StepRelease, Resource: "r"}})
}

// parameter declares the searched number, which words of faults state.
func (t *story) parameter(q *Question, at ...string) {
	p := plan.Parameter{
		Name: q.Parameter, Meaning: q.Numbers, Kind: q.kind, Unit: q.Unit,
		Low: min(t.x, q.low), High: max(t.x, q.high(t.setup)), Places: at,
	}
	p.Value = p.Format(t.x)
	t.Parameters = []plan.Parameter{p}
}

// always adds a fault that begins at once.
func (t *story) always(name string, effect faults.Effect, end faults.Ending) {
	t.Faults = append(t.Faults, faults.Fault{Name: name, Effect: effect, End: end})
}

// strike adds the fault of the question, at the variant's moment.
func (t *story) strike(name string, effect faults.Effect, end faults.Ending) {
	when := faults.Pattern{Subject: t.last(), Word: "executed", Command: t.setup.command(t.moment), Peer: "A"}
	if t.moment == atAcquired {
		when = faults.Pattern{Subject: "A", Word: "acquired"}
	}
	t.Faults = append(t.Faults, faults.Fault{
		Name: name, Effect: effect, Begin: faults.Trigger{When: when, Nth: t.nth, After: t.after}, End: end,
	})
}

// cut keeps A from all nodes but the smallest majority, until its lease is over.
func (t *story) cut() {
	rest := slices.DeleteFunc(t.Nodes.Names(), func(n string) bool { return slices.Contains(t.majority, n) })
	if len(rest) > 0 {
		cut := &faults.Partition{Clients: []string{"A"}, Nodes: rest, Direction: faults.Both}
		t.always("A cannot reach the others", cut, after(t.starts()+2*t.setup.TTL))
	}
}

// drift makes the clocks err as much as the setup says: nodes too fast, A too slow, B too fast.
func (t *story) drift(node, client int64) (places []string) {
	if node > 0 {
		t.always("servers run fast", &faults.NodeClockRate{Nodes: t.Nodes.Names(), PPM: node}, faults.Ending{})
		places = append(places, "faults.servers run fast.ppm")
	}
	if clock := t.setup.clock(); client > 0 && clock != sim.True {
		t.always("A runs slow", &faults.ClientClockRate{Clients: []string{"A"}, Clock: clock, PPM: -client}, faults.Ending{})
		places = append(places, "faults.A runs slow.ppm")
	}
	return places
}

// wait makes B wait, once it is warm, for what a node does.
func (t *story) wait(name, node, does string) {
	f := faults.Fault{
		Name: name, Effect: &faults.Pause{Clients: []string{"B"}},
		End: faults.Ending{Ends: true, When: faults.Pattern{Subject: node, Word: does}},
	}
	if t.warm {
		f.Begin = faults.Trigger{At: t.starts() - time.Millisecond}
	}
	t.Faults = append(t.Faults, f)
}

func (t *story) last() string { return t.victims[len(t.victims)-1] }

func after(d time.Duration) faults.Ending { return faults.Ending{Ends: true, For: d} }

func (q *Question) outage(t *story) {
	how := sim.ProcessCrash
	switch q.Name {
	case "power":
		how = sim.PowerLoss
	case "move": // to a disk without a file
		t.Nodes.Persistence = sim.NoPersistence
	}
	t.drift(t.facts.NodeRate, t.facts.ClientRate)
	t.cut()
	if t.slowDisk {
		t.always("the disk is slow", &faults.SlowDisk{Nodes: t.victims, By: 1500 * time.Millisecond}, faults.Ending{})
	}
	crash := &faults.Crash{Nodes: t.victims, How: how, TimedBy: faults.TrueTime}
	t.strike("the server dies", crash, after(time.Duration(t.x)))
	t.parameter(q, "faults.the server dies.restart_after")
	t.wait("B comes when it is back", t.last(), "restarted")
}

func (q *Question) failover(t *story) {
	t.drift(t.facts.NodeRate, t.facts.ClientRate)
	t.cut()
	t.strike("the master dies", &faults.Failover{Nodes: t.victims, Lag: time.Duration(t.x)}, after(time.Millisecond))
	t.parameter(q, "faults.the master dies.lag")
	t.wait("B comes when the replica serves", t.last(), "promoted")
}

func (q *Question) clockStep(t *story) {
	t.drift(t.facts.NodeRate, t.facts.ClientRate)
	t.cut()
	t.strike("the clock is set", &faults.NodeClockStep{Nodes: t.victims, By: time.Duration(t.x)}, faults.Ending{})
	t.parameter(q, "faults.the clock is set.by")
	t.wait("B comes when the key has expired", t.last(), "expired")
}

func (q *Question) clocks(t *story) {
	t.cut()
	t.parameter(q, t.drift(t.x, t.x)...)
	t.wait("B comes when a key has expired", t.last(), "expired")
}

// pause has A work, pause before its write, and write: t.x in all, with its attempt to lock.
func (q *Question) pause(t *story) {
	t.drift(t.facts.NodeRate, t.facts.ClientRate)
	t.Lock.Fencing, t.Stock = plan.FencingIdeal, 10
	think, rest := 4*t.latency.High, time.Duration(t.x)-20*t.latency.High
	work := min(t.work, rest/2)
	decrement := func(think time.Duration) plan.Step {
		return plan.Step{Kind: plan.StepDecrement, Resource: "r", Guarded: true, Think: exactly(think)}
	}
	t.Clients[0].Steps = locked(decrement(think))
	if work > 0 {
		t.Clients[0].Steps = locked(hold(work), decrement(think))
	}
	t.Clients[1].Steps = append([]plan.Step{pause(5 * time.Millisecond)}, locked(decrement(t.setup.TTL/2))...)
	called := faults.Pattern{Subject: "A", Word: "called", Operation: "decrement"}
	t.Faults = append(t.Faults, faults.Fault{
		Name: "A stands still", Effect: &faults.Pause{Clients: []string{"A"}},
		Begin: faults.Trigger{When: called, Nth: 1, After: think / 2}, End: after(max(1, rest-max(0, work))),
	})
	t.x = int64(max(1, rest-max(0, work)))
	t.parameter(q, "faults.A stands still.for")
	t.wait("B comes when a key has expired", "any", "expired")
}

// down has servers dead from the beginning. Where each is the master of a pair, its replica takes over.
func (q *Question) down(t *story) {
	round := []plan.Step{
		{Kind: plan.StepTryLock, Resource: "r"}, {Kind: plan.StepRelease, Resource: "r"}, pause(10 * time.Millisecond),
	}
	again := plan.Step{Kind: plan.StepRepeat, Times: 3, Steps: round}
	t.Clients = []plan.Client{{Name: "A", Start: exactly(time.Second), Steps: []plan.Step{again}}}
	names := t.Nodes.Names()
	dead := slices.Concat(names[t.turn:], names[:t.turn])[t.setup.Nodes-int(t.x):]
	switch {
	case t.x == 0:
	case t.setup.Failover:
		t.always("masters are down", &faults.Failover{Nodes: dead}, after(500*time.Millisecond))
	default:
		t.always("servers are down", &faults.Crash{Nodes: dead, How: sim.ProcessCrash, TimedBy: faults.TrueTime}, faults.Ending{})
	}
	t.Liveness = []plan.Goal{{
		Claim: q.Claim, Client: "A", Does: "acquire", Each: plan.EachSucceeds, Within: plan.Bound{Text: "20*node_timeout"},
	}}
}

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
