package ask

import (
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

// Scenario is the question's story with the setup's numbers, in its first variant, with one
// value of the searched number.
func (q *Question) Scenario(s *Setup, x int64) (*plan.Scenario, error) {
	return q.scenario(s, q.corners(s)[0], x)
}

// Plan is the run of one seed in the first variant.
func (q *Question) Plan(s *Setup, x int64, seed uint64) (*plan.Plan, error) {
	v := q.corners(s)[0]
	v.seed = seed
	return q.plan(s, v, x)
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
	t.Bounds.Virtual = max(t.Bounds.Virtual, 12*s.TTL+4*time.Duration(max(0, t.outlast(q)))+time.Minute)
	q.tell(q, t)
	return &t.Scenario, plan.JoinProblems(append(t.EvaluateBounds(), t.Validate(nil)...))
}

// outlast is the searched number where it is a time.
func (t *story) outlast(q *Question) int64 {
	if q.kind == plan.DurationParameter {
		return t.x
	}
	return 0
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
	long := plan.Step{Kind: plan.StepHold, Duration: exactly(2 * t.setup.TTL)}
	short := plan.Step{Kind: plan.StepHold, Duration: exactly(t.setup.TTL / 2)}
	lock, release := plan.Step{Kind: plan.StepLock, Resource: "r"}, plan.Step{Kind: plan.StepRelease, Resource: "r"}
	switch t.moment {
	case atExtension:
		return []plan.Step{lock, short, {Kind: plan.StepExtend, Resource: "r"}, long, release}
	case atRelease:
		return []plan.Step{lock, short, release, pause(time.Millisecond), lock, long, release}
	}
	return []plan.Step{lock, long, release}
}

// contender are the steps of B. It asks again later, when keys run out.
func (t *story) contender() []plan.Step {
	again := slices.Concat(hold(t.setup.TTL/8), []plan.Step{pause(t.setup.TTL / 4)})
	steps := []plan.Step{{Kind: plan.StepRepeat, Times: 4, Steps: again}}
	if t.warm {
		other := []plan.Step{{Kind: plan.StepTryLock, Resource: "w"}, {Kind: plan.StepRelease, Resource: "w"}}
		steps = append(other, append([]plan.Step{pause(20 * time.Millisecond)}, steps...)...)
		return steps
	}
	return append([]plan.Step{pause(20 * time.Millisecond)}, steps...)
}

func exactly(d time.Duration) plan.Span { return plan.Span{Low: d, High: d} }

func pause(d time.Duration) plan.Step { return plan.Step{Kind: plan.StepWait, Duration: exactly(d)} }

// hold are the steps of a client that holds the lock for some time.
func hold(d time.Duration) []plan.Step {
	return locked(plan.Step{Kind: plan.StepHold, Duration: exactly(d)})
}

// locked are the steps of a client that does something while it holds the lock.
func locked(step plan.Step) []plan.Step {
	return []plan.Step{{Kind: plan.StepLock, Resource: "r"}, step, {Kind: plan.StepRelease, Resource: "r"}}
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
	for i, think := range []time.Duration{think, t.setup.TTL / 2} {
		steps := locked(plan.Step{Kind: plan.StepDecrement, Resource: "r", Guarded: true, Think: exactly(think)})
		t.Clients[i].Steps = append(t.Clients[i].Steps[:0:0], steps...)
	}
	if work > 0 {
		idle := plan.Step{Kind: plan.StepHold, Duration: exactly(work)}
		t.Clients[0].Steps = slices.Insert(t.Clients[0].Steps, 1, idle)
	}
	t.Clients[1].Steps = append([]plan.Step{pause(5 * time.Millisecond)}, t.Clients[1].Steps...)
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
