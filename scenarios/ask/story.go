package ask

import (
	"time"

	"redlocklab/checker"
	"redlocklab/faults"
	"redlocklab/scenarios/lock"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// story is a question's scenario in the making.
type story struct {
	plan.Scenario
	setup  *Setup
	x      int64  // the searched number
	victim string // the last node of the smallest majority
}

// Scenario is the question's story with the setup's numbers and one value of the searched
// number.
func (q *Question) Scenario(s *Setup, x int64) (*plan.Scenario, error) {
	subject := s.subject()
	subject.Unstated, subject.Runs, subject.Expect = true, plan.RunsAll, map[checker.Oracle]checker.Status{}
	for _, oracle := range checker.Oracles() {
		subject.Expect[oracle] = checker.Holds
	}
	t := &story{Scenario: plan.Default(), setup: s, x: x, victim: plan.NodeName(s.Nodes/2 + 1)}
	t.Name, t.Claim, t.Title, t.Story = q.Claim+"-"+q.Name, q.Claim, q.Title, q.Story
	t.Nodes = plan.Nodes{Count: s.Nodes, Persistence: sim.Persistence(s.Persistence)}
	t.Lock.TTL, t.Lock.Retry.Delay = s.TTL, plan.Span{Low: 20 * time.Millisecond, High: 40 * time.Millisecond}
	t.Clients = []plan.Client{
		{Name: "A", Steps: hold(2 * s.TTL)},
		{Name: "B", Steps: append([]plan.Step{pause(60 * time.Millisecond)}, hold(100*time.Millisecond)...)},
	}
	t.Subjects = []plan.Subject{subject}
	t.Bounds = plan.Bounds{Virtual: 6*s.TTL + time.Minute, Events: 2_000_000}
	if q.kind == plan.DurationParameter {
		t.Bounds.Virtual += time.Duration(x)
	}
	q.tell(q, t)
	return &t.Scenario, plan.JoinProblems(append(t.EvaluateBounds(), t.Validate(nil)...))
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

// parameter declares the searched number, which words of the last fault state.
func (t *story) parameter(q *Question, at ...string) {
	p := plan.Parameter{
		Name: q.Parameter, Meaning: q.Numbers, Kind: q.kind, Unit: q.Unit,
		Low: q.low, High: max(t.x, q.high(t.setup)), Places: at,
	}
	p.Value = p.Format(t.x)
	t.Parameters = []plan.Parameter{p}
}

// always adds a fault that begins at once.
func (t *story) always(name string, effect faults.Effect, end faults.Ending) {
	t.Faults = append(t.Faults, faults.Fault{Name: name, Effect: effect, End: end})
}

// held adds a fault that begins when A holds the lock.
func (t *story) held(name string, effect faults.Effect, end faults.Ending) {
	acquired := faults.Trigger{When: faults.Pattern{Subject: "A", Word: "acquired"}, Nth: 1, After: time.Millisecond}
	t.Faults = append(t.Faults, faults.Fault{Name: name, Effect: effect, Begin: acquired, End: end})
}

// cut keeps A from all nodes but the smallest majority.
func (t *story) cut() {
	if rest := t.Nodes.Names()[t.setup.Nodes/2+1:]; len(rest) > 0 {
		cut := &faults.Partition{Clients: []string{"A"}, Nodes: rest, Direction: faults.Both}
		t.always("A cannot reach the others", cut, after(time.Second))
	}
}

// wait makes B wait for what a node does.
func (t *story) wait(name, node, does string) {
	until := faults.Ending{Ends: true, When: faults.Pattern{Subject: node, Word: does}}
	t.always(name, &faults.Pause{Clients: []string{"B"}}, until)
}

func after(d time.Duration) faults.Ending { return faults.Ending{Ends: true, For: d} }

func (q *Question) outage(t *story) {
	how := sim.ProcessCrash
	if q.Name == "power" {
		how = sim.PowerLoss
	}
	t.cut()
	crash := &faults.Crash{Nodes: []string{t.victim}, How: how, TimedBy: faults.TrueTime}
	t.held("the server dies", crash, after(time.Duration(t.x)))
	t.parameter(q, "faults.the server dies.restart_after")
	t.wait("B comes when it is back", t.victim, "restarted")
}

func (q *Question) failover(t *story) {
	t.cut()
	failover := &faults.Failover{Nodes: []string{t.victim}, Lag: time.Duration(t.x)}
	t.held("the master dies", failover, after(time.Millisecond))
	t.parameter(q, "faults.the master dies.lag")
	t.wait("B comes when the replica serves", t.victim, "promoted")
}

func (q *Question) clockStep(t *story) {
	t.cut()
	t.held("the clock is set", &faults.NodeClockStep{Nodes: []string{t.victim}, By: time.Duration(t.x)}, faults.Ending{})
	t.parameter(q, "faults.the clock is set.by")
	t.wait("B comes when the key has expired", t.victim, "expired")
}

func (q *Question) clocks(t *story) {
	t.Network.Latency = plan.Span{Low: time.Microsecond, High: 10 * time.Microsecond}
	t.Lock.Retry.Delay = plan.Span{Low: 100 * time.Microsecond, High: 200 * time.Microsecond}
	t.always("servers run fast", &faults.NodeClockRate{Nodes: t.Nodes.Names(), PPM: t.x}, faults.Ending{})
	places := []string{"faults.servers run fast.ppm"}
	if clock := lock.ClockOf(t.Subjects[0]); clock != sim.True && clock != "" {
		slow := &faults.ClientClockRate{Clients: []string{"A"}, Clock: clock, PPM: -t.x}
		t.always("A runs slow", slow, faults.Ending{})
		places = append(places, "faults.A runs slow.ppm")
	}
	t.parameter(q, places...)
	t.wait("B comes when a key has expired", "any", "expired")
}

func (q *Question) pause(t *story) {
	t.Lock.Fencing, t.Stock = plan.FencingIdeal, 10
	for i, think := range []time.Duration{20 * time.Millisecond, t.setup.TTL / 2} {
		steps := locked(plan.Step{Kind: plan.StepDecrement, Resource: "r", Guarded: true, Think: exactly(think)})
		t.Clients[i].Steps = append(t.Clients[i].Steps[:i:i], steps...)
	}
	called := faults.Pattern{Subject: "A", Word: "called", Operation: "decrement"}
	t.Faults = faults.Schedule{{
		Name: "A stands still", Effect: &faults.Pause{Clients: []string{"A"}},
		Begin: faults.Trigger{When: called, Nth: 1, After: 10 * time.Millisecond},
		End:   after(time.Duration(t.x)),
	}}
	t.parameter(q, "faults.A stands still.for")
}

func (q *Question) down(t *story) {
	round := []plan.Step{
		{Kind: plan.StepTryLock, Resource: "r"}, {Kind: plan.StepRelease, Resource: "r"}, pause(10 * time.Millisecond),
	}
	again := plan.Step{Kind: plan.StepRepeat, Times: 3, Steps: round}
	t.Clients = []plan.Client{{Name: "A", Start: exactly(10 * time.Millisecond), Steps: []plan.Step{again}}}
	if t.x > 0 {
		dead := t.Nodes.Names()[t.setup.Nodes-int(t.x):]
		t.always("servers are down", &faults.Crash{Nodes: dead, How: sim.ProcessCrash, TimedBy: faults.TrueTime}, faults.Ending{})
	}
	t.Liveness = []plan.Goal{{
		Claim: q.Claim, Client: "A", Does: "acquire", Each: plan.EachSucceeds, Within: plan.Bound{Text: "20*node_timeout"},
	}}
}
