package play

import (
	"slices"
	"time"

	"redlocklab/checker"
	"redlocklab/scenarios/plan"
	"redlocklab/sim"
)

// traceReader turns the events of a trace into the facts and the node events of a
// history, whose operations and leases are there already.
type traceReader struct {
	plan    *plan.Plan
	uses    func(node string) bool // whether the subject keeps its locks on a node
	history *checker.History
	keys    sim.Keys

	rates map[string]*checker.Fact // the rate error that a clock has, by its owner and kind
	open  map[string]*checker.Fact // facts that have not ended, by what ends them
	order []string                 // the keys of rates and open, in the order of their beginnings

	impairments map[string]int    // how many faults have a share in an open fact of this name
	ended       map[string]string // how a node ended the last time
	stepped     map[string]bool   // nodes whose clocks were stepped since they ended

	remover string // who takes the keys whose removal the trace tells next
	sender  string // who sent the last message
	members string // the set of nodes that the sender uses

	sent       map[int]time.Duration // when a message left its process
	extensions map[string]int        // by lease
}

// readTrace adds the facts and the node events of a run to its history.
func readTrace(p *plan.Plan, uses func(node string) bool, h *checker.History, events []sim.Event) {
	t := &traceReader{
		plan: p, uses: uses, history: h, rates: map[string]*checker.Fact{}, open: map[string]*checker.Fact{},
		impairments: map[string]int{}, ended: map[string]string{}, stepped: map[string]bool{},
		sent: map[int]time.Duration{}, extensions: map[string]int{},
	}
	t.initialRates()
	t.sameServers()
	for i := range events {
		t.read(&events[i])
	}
	t.close()
	h.Facts = slices.DeleteFunc(h.Facts, t.elsewhere)
}

// elsewhere reports whether a fact is about nodes that the subject does not use.
func (t *traceReader) elsewhere(f checker.Fact) bool {
	unused := func(name string) bool {
		isNode := slices.ContainsFunc(t.plan.World.Nodes, func(n sim.NodeConfig) bool { return n.Name == name })
		return isNode && !t.uses(name)
	}
	return unused(f.Node) || unused(f.Who) || len(f.Nodes) > 0 && !slices.ContainsFunc(f.Nodes, t.uses)
}

// read takes in the next event.
func (t *traceReader) read(e *sim.Event) {
	change, _ := t.keys.Apply(e)
	switch e.Kind {
	case sim.Send:
		t.sent[e.Message] = e.At
		t.membership(e)
	case sim.Execute:
		t.execute(e, &change)
	case sim.Extended:
		t.extended(e)
	case sim.ClockStep:
		t.clockStep(e)
	case sim.ClockRate:
		t.rate(e.At, e.Seq, ownerOf(e), checker.Clock(e.Detail), e.PPM)
	case sim.Pause:
		t.begin("pause "+e.Process, checker.Fact{Fact: checker.FactPaused, AtNS: int64(e.At), Event: int64(e.Seq), Client: e.Process})
	case sim.Resume:
		t.finish(t.open, "pause "+e.Process, e.At)
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
	case sim.Heal:
		for _, c := range t.plan.Clients {
			t.finish(t.open, "cut "+e.Fault+" "+c.Name, e.At)
		}
	}
}

// ownerOf is the node or the process that an event is about.
func ownerOf(e *sim.Event) string {
	if e.Node != "" {
		return e.Node
	}
	return e.Process
}

// at is a fact of the instant of an event.
func at(e *sim.Event, f checker.Fact) checker.Fact {
	f.AtNS, f.Event = int64(e.At), int64(e.Seq)
	return f
}

func (t *traceReader) add(f checker.Fact) { t.history.Facts = append(t.history.Facts, f) }

// begin opens a fact that lasts until finish, unless it is open already.
func (t *traceReader) begin(key string, f checker.Fact) {
	if t.open[key] == nil {
		t.open[key] = &f
		t.order = append(t.order, key)
	}
}

// finish ends a fact that lasted. At 0 nothing ends: the fact was never true.
func (t *traceReader) finish(from map[string]*checker.Fact, key string, at time.Duration) {
	f := from[key]
	if f == nil {
		return
	}
	delete(from, key)
	if at > 0 {
		f.UntilNS = checker.At(int64(at))
	}
	t.add(*f)
}

// close adds the facts that were still open at the end of the run.
func (t *traceReader) close() {
	for _, key := range t.order {
		for _, from := range []map[string]*checker.Fact{t.rates, t.open} {
			t.finish(from, key, 0)
		}
	}
}
