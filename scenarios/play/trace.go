package play

import (
	"cmp"
	"slices"
	"time"

	"redlocklab/checker"
	"redlocklab/faults"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// traceReader makes the facts and the node events of a history from the events of a
// trace. The history's operations and leases are there already.
type traceReader struct {
	sim.Reader
	plan    *plan.Plan
	uses    func(node string) bool // whether the subject uses a node
	history *checker.History

	lasting map[string]*checker.Fact // facts that have not ended, by what ends them
	order   []string                 // the keys of lasting, in the order of their beginnings

	impairments map[string]int    // number of faults that keep a fact of this name open
	ended       map[string]string // how a node ended the last time
	stepped     map[string]bool   // nodes whose clocks were stepped since they ended

	remover string // who removes the keys whose removal the trace reports next
	sender  string // who sent the last message
	members string // the set of nodes that the last sender uses

	dialled map[int]string    // the address that a connection was made to, if it led elsewhere
	servers map[string]string // the server that the last command to an address went to
	moves   map[string]int64  // the event of an address's last move

	calls  map[string]int64  // when an operation was called
	tokens map[string]string // the tokens that leases report, by values of keys that differ from them

	setups setups // how far the connections of clients get
	losses losses // what was lost by chance

	compared time.Duration // when the wall clocks were compared last
	walls    []wall        // the wall clocks that must agree; none: the lock writes no times of day
}

// readTrace adds the facts and the node events of a run to its history.
func readTrace(
	p *plan.Plan, uses func(node string) bool, h *checker.History, events []sim.Event, walls []wall,
) {
	t := &traceReader{
		plan: p, uses: uses, history: h, lasting: map[string]*checker.Fact{},
		impairments: map[string]int{}, ended: map[string]string{}, stepped: map[string]bool{},
		dialled: map[int]string{}, servers: map[string]string{}, moves: map[string]int64{},
		calls: map[string]int64{}, tokens: map[string]string{}, walls: walls,
		setups: setups{
			plan: p, dialled: map[linkName]bool{}, answered: map[linkName]bool{},
			prepared: map[int]bool{}, greets: map[string]bool{},
		},
		losses: losses{plan: p, last: map[linkName]*checker.Fact{}},
	}
	for i := range h.Operations {
		t.calls[h.Operations[i].ID] = h.Operations[i].CallNS
	}
	t.initially()
	for step := range t.Steps(events) {
		t.read(&step)
	}
	t.compareWalls(time.Duration(h.Header.EndNS))
	for _, key := range t.order { // these last until the end of the run
		if f := t.lasting[key]; f != nil {
			delete(t.lasting, key)
			t.add(*f)
		}
	}
	h.Facts = append(h.Facts, t.setups.facts()...)
	for _, lost := range t.losses.found {
		t.add(*lost)
	}
	h.Facts = slices.DeleteFunc(h.Facts, t.irrelevant)
	t.nameTokens()
}

// irrelevant reports whether a fact is only about nodes that the subject does not use.
func (t *traceReader) irrelevant(f checker.Fact) bool {
	unused := func(name string) bool {
		isNode := slices.ContainsFunc(t.plan.World.Nodes, func(n sim.NodeConfig) bool { return n.Name == name })
		return isNode && !t.uses(name)
	}
	return unused(f.Node) || unused(f.Who) || len(f.Nodes) > 0 && !slices.ContainsFunc(f.Nodes, t.uses)
}

// read takes the next event.
func (t *traceReader) read(step *sim.Step) {
	e := step.Event
	t.setups.read(e)
	t.losses.read(e)
	switch e.Kind {
	case sim.Acquired:
		if l := step.Lease; l.Token != "" && l.Token != l.Value {
			t.tokens[l.Value] = l.Token
		}
	case sim.Extended:
		t.extended(step.Lease, e)
	case sim.Send:
		t.membership(e)
		t.reached(e)
	case sim.Dial:
		t.dialled[e.Conn] = e.Detail
	case sim.Execute:
		t.execute(step)
	case sim.ClockStep:
		t.clockStep(e)
	case sim.ClockRate:
		t.rate(e.At, e.Seq, cmp.Or(e.Node, e.Process), checker.Clock(e.Detail), e.PPM)
	case sim.Pause:
		t.begin("pause "+e.Process, at(e, checker.Fact{Fact: checker.FactPaused, Client: e.Process}))
	case sim.Resume:
		t.end("pause "+e.Process, e.At)
	case sim.Crash:
		t.crash(e)
	case sim.Restart:
		t.restart(e)
	case sim.Forget, sim.Revive:
		t.forget(e)
	case sim.NodeCall:
		t.thirdParty(e)
	case sim.Impair, sim.Recover:
		t.impaired(e)
	case sim.Cut:
		t.cut(e)
	case sim.Moved:
		t.moves[e.Node] = int64(e.Seq)
	case sim.ResourceRestart:
		if e.Detail == string(faults.LargestToken) {
			t.add(at(e, checker.Fact{Fact: checker.FactMarkLost, Key: e.Resource}))
		}
	case sim.Heal:
		for _, c := range t.plan.Clients {
			t.end("cut "+e.Fault+" "+c.Name, e.At)
		}
	}
}

// at is a fact that happened, or began, with an event.
func at(e *sim.Event, f checker.Fact) checker.Fact {
	f.AtNS, f.Event = int64(e.At), int64(e.Seq)
	return f
}

func (t *traceReader) add(f checker.Fact) { t.history.Facts = append(t.history.Facts, f) }

// begin begins a fact that lasts until end, unless it has begun already.
func (t *traceReader) begin(key string, f checker.Fact) {
	if t.lasting[key] == nil {
		t.lasting[key] = &f
		t.order = append(t.order, key)
	}
}

// end ends a fact that lasted.
func (t *traceReader) end(key string, at time.Duration) {
	if f := t.lasting[key]; f != nil {
		delete(t.lasting, key)
		f.UntilNS = checker.At(int64(at))
		t.add(*f)
	}
}
